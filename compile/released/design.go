// Package released finds in a model under transform private what is released of its rows, and writes the
// model of the posterior given a release.
package released

import (
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/stdlib/dist"
)

// A Design is a likelihood of rows that second moments suffice for.
type Design struct {
	Response release.BoundedColumn // its name is that of its declaration
	Family   string
	Scale    ast.Expr // of a normal response; nil: it is binary
	Offset   []string // terms of the predictor without columns, as they are written
	Terms    []ReleasedTerm
	program  *check.Program
}

// A ReleasedTerm is a column, or a matrix of columns, times what the parameters make of it.
type ReleasedTerm struct {
	Column release.BoundedColumn
	By     string // as it is written: a number, or a vector with a number for each column of a matrix
	Matrix string // the name of the size of its columns; "": it is one column
	// what is known of each column of a matrix, where encoders tell; nil: all are as Column
	Within []release.BoundedColumn
	// the categories of a level, each of which but the first is a column of 0 and 1; nil: it is none
	Levels []string
}

// at is the k-th of the columns, counted from 0.
func (t ReleasedTerm) at(k int) release.BoundedColumn {
	c := t.Column
	if t.Within != nil {
		of := t.Within[k]
		c.Lower, c.Upper, c.Binary = of.Lower, of.Upper, of.Binary
	}
	return c
}

// finder reads a model.
type finder struct {
	*check.Program
	d     *Design
	diags diag.List
}

// Of finds the design of a model, and reports why it has none.
func Of(p *check.Program) (*Design, diag.List) {
	f := &finder{Program: p, d: &Design{program: p}}
	f.statements()
	if len(p.Likelihoods) != 1 {
		at := ast.Node(p.File.Stmts[len(p.File.Stmts)-1])
		f.refuse(at, "a release is of a model with one likelihood, and this one has %d", len(p.Likelihoods))
		return nil, f.diags
	}
	f.likelihood(p.Likelihoods[0])
	if f.diags.HasErrors() {
		return nil, f.diags
	}
	if len(f.d.Terms) == 0 {
		f.refuse(p.Likelihoods[0].Stmt, "the predictor has no column")
	}
	return f.d, f.diags
}

func (f *finder) refuse(at ast.Node, text string, args ...any) {
	f.diags.Errorf(diag.NotReleased, f.File.Source, at.Span(), text, args...).
		Note("releases are of `y ~ normal(a + b * x + X * c + u[g], sigma)`, or bernoulli_logit of such a " +
			"predictor; `transform exact` and others take any model, without a budget")
}

// statements refuses what the model of a posterior does not have.
func (f *finder) statements() {
	for _, s := range f.File.Stmts {
		switch s := s.(type) {
		case *ast.Generate, *ast.Weight, *ast.Factor, *ast.Contribution:
			f.refuse(s, "a model under transform private has parameters, lets and one likelihood alone")
		case *ast.Param:
			if sym := f.Symbols[s.Name.Name]; sym != nil && (sym.Family || f.reads(s.Dist) || s.Type != nil &&
				f.reads(s.Type)) {
				f.refuse(s, "%s is of a family, or data stand in its declaration", s.Name.Name)
			}
		}
	}
}

func (f *finder) likelihood(l *check.Likelihood) {
	s := l.Stmt
	name, ok := s.Left.(*ast.Name)
	switch {
	case l.Family != "" || s.Truncate != nil || s.Censor != nil || s.Weights != nil || !ok ||
		f.Symbols[name.Name].Kind != check.Data:
		f.refuse(s, "a release is of one column of responses, without truncate, censor or weights")
		return
	case l.Dist.Name != dist.Normal().Name && l.Dist.Name != dist.BernoulliLogit().Name:
		f.refuse(s.Dist, "%s is a distribution of which no posterior given a release is known here",
			l.Dist.Name)
		return
	}
	f.d.Family = l.Dist.Name
	f.d.Response = f.column(name).Column
	switch {
	case len(l.Args) == 1 && !f.d.Response.Binary:
		f.refuse(s.Left, "the response of %s is declared as binary", l.Dist.Name)
	case len(l.Args) == 1:
	case f.reads(l.Args[1]) || len(f.Info[l.Args[1]].Type.Dims) > 0:
		f.refuse(l.Args[1], "the scale of a released response is one number, without data")
	default:
		f.d.Scale = l.Args[1]
	}
	f.terms(l.Args[0], false)
}

