package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// A splitSection shows the parties, what each computes and what crosses between them.
type splitSection struct {
	Text    string // in words
	Diagram *diagram
	Cuts    []cutLine
	Groups  []groupLine
	Noise   bool // cuts have a rho
	Before  []string
}

// A cutLine is a line of the table of cuts.
type cutLine struct{ Name, Class, Client, Expr, Shape, Rho, SeenBy string }

// A groupLine says how cuts enter a computation.
type groupLine struct{ Sum, Need string }

// split describes the programs that ran.
func (r *Report) split() (any, error) {
	out := splitSection{Noise: r.transform.Noise()}
	switch {
	case r.bundle == nil && len(r.model.Checked.Clients) == 0:
		out.Text = "The model has no clients: one party holds all data, and nothing crosses."
	case r.bundle == nil:
		out.Text = fmt.Sprintf("Transform %s: all data are pooled in one process, which evaluates the "+
			"model as written. This is for simulation only: it protects nothing, and "+
			"there are no party programs.", r.transform)
	default:
		out.Text = fmt.Sprintf("Transform %s: %s.", r.transformText(),
			strings.TrimSuffix(r.transform.Doc, "."))
		out.Cuts, out.Groups = r.cuts(), r.groups()
	}
	rows, err := r.disclosures()
	if err != nil {
		return nil, err
	}
	for _, d := range rows {
		if r.bundle != nil && d.Often == "once" {
			out.Before = append(out.Before, fmt.Sprintf("%s: from %s to %s", d.What, d.From, d.To))
		}
	}
	out.Diagram = r.draw(rows)
	return out, nil
}

// cuts lists the cuts of the manifest.
func (r *Report) cuts() []cutLine {
	var out []cutLine
	for _, c := range r.bundle.Manifest.Cuts {
		out = append(out, cutLine{c.Name, r.classOf(c.Client), c.Client, r.bundle.Expression(c),
			shapeText(c.Shape), rhoText(c.Rho), strings.Join(c.SeenBy, ", ")})
	}
	return out
}

// rhoText is a number of a manifest with four digits.
func rhoText(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Sprintf("%.4g", v)
	}
	return text
}

// groups says of the sums of cuts who needs what.
func (r *Report) groups() []groupLine {
	var out []groupLine
	m := r.bundle.Manifest
	for _, g := range m.Groups {
		need := "is needed by itself"
		switch {
		case m.Maskable(g):
			need = "an additive group: only the sum is needed, which can be masked"
		case g.Additive:
			need = "an additive group: only the sum is needed"
		}
		out = append(out, groupLine{strings.Join(g.Cuts, " + "), need})
	}
	return out
}

func shapeText(shape []string) string {
	if len(shape) == 0 {
		return "a number"
	}
	return "[" + strings.Join(shape, ", ") + "]"
}

// statements are what a party computes, without what it sends and receives.
func statements(program *check.Program) []string {
	var out []string
	for _, s := range program.File.Stmts {
		switch s.(type) {
		case *ast.Program, *ast.Server, *ast.Client, *ast.Receive, *ast.Send, *ast.Transform:
		default:
			out = append(out, format.Stmt(s))
		}
	}
	return out
}

// pooledStatements are the statements of the model about the names of one party; those of the server include
// all that belongs to several.
func (r *Report) pooledStatements(party string) []string {
	m := r.model.Checked
	var out []string
	for _, s := range m.Order {
		owner := s.Owner
		if _, client := m.Client(owner); !client {
			owner = m.Server
		}
		if (s.Kind == check.Data || s.Kind == check.Param) && owner == party {
			out = append(out, format.Stmt(s.Decl))
		}
	}
	if party == m.Server {
		for _, l := range m.Likelihoods {
			out = append(out, format.Stmt(l.Stmt))
		}
	}
	return out
}

// crossing lists what crosses between the server and a client while a run goes on.
func crossing(rows []compile.Disclosure, client string) []compile.Disclosure {
	return slices.DeleteFunc(slices.Clone(rows), func(d compile.Disclosure) bool {
		return d.Often == "once" || d.From != client && d.To != client
	})
}
