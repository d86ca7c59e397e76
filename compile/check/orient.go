package check

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// What goes element by element has equal shapes or is a number. An array beside one with more axes, as a
// vector beside a matrix, is written as `row(v)` or `col(v)`: nothing is read as one of them.

// elementwise gives the shape of an operator that goes element by element.
func (c *checker) elementwise(e *ast.Binary, x, y types.Type) ([]types.Size, bool) {
	dims, fits := types.Elementwise(x.Dims, y.Dims)
	switch {
	case fits:
		return dims, true
	case len(x.Dims) == len(y.Dims):
		c.errorf(diag.Broadcast, e, "%s and %s do not go together under `%s`", x, y, e.Op).
			Note("sizes are equal where they are the same name or number; a size of 1 goes with any")
	default:
		c.oriented(c.errorf(diag.Broadcast, e, "%s and %s do not go together under `%s`", x, y, e.Op), e)
	}
	return nil, false
}

// oriented offers the ways in which the operand of fewer axes goes with the other, with a dot at a product.
func (c *checker) oriented(d *diag.Diagnostic, e *ast.Binary) {
	small, large := e.X, e.Y
	if len(c.Info[e.X].Type.Dims) > len(c.Info[e.Y].Type.Dims) {
		small, large = e.Y, e.X
	}
	span, before, behind := small.Span(), "", ""
	if e.Op == "*" {
		if span = span.Join(e.OpAt); small == e.X {
			behind = c.between(small.Span(), e.OpAt) + "." + e.Op
		} else {
			before = "." + e.Op + c.between(e.OpAt, small.Span())
		}
	}
	if places := c.readings(d, small, large, span, before, behind); places && d.Code == diag.Broadcast {
		d.Code = diag.Orientation
	}
	n, named := ast.Unparen(large).(*ast.Name)
	if !named || !strings.HasSuffix(e.Op, "*") {
		return
	}
	if s := c.Symbols[n.Name]; s != nil && s.Structure != nil && s.Structure.Support == def.CorrCholesky {
		d.Note("the factor of a covariance with these standard deviations is %s .* %s",
			axes(types.Place{Behind: 1}, small), n.Name)
	}
}

// between is the text between two places.
func (c *checker) between(a, b source.Span) string {
	if a.End > b.Start { // of a call
		return " "
	}
	return c.File.Source.Text[a.End:b.Start]
}

// readings offers the ways to write an array so that it goes with one of more axes, with words before and
// behind, and reports whether there are any.
func (c *checker) readings(d *diag.Diagnostic, small, large ast.Expr, at source.Span,
	before, behind string) bool {
	a, b := c.Info[small].Type, c.Info[large].Type
	var places []types.Place
	if a.Elem != types.Level { // of which there are no rows
		places = types.Places(a.Dims, b.Dims, together)
	}
	c.write(d, places, small, described(large), at, before, behind)
	switch {
	case len(places) > 0 || a.Elem == types.Level:
	case len(a.Dims) == 1 && len(b.Dims) == 2:
		d.Note("row(v) has an element for each of the %s columns, col(v) one for each of the %s rows",
			b.Dims[1], b.Dims[0])
	default:
		d.Note("row(v) has an axis of size 1 before those of v, and col(v) one behind them")
	}
	if m := c.oneColumn(large, a); m != nil {
		d.Note("%s is a matrix of one column, %s: as a vector it is %s[:, 1]", m.Name, c.Info[m].Type, m.Name)
	}
	return len(places) > 0
}

// together reports whether axes go with each other element by element.
func together(a, b []types.Size) bool {
	_, ok := types.Broadcast(a, b)
	return ok
}

// write offers an array at each of some places.
func (c *checker) write(d *diag.Diagnostic, places []types.Place, e ast.Expr, large string, at source.Span,
	before, behind string) {
	for _, p := range places {
		text := axes(p, e)
		d.Fix(at, before+text+behind, "%s: %s", text, alongside(p, c.Info[e].Type, large))
	}
}

// described names an expression in a message.
func described(e ast.Expr) string {
	if n, ok := ast.Unparen(e).(*ast.Name); ok {
		return n.Name
	}
	return "the matrix"
}

// axes writes an array at its place.
func axes(p types.Place, e ast.Expr) string {
	return strings.Repeat("row(", p.Before) + strings.Repeat("col(", p.Behind) + format.Expr(ast.Unparen(e)) +
		strings.Repeat(")", p.Before+p.Behind)
}

