package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
)

// A design is what a formula says: terms with one coefficient or more, effects of groups, and offsets.
type design struct {
	intercept bool
	terms     []term
	groups    []*group
	offsets   []ast.Expr
}

// A term is a product of variables, in the order of their first place; the intercept has none.
type term struct {
	at   ast.Node
	vars []string // keys
}

// key is the same for the same variables in any order.
func (t term) key() string {
	return strings.Join(slices.Sorted(slices.Values(t.vars)), ":")
}

func (t term) has(v string) bool { return slices.Contains(t.vars, v) }

// without is the key of a term without one variable.
func (t term) without(v string) string {
	rest := slices.DeleteFunc(slices.Clone(t.vars), func(k string) bool { return k == v })
	return term{vars: rest}.key()
}

func (t term) times(u term) term {
	out := term{at: ast.At(t.at.Span().Join(u.at.Span())), vars: slices.Clone(t.vars)}
	for _, v := range u.vars {
		if !out.has(v) {
			out.vars = append(out.vars, v)
		}
	}
	return out
}

// A group is what stands in `(EFFECTS | GROUPING)`.
type group struct {
	at         *ast.Binary
	effects    *design
	factors    []string // names of levels; several are crossed
	correlated bool
}

// designOf reads a formula. Terms are in R's order: those of fewer variables first.
func (m *formula) designOf(e ast.Expr, grouped bool) *design {
	d := &design{intercept: true}
	m.sum(d, e, true, grouped)
	slices.SortStableFunc(d.terms, func(a, b term) int { return len(a.vars) - len(b.vars) })
	return d
}

// sum adds the terms of an expression to a design, or takes them from it.
func (m *formula) sum(d *design, e ast.Expr, plus, grouped bool) {
	switch e := e.(type) {
	case *ast.Binary:
		if e.Op == "+" || e.Op == "-" {
			m.sum(d, e.X, plus, grouped)
			m.sum(d, e.Y, plus == (e.Op == "+"), grouped)
			return
		}
	case *ast.Unary:
		if e.Op != "!" {
			m.sum(d, e.X, plus == (e.Op == "+"), grouped)
			return
		}
	case *ast.Number:
		if e.Text == "0" || e.Text == "1" {
			d.intercept = plus == (e.Text == "1")
			return
		}
	case *ast.Paren:
		if b, ok := e.X.(*ast.Binary); ok && bar(b) && plus && !grouped {
			d.groups = append(d.groups, m.grouping(b)...)
			return
		}
	case *ast.Call:
		if e.Name.Name == "offset" && len(e.Args) == 1 && plus && !grouped {
			d.offsets = append(d.offsets, e.Args[0])
			return
		}
	}
	for _, t := range m.product(e) {
		at := slices.IndexFunc(d.terms, func(o term) bool { return o.key() == t.key() })
		switch {
		case len(t.vars) == 0:
			d.intercept = plus
		case plus && at < 0:
			d.terms = append(d.terms, t)
		case !plus && at >= 0:
			d.terms = slices.Delete(d.terms, at, at+1)
		case !plus:
			m.errorf(diag.BadFormula, t.at, "there is no term %s before it to leave out", t.key())
		}
	}
}

func bar(b *ast.Binary) bool { return b.Op == "|" || b.Op == "||" }

// product returns the terms that an expression stands for.
func (m *formula) product(e ast.Expr) []term {
	switch e := e.(type) {
	case *ast.Paren:
		return m.product(e.X)
	case *ast.Number:
		if e.Text == "1" {
			return []term{{at: e}}
		}
	case *ast.Name, *ast.Call:
		if v := m.variable(e); v != nil {
			return []term{{at: e, vars: []string{v.key}}}
		}
		return nil
	case *ast.Binary:
		return m.operation(e)
	}
	m.errorf(diag.BadFormula, e, "%s does not stand in a formula", format.Expr(e)).
		Note("a formula has terms joined by + - : * / ^; a computed number is I(…), as I(age^2)")
	return nil
}

