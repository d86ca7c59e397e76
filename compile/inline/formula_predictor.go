package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// A pool is terms of one variable each with one prior and one owner, which have a matrix and a vector of
// coefficients.
type pool struct {
	key   string
	vars  []*variable
	from  []*ast.Column
	prior *ast.Dist
}

// predictor writes out the terms of the formula.
func (m *formula) predictor() {
	if m.design.intercept {
		b := m.param(m.called("b"), nil, m.interceptPrior(), m.responder())
		m.add(b.Owner, m.ref(b.Name.Name))
	}
	for _, e := range m.design.offsets {
		m.at = ast.At(e.Span())
		owner, _ := m.ownerOf(e, m.declared.Owners(e))
		m.add(owner, e)
	}
	for _, t := range m.design.terms {
		m.at = ast.At(t.at.Span())
		if p := m.priorOf(t); len(t.vars) > 1 || !m.pooled(t, p) {
			m.interaction(t, p)
		}
	}
	for _, p := range m.ungrouped {
		m.coefficients(p)
	}
	for _, g := range m.design.groups {
		m.at = ast.At(g.at.Span())
		m.effects(g)
	}
}

// called is a name of the formula: where a file has several formulas, with that of the response.
func (m *formula) called(name string) string {
	if left := plain(format.Expr(m.stmt.Left)); m.several && left != "" {
		return name + "_" + left
	}
	return name
}

// responder is the owner of what belongs to no term: the family that holds the response, or nobody, so
// that it is the server.
func (m *formula) responder() *ast.Ident {
	if name, one := m.declared.Owners(m.stmt.Left).Sole(); one && m.isFamily(name) {
		return &ast.Ident{At: m.at, Name: name}
	}
	return nil
}

// add adds a term of an owner to the predictor.
func (m *formula) add(owner *ast.Ident, e ast.Expr) {
	family := ""
	if r := m.responder(); owner != nil && m.isFamily(owner.Name) && (r == nil || r.Name != owner.Name) {
		family = owner.Name
	}
	if m.terms[family] == nil && family != "" {
		m.families = append(m.families, family)
	}
	m.terms[family] = append(m.terms[family], e)
}

// eta is the whole predictor; terms of a family are a sum over its members.
func (m *formula) eta() ast.Expr {
	list := m.terms[""]
	for _, f := range m.families {
		j := m.unique("j")
		var each func(e ast.Expr) ast.Expr
		each = func(e ast.Expr) ast.Expr {
			if n, ok := e.(*ast.Name); ok && m.owned[f][n.Name] {
				return m.index(n, m.ref(j))
			}
			return ast.Rebuild(e, each)
		}
		list = append(list, &ast.Sum{At: m.at, Body: each(m.sumOf(m.terms[f])), Var: m.ident(j),
			Family: &ast.Ident{At: m.at, Name: f}})
	}
	if len(list) == 0 {
		return m.num(0)
	}
	return m.sumOf(list)
}

// ownerOf is the party of a term: the one whose data it has, beside shared ones; nil for the server.
func (m *formula) ownerOf(at ast.Node, owners types.Owners) (*ast.Ident, bool) {
	switch {
	case len(owners) > 1:
		m.errorf(diag.AcrossParties, at, "%s has columns of %s: no party has both, so none can compute it",
			format.Expr(at.(ast.Expr)), strings.Join(owners, " and ")).
			Note("a term of each party adds up; for a product, give one party the other's column in its table, "+
				"or declare a column that all may know @ %s", check.Shared)
		return nil, false
	case len(owners) == 0 || owners[0] == check.DefaultServer:
		return nil, true
	}
	return &ast.Ident{At: m.at, Name: owners[0]}, true
}

// ownersOf joins those of the variables of a term.
func (m *formula) ownersOf(t term) (owners types.Owners) {
	for _, k := range t.vars {
		owners = owners.Join(m.byKey[k].owners)
	}
	return owners
}

