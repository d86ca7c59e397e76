package check

import (
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// A Prior is the prior of one parameter, with defaults filled in; of a weight, which has none, the kind of
// its initial values.
type Prior struct {
	Parameter   string `json:"parameter"`
	Type        string `json:"type"`
	Owner       string `json:"owner"`
	Prior       string `json:"prior"`
	Noncentered bool   `json:"noncentered"`
	Initial     string `json:"init,omitempty"`
	SummedOut   bool   `json:"summed_out,omitempty"` // a discrete parameter
}

// Text is the prior as a table shows it.
func (p Prior) Text() string {
	switch {
	case p.Initial != "":
		return "none: a weight, init " + p.Initial
	case p.Noncentered:
		return p.Prior + " noncentered"
	case p.SummedOut:
		return p.Prior + ", summed out"
	}
	return p.Prior
}

// Priors lists the priors of all parameters in order of declaration, then those of discrete ones; it never
// returns nil.
func (p *Program) Priors() []Prior {
	out := []Prior{}
	for _, s := range p.Order {
		switch {
		case s.Kind != Param || s.Opaque:
		case s.Initial != nil:
			out = append(out, Prior{Parameter: s.Name, Type: s.Type.String(), Owner: s.Owner,
				Initial: s.Initial.Name})
		default:
			out = append(out, Prior{Parameter: s.Name, Type: s.Type.String() + bounds(s), Owner: s.Owner,
				Prior: priorText(s), Noncentered: s.Noncentered()})
		}
	}
	for _, k := range p.Linked.Summed {
		q := Prior{Parameter: k.Name.Name, Type: format.Type(k.Type), Prior: format.Prior(k), SummedOut: true}
		if s := p.Symbols[q.Parameter]; s != nil {
			q.Owner = s.Owner
		}
		out = append(out, q)
	}
	return out
}

// priorText writes the distribution with every argument, omitted ones by their defaults.
func priorText(s *Symbol) string {
	if s.Dist.Form != nil {
		return format.Prior(s.Decl.(*ast.Param))
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		if a == nil {
			args[i] = strconv.FormatFloat(s.Dist.Params[i].Default, 'g', -1, 64)
		} else {
			args[i] = format.Expr(a)
		}
	}
	return s.Dist.Name + "(" + strings.Join(args, ", ") + ")"
}

// bounds writes the bounds declared on the type.
func bounds(s *Symbol) string {
	var parts []string
	if s.Lower != nil {
		parts = append(parts, "lower="+format.Expr(s.Lower))
	}
	if s.Upper != nil {
		parts = append(parts, "upper="+format.Expr(s.Upper))
	}
	if parts == nil {
		return ""
	}
	return " <" + strings.Join(parts, ", ") + ">"
}
