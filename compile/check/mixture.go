package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// mixture resolves mixture(w, DIST(…), DIST(…), …): weights first, then components. One weight of two
// components is the share of the first; else there is one for each component, or one vector of them.
func (c *checker) mixture(d *ast.Dist) (*def.Dist, []ast.Expr) {
	var components []*def.Dist
	var weights, args []ast.Expr
	good := true
	for _, a := range d.Args {
		call, ok := a.Value.(*ast.Call)
		ok = ok && (c.isDist(call.Name.Name) || !c.isFunction(call.Name.Name) && !ast.IsDensity(call))
		switch {
		case a.Name != nil:
			c.errorf(diag.BadMixture, a, "the arguments of a mixture have no names").Note("%s", mixtureForm)
			return nil, nil
		case ok:
			component, with := c.component(call)
			good = good && component != nil
			components, args = append(components, component), append(args, with...)
		case len(components) > 0:
			c.errorf(diag.BadMixture, a,
				"this is no distribution: behind the weights stand the components").Note("%s", mixtureForm)
			return nil, nil
		default:
			_, typed := c.expr(a.Value)
			good = good && typed
			weights = append(weights, a.Value)
		}
	}
	if !good {
		return nil, nil
	}
	weights, ok := c.weights(d, weights, len(components))
	if !ok || !c.alike(d, components) {
		return nil, nil
	}
	out := stdlib.Mixture(components, len(weights))
	return &out, append(args, weights...)
}

const mixtureForm = "a mixture is y ~ mixture(w, normal(m1, s1), normal(m2, s2)) with w the share of the " +
	"first, or mixture(w, …) with a vector of weights, one for each component"

// component resolves one component of a mixture.
func (c *checker) component(call *ast.Call) (*def.Dist, []ast.Expr) {
	d := &ast.Dist{At: call.At, Name: call.Name}
	for _, a := range call.Args {
		d.Args = append(d.Args, &ast.Arg{At: ast.At(a.Span()), Value: a})
	}
	dist, args := c.dist(d)
	if dist == nil {
		return nil, nil
	}
	for _, a := range args {
		if _, typed := c.Info[a]; a != nil && !typed {
			return nil, nil
		}
	}
	if !c.constants(dist, args) {
		return nil, nil
	}
	return dist, args
}

// weights makes one weight for each component, or one for the first of two.
func (c *checker) weights(d *ast.Dist, weights []ast.Expr, components int) ([]ast.Expr, bool) {
	switch {
	case components < 2:
		c.errorf(diag.BadMixture, d, "a mixture has two components or more, but here %s",
			map[bool]string{true: "is one", false: "is none"}[components == 1]).Note("%s", mixtureForm)
		return nil, false
	case len(weights) == components || len(weights) == 1 && components == 2 && !c.lists(weights[0]):
		return weights, true
	case len(weights) == 1 && c.lists(weights[0]):
		return c.elements(d, weights[0], components)
	}
	c.errorf(diag.BadMixture, d, "%s and %s do not make a mixture", count(len(weights), "weight"),
		count(components, "component")).Note("%s", mixtureForm)
	return nil, false
}

// lists reports whether a weight is a vector of weights: one whose length is a number.
func (c *checker) lists(w ast.Expr) bool {
	dims := c.Info[w].Type.Dims
	if len(dims) != 1 {
		return false
	}
	_, known := c.fixedLength(dims[0])
	return known
}

// fixedLength is the value of a size that is a number, or the name of a const.
func (c *checker) fixedLength(s types.Size) (int, bool) {
	n, err := s.Eval(func(name string) (int, bool) {
		if sym := c.Symbols[name]; sym != nil && sym.Kind == Const {
			return int(sym.Value), true
		}
		return 0, false
	})
	return n, err == nil
}

// elements takes a vector of weights apart.
func (c *checker) elements(d *ast.Dist, w ast.Expr, components int) ([]ast.Expr, bool) {
	n, _ := c.fixedLength(c.Info[w].Type.Dims[0])
	if n != components {
		c.errorf(diag.BadMixture, w, "%s for %s", count(n, "weight"),
			count(components, "component")).Note("%s", mixtureForm)
		return nil, false
	}
	var out []ast.Expr
	for k := range n {
		at := ast.At(w.Span())
		e := &ast.Index{At: at, X: w,
			Args: []*ast.Subscript{{At: at, Lo: &ast.Number{At: at, Value: float64(k + 1), Int: true}}}}
		if _, ok := c.expr(e); !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

// alike checks that the components give the same values, whatever their parameters are.
func (c *checker) alike(d *ast.Dist, components []*def.Dist) bool {
	first := components[0]
	for _, k := range components {
		switch {
		case k.Event != nil:
			c.errorf(diag.BadMixture, d,
				"the components of a mixture are distributions of numbers, and %s is "+
					"one of vectors or matrices", k.Name).
				Note("write factor log_sum_exp(log(w) + %s%s(y | …), …), a term for each vector or matrix",
					k.Name, lpdf(k))
			return false
		case k.Support != first.Support || k.Discrete != first.Discrete:
			c.errorf(diag.BadMixture, d,
				"the components of a mixture have one support, but a value of %s is %s, and one of %s is %s",
				first.Name, first.Words(paramNames(first)), k.Name, k.Words(paramNames(k)))
			return false
		case slices.Contains([]def.Support{def.Interval, def.FromFirst}, k.Support):
			c.errorf(diag.BadMixture, d,
				"the support of %s depends on its parameters: a mixture has one support for all components",
				k.Name).
				Note("write factor log_sum_exp(log(w) + %s_lpdf(y | …), …)", k.Name)
			return false
		}
	}
	return true
}

func paramNames(d *def.Dist) []string {
	names := make([]string, len(d.Params))
	for i, p := range d.Params {
		names[i] = p.Name
	}
	return names
}
