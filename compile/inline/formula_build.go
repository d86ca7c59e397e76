package inline

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// imputing is the word behind `missing` of columns whose missing cells are parameters, which no matrix
// holds.
const imputing = "impute"

// What is written has the place of the term that it comes from.

func (m *formula) ident(name string) ast.Ident { return ast.Ident{At: m.at, Name: name} }

func (m *formula) ref(name string) ast.Expr { return &ast.Name{At: m.at, Name: name} }

func (m *formula) num(k int) ast.Expr {
	return &ast.Number{At: m.at, Text: digits(k), Value: float64(k), Int: true}
}

func (m *formula) op(x ast.Expr, op string, y ast.Expr) ast.Expr {
	return &ast.Binary{At: m.at, Op: op, OpAt: m.at.Span(), X: m.inner(x, op), Y: m.inner(y, op)}
}

// inner is an operand, in parentheses where a sum would end at the operator.
func (m *formula) inner(x ast.Expr, op string) ast.Expr {
	if b, ok := x.(*ast.Binary); ok && (ast.Precedence(b.Op) < ast.Precedence(op) || b.Op != op && op != "+") {
		return &ast.Paren{At: m.at, X: x}
	}
	return x
}

func (m *formula) call(name string, args ...ast.Expr) ast.Expr {
	return &ast.Call{At: m.at, Name: m.ident(name), Args: args}
}

func (m *formula) index(of ast.Expr, at ...ast.Expr) ast.Expr {
	out := &ast.Index{At: m.at, X: of}
	for _, e := range at {
		out.Args = append(out.Args, &ast.Subscript{At: m.at, Lo: e})
	}
	return out
}

func (m *formula) real(dims ...ast.Expr) *ast.Type {
	return &ast.Type{At: m.at, Elem: m.ident("real"), Dims: dims}
}

// sumOf joins terms by +, without parentheses around the later ones that a sum has.
func (m *formula) sumOf(list []ast.Expr) ast.Expr {
	out := list[0]
	for _, e := range list[1:] {
		out = m.op(out, "+", e)
	}
	return out
}

// owned notes that a name belongs to a family of clients, each member of which has its own.
func (m *formula) own(owner *ast.Ident, names ...string) {
	if owner == nil || !m.isFamily(owner.Name) {
		return
	}
	if m.owned[owner.Name] == nil {
		m.owned[owner.Name] = map[string]bool{}
	}
	for _, n := range names {
		m.owned[owner.Name][n] = true
	}
}

func (m *formula) isFamily(name string) bool {
	c, ok := m.declared[name].(*ast.Client)
	return ok && slices.ContainsFunc(c.Clients, func(f *ast.Family) bool {
		return f.Name.Name == name && f.Count != nil
	})
}

// param declares a parameter and returns its name.
func (m *formula) param(name string, t *ast.Type, prior *ast.Dist, owner *ast.Ident) *ast.Param {
	p := &ast.Param{At: m.at, Name: m.ident(m.unique(name)), Type: t, Dist: prior, Owner: owner}
	m.params = append(m.params, p)
	m.own(owner, p.Name.Name)
	return p
}

// declare declares data from columns and returns the name. A matrix has a size for its columns.
func (m *formula) declare(name, size string, of *variable,
	from []*ast.Column) (data string, width ast.Expr) {
	dims := []ast.Expr{of.rows}
	if size != "" {
		width = m.ref(m.unique(size))
		dims = append(dims, width)
	}
	d := &ast.Data{At: m.at, Name: m.ident(m.unique(name)), Type: m.real(dims...), Owner: of.owner,
		From: from, Missing: of.missing}
	m.data = append(m.data, d)
	m.own(of.owner, d.Name.Name)
	return d.Name.Name, width
}

// numbers is the array of a variable that is a number a row.
func (m *formula) numbers(v *variable) ast.Expr {
	if v.value == nil {
		name, _ := m.declare(v.name, "", v, []*ast.Column{v.column})
		v.value = m.ref(name)
	}
	if name, ok := v.value.(*ast.Name); ok {
		if d, is := m.declared[name.Name].(*ast.Data); is {
			m.own(d.Owner, name.Name)
		}
	}
	return v.value
}

// A matrix is what a variable with several columns is coded as.
type matrix struct {
	name  string
	width ast.Expr
}

// columnOf is what a variable is in a `from` clause. A category is coded by its differences from the
// first, or with a column for each.
func (m *formula) columnOf(v *variable, full bool) *ast.Column {
	if v.kind != factor {
		column := *v.column
		return &column
	}
	out := &ast.Column{At: v.at, Encoder: &ast.Ident{At: v.at, Name: "onehot"},
		Args: []*ast.ColumnArg{{At: v.at, Column: sourceOf(v.column)}}}
	if !full {
		drop := &ast.ColumnArg{At: v.at, Key: &ast.Ident{At: v.at, Name: "drop"}}
		if n, ok := wholeNumber(v.first); ok {
			drop.Number = n
		} else {
			drop.Column = &ast.ColumnName{At: v.at, Name: "first"}
			if v.first != "" {
				drop.Column = &ast.ColumnName{At: v.at, Name: v.first}
			}
		}
		out.Args = append(out.Args, drop)
	}
	return out
}

func wholeNumber(text string) (*ast.Number, bool) {
	n := &ast.Number{Text: text, Int: true}
	for _, r := range text {
		if r < '0' || r > '9' {
			return nil, false
		}
		n.Value = float64(n.Value*10) + float64(r-'0')
	}
	return n, text != ""
}

// matrixOf declares the columns of a variable by themselves, once for each coding.
func (m *formula) matrixOf(v *variable, full bool) *matrix {
	if v.kind == columns && v.column == nil {
		name := v.value.(*ast.Name).Name
		m.own(v.owner, name)
		return &matrix{name, v.width}
	}
	key, name := v.key, v.name
	if full && v.kind == factor {
		key, name = key+" ", name+"_all"
	}
	if m.coded[key] == nil {
		data, width := m.declare("X_"+name, "P_"+name, v, []*ast.Column{m.columnOf(v, full)})
		m.coded[key] = &matrix{data, width}
	}
	return m.coded[key]
}

// full reports whether a category in a term has a column for each of its values: where the term without it
// is not in the formula, by R's rule.
func (d *design) full(t term, v string, m *formula) bool {
	if rest := t.without(v); rest != "" {
		return !slices.ContainsFunc(d.terms, func(o term) bool { return o.key() == rest })
	}
	if d.intercept {
		return false
	}
	for _, o := range d.terms { // without an intercept the first category stands for it
		for _, w := range o.vars {
			if m.byKey[w].kind == factor {
				return o.key() == t.key() && w == v
			}
		}
	}
	return false
}
