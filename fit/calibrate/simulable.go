package calibrate

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/model"
)

// Simulable reports what keeps the parameters of a model from being drawn from their priors, or its responses
// from being replaced by simulated values: the places, and what to write instead.
func Simulable(b *compile.BoundModel, m *model.SimulatedModel) (diags diag.List) {
	report := func(at ast.Node, way, format string, args ...any) {
		diags.Errorf(diag.Undrawable, b.Source, at.Span(), format, args...).Note("%s", way)
	}
	diags = append(diags, fit.Improper(b, m)...)
	for _, l := range b.Checked.Likelihoods {
		switch {
		case l.Factor():
			report(l.Stmt, "write it as a likelihood, y ~ DIST(…), where it is the density of data",
				"the model has a factor, which is a term of the density and not a distribution to draw from")
		case l.Dist.Joint() != "":
			report(l.Stmt,
				"draw times from another distribution of times, such as weibull, and fit this model to them",
				"the model has %s, a likelihood of all rows together that is no distribution to draw from",
				l.Dist.Name)
		}
	}
	for k := range m.Responses {
		if why, way := replaceable(b, m, k); why != "" {
			report(likelihood(b, &m.Responses[k]), way, "%s", why)
		}
	}
	return diags
}

// likelihood is the statement of a response.
func likelihood(b *compile.BoundModel, y *model.Response) ast.Node {
	for _, l := range b.Checked.Likelihoods {
		if !l.Factor() && format.Expr(l.Stmt.Left) == y.Left {
			return l.Stmt.Left
		}
	}
	return b.File
}

// replaceable returns why a response cannot be drawn, or not be put in place of the observed one, and what to
// do; "" if it can.
func replaceable(b *compile.BoundModel, m *model.SimulatedModel, k int) (why, way string) {
	y := m.Responses[k]
	switch {
	case y.Left == "": // a factor, told above
		return "", ""
	case y.Data == "":
		return fmt.Sprintf("the left side of a likelihood is %s; new data can be drawn only where it is "+
				"the name of data, or a part of them as y[2:T]", y.Left),
			"declare the data as the model sees them: the transformed column in place of the transformation"
	case y.Weighted:
		return fmt.Sprintf("the likelihood of %s has weights, so it is not a distribution to draw data from",
			y.Name), "leave the weights out of the model that you simulate"
	}
	if err := y.Drawable(); err != nil {
		return err.Error(), "draw from a model in which it has a generator, and fit this one to the tables"
	}
	for j, other := range m.Responses {
		if j != k && other.Data == y.Data && other.Holder == y.Holder && overlap(&y, &other) {
			return fmt.Sprintf("%s has two likelihoods, and data can be drawn from only one", y.Data),
				"simulate a model with one of them"
		}
	}
	return "", ""
}

// overlap reports whether two left sides have an element of the same data in common.
func overlap(a, b *model.Response) bool {
	if a.Elements == nil || b.Elements == nil {
		return true
	}
	return slices.ContainsFunc(a.Elements, func(i int) bool { return slices.Contains(b.Elements, i) })
}
