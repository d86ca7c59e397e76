package inline

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// An effect is a column, or the columns of a matrix, whose coefficients vary by groups.
type effect struct {
	name  string
	value ast.Expr // nil for the intercept, else the numbers or the matrix
	width ast.Expr // of a matrix
}

// effects writes the effects of groups: standard deviations, correlations, and a coefficient for each
// group.
func (m *formula) effects(g *group) {
	var owners types.Owners
	name := ""
	var levels, sizes []ast.Expr
	for _, f := range g.factors {
		v := m.byKey[f]
		owners = owners.Join(v.owners)
		name += "_" + v.name
		levels = append(levels, m.ref(f))
		sizes = append(sizes, m.sizeOf(f))
		m.own(v.owner, f)
	}
	for _, t := range g.effects.terms {
		owners = owners.Join(m.ownersOf(t))
	}
	owner, ok := m.ownerOf(&ast.Paren{At: m.at, X: g.at}, owners)
	if !ok {
		return
	}
	list := m.effectsOf(g)
	switch {
	case g.correlated && (len(list) > 1 || len(list) == 1 && list[0].width != nil):
		m.correlated(g, list, name, owner, levels, sizes)
	default:
		for _, e := range list {
			m.independent(e, name, owner, levels, sizes)
		}
	}
}

// sizeOf is how many levels a column has.
func (m *formula) sizeOf(name string) ast.Expr {
	switch l := m.declared[name].(*ast.Data).Type.Levels.(type) {
	case *ast.Array:
		return m.num(len(l.Elems))
	default:
		return l
	}
}

// effectsOf lists what varies by groups, numbers before matrices.
func (m *formula) effectsOf(g *group) (list []effect) {
	var wide []effect
	if g.effects.intercept {
		list = append(list, effect{})
	}
	for _, t := range g.effects.terms {
		product, matrices := m.factorsOf(t, g.effects)
		switch {
		case len(matrices) > 1:
			m.errorf(diag.BadFormula, t.at, "one category or matrix may vary by groups in a term")
		case len(matrices) == 0:
			list = append(list, effect{name: "_" + m.nameOf(t), value: product})
		default:
			x := m.ref(matrices[0].name)
			if product != nil {
				x = m.op(m.call("col", product), ".*", x)
			}
			wide = append(wide, effect{"_" + m.nameOf(t), x, matrices[0].width})
		}
	}
	return append(list, wide...)
}

// independent writes effects without correlations.
func (m *formula) independent(e effect, name string, owner *ast.Ident, levels, sizes []ast.Expr) {
	suffix := name + e.name
	var width *ast.Type
	shape := sizes
	if e.width != nil {
		width, shape = m.real(e.width), append(append([]ast.Expr{}, sizes...), e.width)
	}
	sd := m.ref(m.sdParam(suffix, name, width, owner))
	if e.width != nil {
		sd = m.call("row", sd)
	}
	u := m.param(m.called("u"+suffix), m.real(shape...), m.dist(stdlib.Effects, m.num(0), sd), owner)
	u.Noncentered = true
	m.add(owner, m.varying(e, m.ref(u.Name.Name), levels, nil, nil))
}

// varying is what one effect adds to the predictor: the coefficients of each row's group, or those from lo
// to hi of them, times the numbers.
func (m *formula) varying(e effect, u ast.Expr, levels []ast.Expr, lo, hi ast.Expr) ast.Expr {
	at := m.index(u, levels...).(*ast.Index)
	switch {
	case hi != nil:
		at.Args = append(at.Args, &ast.Subscript{At: m.at, Lo: lo, Hi: hi, Slice: true})
	case lo != nil:
		at.Args = append(at.Args, &ast.Subscript{At: m.at, Lo: lo})
	case e.width != nil:
		at.Args = append(at.Args, &ast.Subscript{At: m.at, Slice: true})
	}
	switch {
	case e.value == nil:
		return at
	case e.width != nil:
		return m.call("rowdot", e.value, at)
	}
	return m.op(at, ".*", e.value)
}

// correlated writes effects whose correlations have an LKJ prior: for each group standard normal numbers
// times the factor of their covariance; of crossed groups the vectors themselves.
func (m *formula) correlated(g *group, list []effect, name string, owner *ast.Ident, levels,
	sizes []ast.Expr) {
	k, scalars := ast.Expr(nil), 0
	for _, e := range list {
		if e.width == nil {
			scalars++
			continue
		}
		if k == nil {
			k = e.width
		} else {
			k = m.op(k, "+", e.width)
		}
	}
	switch {
	case k == nil:
		k = m.num(scalars)
	case scalars > 0:
		k = m.op(k, "+", m.num(scalars))
	}
	sd := m.sdParam(name, name, m.real(k), owner)
	l := m.param(m.called("L"+name), &ast.Type{At: m.at, Elem: m.ident("corr_cholesky"), Dims: []ast.Expr{k}},
		m.corPrior(name), owner).Name.Name
	scale := m.op(m.call("col", m.ref(sd)), ".*", m.ref(l))
	shape := append(append([]ast.Expr{}, sizes...), k)
	u := m.called("u" + name)
	if len(sizes) > 1 {
		u = m.param(u, m.real(shape...), m.dist(stdlib.EffectVectors, m.num(0), scale), owner).Name.Name
	} else {
		z := m.param(m.called("z"+name), m.real(shape...), m.dist(stdlib.Effects, m.num(0), m.num(1)), owner)
		u = m.unique(u)
		m.lets = append(m.lets, &ast.Let{At: m.at, Name: m.ident(u), Owner: m.familyOnly(owner),
			Value: m.op(m.ref(z.Name.Name), "*", &ast.Transpose{At: m.at, X: &ast.Paren{At: m.at, X: scale}})})
		m.own(owner, u)
	}
	if scalars == 2 && len(list) == 2 { // the correlation
		m.generated = append(m.generated, &ast.Generate{At: m.at, Owner: m.familyOnly(owner),
			Name: m.ident(m.unique(m.called("cor" + name))), Value: m.index(m.ref(l), m.num(2), m.num(1))})
	}
	var before ast.Expr
	for i, e := range list {
		switch {
		case e.width == nil:
			before = m.num(i + 1)
			m.add(owner, m.varying(e, m.ref(u), levels, before, nil))
		case before == nil:
			m.add(owner, m.varying(e, m.ref(u), levels, m.num(1), e.width))
			before = e.width
		default:
			last := m.op(before, "+", e.width)
			m.add(owner, m.varying(e, m.ref(u), levels, m.op(before, "+", m.num(1)), last))
			before = last
		}
	}
}

// familyOnly is an owner that must be written where nothing else tells it: that of a family.
func (m *formula) familyOnly(owner *ast.Ident) *ast.Ident {
	if owner != nil && m.isFamily(owner.Name) {
		return owner
	}
	return nil
}
