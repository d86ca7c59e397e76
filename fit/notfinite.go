package fit

import (
	"math"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// notFinite says where in the model a density or gradient was not finite, and what to do.
func notFinite(b *compile.BoundModel, e *backends.NotFiniteError) error {
	m := b.Model
	code := diag.NoStart
	if e.Begun {
		code = diag.NotFinite
	}
	var at source.Span
	var l *check.Likelihood
	if e.Cause.Party != "" {
		at, l = statement(m, e.Cause)
	}
	var list diag.List
	d := list.Errorf(code, m.Source, at, "%v", e)
	if l != nil && blames(d, l, b.Suspects) {
		return &InitError{data.Errors(list)}
	}
	switch c := e.Cause; {
	case c.Party == "" && len(m.Checked.Clients) == 0:
		d.Note("the sum of the terms is not finite, although each of them is: covariates and responses of " +
			"very large values are centred and scaled")
	case c.Party == "":
		d.Note("what is not finite is at a party of another process, whose own report names it")
	case c.Kind == density.TermValue && l != nil && math.IsInf(c.Value, -1):
		d.Note("at the values that were tried, the data of this statement lie where its distribution has " +
			"no density; where a bound moves with parameters, write it as a number beyond all data " +
			"plus a positive parameter")
	case c.Kind == density.TermValue && l == nil && math.IsInf(c.Value, -1):
		d.Note("at the values that were tried, the parameter lies where its prior has no density; give it " +
			"the bounds of that prior, as real<lower=…, upper=…>")
	case c.Kind == density.CutValue:
		d.Note("the client's expression that is sent divides by 0, takes the logarithm of a number below " +
			"0, or grows beyond all numbers; centre and scale its data, or write it in another form")
	case c.Kind == density.GradientValue:
		d.Note("at such values of this parameter a derivative is beyond all numbers: predictors far from " +
			"where data are, of covariates of very large values or under a very wide " +
			"prior; centre and scale them")
	default:
		d.Note("an argument of this distribution is no number it can be, as the square root or the " +
			"logarithm of a number below 0, or a quotient by 0; covariates of very large " +
			"values are centred and scaled")
	}
	if e.Begun {
		d.Note("a smaller step size, and priors that keep parameters in the range of the data, help " +
			"where a fit went astray")
		return data.Errors(list)
	}
	d.Note("vflc run --inits FILE begins at values of yours")
	return &InitError{data.Errors(list)}
}

// blames notes what data alone make infinite in a likelihood. It reports whether there is anything.
func blames(d *diag.Diagnostic, l *check.Likelihood, suspects []lower.Suspect) bool {
	for _, s := range suspects {
		if s.Likelihood.Stmt != l.Stmt {
			continue
		}
		d.Note("%s", s)
	}
	if len(d.Notes) == 0 {
		return false
	}
	d.Note("whatever the parameters, this is not finite: correct the data, leave such rows out at every " +
		"party, or write an expression that is finite there")
	return true
}

// statement finds what a cause names in the model: a likelihood, or else a parameter, or the likelihood that
// a cut enters.
func statement(m *compile.Model, c density.Cause) (source.Span, *check.Likelihood) {
	name := c.Name
	// of a member
	if base, _, member := strings.Cut(name, "["); member && strings.HasSuffix(name, "]") &&
		m.Checked.Symbols[base] != nil {
		name = base
	}
	for _, l := range m.Cuts.Likelihoods {
		enters := func(z string) bool {
			for _, g := range l.Groups {
				for _, k := range g.Cuts {
					if k.Name == z {
						return true
					}
				}
			}
			return false
		}
		term := lower.Term(l.Stmt)
		if c.Kind == density.CutValue && enters(c.Name) || c.Kind == density.TermValue &&
			(term == name || strings.HasPrefix(name, term+"[")) {
			return l.Stmt.Span(), l.Likelihood
		}
	}
	prior, _, _ := strings.Cut(name, " ~ ")
	if s := m.Checked.Symbols[strings.TrimSpace(prior)]; s != nil {
		var at ast.Node = s.Ident
		if p, ok := s.Decl.(*ast.Param); ok {
			at = p
		}
		return at.Span(), nil
	}
	return source.Span{}, nil
}