// terms takes a sum apart.
func (f *finder) terms(e ast.Expr, minus bool) {
	switch x := e.(type) {
	case *ast.Paren:
		f.terms(x.X, minus)
		return
	case *ast.Unary:
		if x.Op != "!" {
			f.terms(x.X, minus != (x.Op == "-"))
			return
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			f.terms(x.X, minus)
			f.terms(x.Y, minus != (x.Op == "-"))
			return
		}
	case *ast.Name:
		if s := f.Symbols[x.Name]; s.Kind == check.Let && f.reads(x) {
			f.terms(s.Decl.(*ast.Let).Value, minus)
			return
		}
	}
	switch {
	case !f.reads(e) && len(f.Info[e].Type.Dims) == 0:
		f.d.Offset = append(f.d.Offset, signed(minus)+"("+format.Expr(e)+")")
	case !f.effect(e, minus) && !f.product(e, minus):
		f.refuse(e, "this term is neither a number of parameters nor a column times one")
	}
}

func signed(minus bool) string {
	if minus {
		return "-"
	}
	return ""
}

// product takes a column, or a matrix of columns, and what it is multiplied by.
func (f *finder) product(e ast.Expr, minus bool) bool {
	var data []*ast.Name
	var rest []string
	whole := true
	vector := false
	for _, x := range factors(e, nil) {
		name, ok := x.(*ast.Name)
		switch {
		case ok && f.Symbols[name.Name].Kind == check.Data:
			data = append(data, name)
		case f.reads(x):
			whole = false
		default:
			vector = vector || len(f.Info[x].Type.Dims) > 0
			rest = append(rest, "("+format.Expr(x)+")")
		}
	}
	if !whole || len(data) != 1 || len(rest) == 0 {
		return false
	}
	t := f.column(data[0])
	if vector != (t.Matrix != "") || vector && len(rest) != 1 {
		return false
	}
	by := rest[0]
	for _, r := range rest[1:] {
		by += " * " + r
	}
	if slices.ContainsFunc(f.d.Terms, func(o ReleasedTerm) bool {
		return o.Column.Name == t.Column.Name
	}) || t.Column.Name == f.d.Response.Name {
		return false
	}
	t.By = signed(minus) + by
	f.d.Terms = append(f.d.Terms, t)
	return true
}

// effect takes what each category of a level has, as u[g].
func (f *finder) effect(e ast.Expr, minus bool) bool {
	x, ok := e.(*ast.Index)
	if !ok || len(x.Args) != 1 || x.Args[0].Slice || f.reads(x.X) || len(f.Info[x.X].Type.Dims) != 1 {
		return false
	}
	name, ok := x.Args[0].Lo.(*ast.Name)
	if !ok || f.Symbols[name.Name].Kind != check.Data {
		return false
	}
	t := f.column(name)
	decl := f.Symbols[name.Name].Decl.(*ast.Data)
	size := format.Expr(decl.Type.Levels)
	listed := f.Levels[size]
	if n, fixed := f.ConstValue(decl.Type.Levels); listed == nil && fixed {
		for k := range int(n) {
			listed = append(listed, strconv.Itoa(k+1))
		}
	}
	if len(listed) < 2 {
		f.unbounded(name, "the categories of %s are those that its rows have, or one", name.Name)
	}
	t.By, t.Matrix, t.Levels = signed(minus)+"("+format.Expr(x.X)+")", size, listed
	f.d.Terms = append(f.d.Terms, t)
	return true
}

func factors(e ast.Expr, out []ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.Paren:
		return factors(x.X, out)
	case *ast.Binary:
		if x.Op == "*" || x.Op == ".*" {
			return factors(x.Y, factors(x.X, out))
		}
	}
	return append(out, e)
}