// pooled puts a term of one variable into the matrix of its owner, if a matrix can hold it.
func (m *formula) pooled(t term, prior *ast.Dist) bool {
	v := m.byKey[t.vars[0]]
	if v.column == nil {
		return false
	}
	words := []string{format.Dist(prior), format.Expr(v.rows)}
	if v.owner != nil {
		words = append(words, "@ "+v.owner.Name)
	}
	if v.missing != nil {
		words = append(words, v.missing.Name)
	}
	key := strings.Join(words, " ")
	at := slices.IndexFunc(m.ungrouped, func(p *pool) bool { return p.key == key })
	if at < 0 {
		at = len(m.ungrouped)
		m.ungrouped = append(m.ungrouped, &pool{key: key, prior: prior})
	}
	p := m.ungrouped[at]
	p.vars = append(p.vars, v)
	p.from = append(p.from, m.columnOf(v, m.design.full(t, t.vars[0], m)))
	return true
}

// coefficients writes a pool: a number times one coefficient, or a matrix times a vector.
func (m *formula) coefficients(p *pool) {
	v := p.vars[0]
	m.at = v.at
	owner, _ := m.ownerOf(nil, v.owners)
	if len(p.vars) == 1 && v.kind == number {
		b := m.param(m.called("b_"+v.name), nil, p.prior, owner)
		m.add(owner, m.op(m.ref(b.Name.Name), "*", m.numbers(v)))
		return
	}
	suffix := ""
	switch {
	case len(p.vars) == 1:
		suffix = "_" + v.name
	case v.owner != nil && slices.ContainsFunc(m.ungrouped, func(q *pool) bool {
		return q != p && len(q.vars) > 1
	}):
		suffix = "_" + v.owner.Name
	}
	last := p.vars[len(p.vars)-1]
	m.at = ast.At(v.at.Span().Join(last.at.Span()))
	x, width := m.declare(m.called("X"+suffix), m.called("P"+suffix), v, p.from)
	b := m.param(m.called(stdlib.Coefficients+suffix), m.real(width), p.prior, owner)
	m.add(owner, m.op(m.ref(x), "*", m.ref(b.Name.Name)))
}

// interaction writes a term with a declaration of its own: products of numbers, of up to two categories or
// matrices, and coefficients.
func (m *formula) interaction(t term, prior *ast.Dist) {
	owner, ok := m.ownerOf(m.whole(t), m.ownersOf(t))
	if !ok {
		return
	}
	product, wide := m.factorsOf(t, m.design)
	if len(wide) > 2 {
		m.errorf(diag.BadFormula, t.at, "an interaction has at most two categories or matrices").
			Note("make one category of two of them in the table")
		return
	}
	var widths []ast.Expr
	for _, x := range wide {
		widths = append(widths, x.width)
	}
	var typ *ast.Type
	if len(widths) > 0 {
		typ = m.real(widths...)
	}
	b := m.ref(m.param(m.called("b_"+m.nameOf(t)), typ, prior, owner).Name.Name)
	switch len(wide) {
	case 0:
		m.add(owner, m.op(b, "*", product))
		return
	case 1:
		b = m.op(m.ref(wide[0].name), "*", b)
	case 2:
		b = m.call("rowdot", m.op(m.ref(wide[0].name), "*", b), m.ref(wide[1].name))
	}
	if product != nil {
		b = m.op(product, ".*", b)
	}
	m.add(owner, b)
}

// whole is a term as an expression, for messages.
func (m *formula) whole(t term) ast.Expr {
	if e, ok := t.at.(ast.Expr); ok && len(t.vars) == 1 {
		return e
	}
	return &ast.Name{At: ast.At(t.at.Span()), Name: strings.Join(t.vars, ":")}
}

func (m *formula) nameOf(t term) string {
	var names []string
	for _, k := range t.vars {
		names = append(names, m.byKey[k].name)
	}
	return strings.Join(names, "_")
}

// factorsOf is the product of the numbers of a term, nil where it has none, and the matrices of the others.
func (m *formula) factorsOf(t term, d *design) (product ast.Expr, wide []*matrix) {
	for _, k := range t.vars {
		switch v := m.byKey[k]; {
		case v.kind != number:
			wide = append(wide, m.matrixOf(v, d.full(t, k, m)))
		case product == nil:
			product = m.numbers(v)
		default:
			product = m.op(product, ".*", m.numbers(v))
		}
	}
	return product, wide
}