// alongside says which elements meet in that place.
func alongside(p types.Place, a types.Type, large string) string {
	switch {
	case len(a.Dims) > 1 || p.Before+p.Behind > 1:
		return "the axes " + strings.Join(slices.Concat(slices.Repeat([]string{"1"}, p.Before), a.Shape(),
			slices.Repeat([]string{"1"}, p.Behind)), ", ")
	case p.Before == 1:
		return "element k goes with column k of " + large
	}
	return "element i goes with row i of " + large
}

// apart offers how one of some arguments of several shapes could be written.
func (c *checker) apart(d *diag.Diagnostic, args []ast.Expr) {
	for _, small := range args {
		for _, large := range args {
			n := len(c.Info[small].Type.Dims)
			if d.Code == diag.Broadcast && n > 0 && n < len(c.Info[large].Type.Dims) &&
				c.readings(d, small, large, small.Span(), "", "") {
				d.Code = diag.Orientation
			}
		}
	}
}

// goes reports whether an argument goes with a left side, or a weight with its outcomes: the sizes are the
// same, or 1 in place of some, or the last ones, since an array of vectors is so many vectors. Where a vector
// would go with the rows as well, or with these alone, that is reported. The last axes of an argument, as
// many as its rank, are those of each value.
func (c *checker) goes(a ast.Expr, rank int, left types.Type, name, what string) (fits, told bool) {
	t := c.Info[a].Type
	arg := types.Type{Dims: t.Dims[:len(t.Dims)-rank]}
	fits = fills(arg, left)
	if arg.Scalar() || len(arg.Dims) >= len(left.Dims) {
		return fits, false
	}
	places := types.Places(arg.Dims, left.Dims, func(a, b []types.Size) bool {
		return fills(types.Type{Dims: a}, types.Type{Dims: b})
	})
	if len(places) == 0 || fits && len(places) == 1 || !fits && rank > 0 {
		return fits, false
	}
	d := c.errorf(diag.Orientation, a, "%s is %s, but %s is %s", name, t, what, left)
	if fits {
		d.Note("an array is so many vectors, and here a vector is as long as there are vectors: write which " +
			"is meant")
	}
	if rank > 0 {
		places = places[:1] // no function puts an axis inside
	}
	c.write(d, places, a, what, a.Span(), "", "")
	return false, true
}

// joined gives the shape of the arguments of a density, which go with each other as with a left side.
func (c *checker) joined(args []ast.Expr) ([]types.Size, bool) {
	var out types.Type
	for k, a := range args {
		dims, fits := types.Broadcast(out.Dims, c.Info[a].Type.Dims)
		if !fits {
			d := c.errorf(diag.Broadcast, a, "this argument is %s, which does not go with the others",
				c.Info[a].Type)
			c.apart(d, args[:k+1])
			return nil, false
		}
		out.Dims = dims
	}
	for _, a := range args {
		if _, told := c.goes(a, 0, out, "this argument", "another"); told {
			return nil, false
		}
	}
	return out.Dims, true
}

// transposed adds to the error of a vector that is transposed what stands in its place.
func (c *checker) transposed(e *ast.Binary, first bool) {
	at, other := e.X, e.Y
	if !first {
		at, other = e.Y, e.X
	}
	t, is := ast.Unparen(at).(*ast.Transpose)
	if !is || len(c.diags) == 0 {
		return
	}
	v, o, d := c.Info[t.X].Type, c.Info[other].Type, c.diags[len(c.diags)-1]
	if len(v.Dims) != 1 || d.Code != diag.BadProduct || d.Span != t.Span() {
		return
	}
	instead, place := "", e.Span()
	switch {
	case e.Op != "*":
		instead, place = axes(types.Place{Before: 1}, t.X), t.Span()
	case first && o.SameShape(v):
		instead = "dot(" + format.Expr(t.X) + ", " + format.Expr(other) + ")"
	case first && len(o.Dims) == 2 && o.Dims[0].Equal(v.Dims[0]):
		instead = turned(other) + " * " + operand(t.X)
	case !first && len(o.Dims) == 1:
		instead = "outer(" + format.Expr(other) + ", " + format.Expr(t.X) + ")"
	case !first && len(o.Dims) == 2 && o.Dims[1].Equal(v.Dims[0]):
		instead = operand(other) + " * " + operand(t.X)
	default:
		return
	}
	d.Fix(place, instead, "%s", instead)
}

// turned writes the transpose of a matrix.
func turned(e ast.Expr) string {
	if t, is := ast.Unparen(e).(*ast.Transpose); is {
		return operand(t.X)
	}
	return operand(e) + "'"
}

// operand writes an operand of a product.
func operand(e ast.Expr) string {
	switch e.(type) {
	case *ast.Name, *ast.Call, *ast.Index, *ast.Paren, *ast.Transpose:
		return format.Expr(e)
	}
	return "(" + format.Expr(e) + ")"
}