// operation returns the terms of an operator of formulas.
func (m *formula) operation(e *ast.Binary) []term {
	if e.Op == "^" {
		return m.power(e)
	}
	if !strings.Contains("+:*/", e.Op) {
		d := m.errorf(diag.BadFormula, e, "`%s` does not stand here in a formula", e.Op)
		if bar(e) {
			d.Note("effects of groups are a term in parentheses: + (1 + x | g)")
		} else {
			d.Note("a computed number is I(…), as I(age > 60); what is left out follows a + behind it, a + b - a")
		}
		return nil
	}
	a, b := m.product(e.X), m.product(e.Y)
	switch e.Op {
	case "+":
		return union(a, b)
	case ":":
		return crossed(a, b)
	case "*":
		return union(union(a, b), crossed(a, b))
	}
	whole := term{at: e}
	for _, t := range a {
		whole = whole.times(t)
	}
	return union(a, crossed([]term{whole}, b))
}

// power crosses a sum with itself: (a + b + c)^2 has the terms of up to two variables.
func (m *formula) power(e *ast.Binary) []term {
	n, ok := e.Y.(*ast.Number)
	if !ok || !n.Int || n.Value < 1 || n.Value > 9 {
		m.errorf(diag.BadFormula, e.Y, "the exponent in a formula is a whole number from 1 to 9").
			Note("(a + b + c)^2 stands for the interactions of two; a square is I(a^2)")
		return nil
	}
	base := m.product(e.X)
	out := base
	for range int(n.Value) - 1 {
		out = union(out, crossed(out, base))
	}
	return out
}

func union(a, b []term) []term {
	out := slices.Clone(a)
	for _, t := range b {
		if !slices.ContainsFunc(out, func(o term) bool { return o.key() == t.key() }) {
			out = append(out, t)
		}
	}
	return out
}

func crossed(a, b []term) []term {
	var out []term
	for _, t := range a {
		for _, u := range b {
			out = union(out, []term{t.times(u)})
		}
	}
	return out
}

// grouping reads `EFFECTS | GROUPING`; g/h groups by g, and by g and h.
func (m *formula) grouping(b *ast.Binary) []*group {
	if inner, ok := b.X.(*ast.Binary); ok && bar(inner) {
		m.errorf(diag.BadFormula, b, "effects of groups have one `|`").
			Note("correlations across terms, (1 | p | g) of brms, are written out: vflc fmt --expand begins it")
		return nil
	}
	effects := m.designOf(b.X, true)
	var out []*group
	add := func(factors []string) {
		out = append(out, &group{at: b, effects: effects, factors: factors, correlated: b.Op == "|"})
	}
	y := ast.Unparen(b.Y)
	nested, ok := y.(*ast.Binary)
	if !ok || nested.Op != "/" {
		add(m.factors(y))
		return out
	}
	outer := m.factors(nested.X)
	add(outer)
	add(append(slices.Clone(outer), m.factors(nested.Y)...))
	return out
}

// factors reads the levels by which effects are grouped: g, or g:h.
func (m *formula) factors(e ast.Expr) []string {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.Binary); ok && b.Op == ":" {
		return append(m.factors(b.X), m.factors(b.Y)...)
	}
	name, ok := e.(*ast.Name)
	if !ok {
		m.errorf(diag.BadFormula, e, "groups are the levels of a column, g, of several, g:h, or nested ones, g/h").
			Note("several of them are several terms, (1 | g) + (1 | h)")
		return nil
	}
	v := m.variable(name)
	if v != nil && v.kind != factor {
		d := m.errorf(diag.FormulaName, e, "%s is no category, so it groups nothing", name.Name)
		d.Note("declare it as data %s : level(%s)[N]", name.Name, strings.ToUpper(name.Name))
		return nil
	}
	return []string{name.Name}
}