// column is a declaration as one that is released. Its bounds are declared, or those that encoders have
// whatever the rows are.
func (f *finder) column(n *ast.Name) (t ReleasedTerm) {
	s := f.Symbols[n.Name]
	decl, ok := s.Decl.(*ast.Data)
	dims := s.Type.Dims
	if !ok || s.Family || len(dims) < 1 || len(dims) > 2 || decl.Missing != nil {
		f.refuse(n, "%s is no column, or matrix of columns, of rows that are all there", n.Name)
		return t
	}
	owner := s.Owner
	if owner == check.Shared { // everybody has it; it is counted once
		owner = f.Server
	}
	t.Column = release.BoundedColumn{Name: s.Name, Owner: owner, Binary: decl.Type.Elem.Name == "binary" ||
		s.Type.Levels != nil, Upper: 1}
	if len(dims) == 2 {
		t.Matrix = format.Expr(decl.Type.Dims[1])
	}
	within, ok := f.encoded(decl)
	if t.Column.Binary || !ok {
		return t
	}
	all := release.BoundedColumn{Lower: math.Inf(-1), Upper: math.Inf(1)}
	if s.Lower != nil && s.Upper != nil && decl.Type.Elem.Name == "real" {
		lower, below := f.ConstValue(s.Lower)
		upper, above := f.ConstValue(s.Upper)
		if below && above {
			all.Lower, all.Upper = lower, upper
		}
	}
	for k, of := range within {
		within[k] = narrower(all, of)
	}
	if len(within) == 0 {
		within = []release.BoundedColumn{all}
	}
	if decl.Type.Elem.Name != "real" || slices.ContainsFunc(within, func(c release.BoundedColumn) bool {
		return !(c.Lower < c.Upper) || math.IsInf(c.Lower, 0) || math.IsInf(c.Upper, 0)
	}) {
		f.unbounded(n, "%s has no public bounds", n.Name)
		return t
	}
	c := &t.Column
	c.Lower, c.Upper, c.Binary = within[0].Lower, within[0].Upper, within[0].Binary
	if t.Matrix != "" && slices.ContainsFunc(within, func(of release.BoundedColumn) bool {
		return of != within[0]
	}) {
		c.Binary, t.Within = false, within
	}
	return t
}

// narrower is what is known of a column from its declaration and its encoder together.
func narrower(declared, encoded release.BoundedColumn) release.BoundedColumn {
	encoded.Lower, encoded.Upper = max(declared.Lower, encoded.Lower), min(declared.Upper, encoded.Upper)
	encoded.Binary = encoded.Binary && encoded.Lower == 0 && encoded.Upper == 1
	return encoded
}

// encoded is what encoders tell of each column of a declaration, whatever the rows are. It refuses those
// whose bounds follow from the rows, and is not ok then.
func (f *finder) encoded(decl *ast.Data) (within []release.BoundedColumn, ok bool) {
	ok = true
	for _, from := range decl.From {
		of := release.BoundedColumn{Lower: math.Inf(-1), Upper: math.Inf(1)}
		if from.Encoder != nil {
			e, _ := f.Universe.Encoder(from.Encoder.Name)
			if e.Bounds == nil {
				f.unbounded(from, "the bounds of %s follow from the rows", e.Name)
				ok = false
				continue
			}
			args := check.EncoderArguments(e, from)
			if args.Star {
				f.unbounded(from, "%s(*) leaves open how many columns there are: name them", e.Name)
				ok = false
				continue
			}
			options, _ := e.Settings(args.Count(), args.Further, args.Named) // which are checked
			of.Lower, of.Upper = e.Bounds(options)
			of.Binary = e.Whole && of.Lower == 0 && of.Upper == 1
			if e.Each() {
				within = append(within, slices.Repeat([]release.BoundedColumn{of}, len(args.Columns)-1)...)
			}
		}
		within = append(within, of)
	}
	return within, ok
}

func (f *finder) unbounded(at ast.Node, text string, args ...any) {
	f.diags.Errorf(diag.NoBounds, f.File.Source, at.Span(), text, args...).
		Note("write `data age : real<lower=0, upper=120>[N]` with bounds that are known without the rows, " +
			"`data X : real[N, 2] from clip(age, 0, 120), clip(bmi, 10, 60)`, `binary`, or " +
			"`levels R = \"A\", \"B\"` for `data g : level(R)[N]`")
}

// reads reports whether data stand in an expression or in the lets that it names.
func (f *finder) reads(n ast.Node) (found bool) {
	ast.Walk(n, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || found {
			return !found
		}
		if s := f.Symbols[name.Name]; s != nil {
			found = s.Kind == check.Data || s.Kind == check.Let && f.reads(s.Decl.(*ast.Let).Value)
		}
		return !found
	})
	return found
}
