package check

import (
	"fmt"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// ranged types LO..HI, the array of the whole numbers from one end to the other.
func (c *checker) ranged(e *ast.Binary) (ExprInfo, bool) {
	n, ok := c.span(e, e.X, e.Y)
	return ExprInfo{Type: types.Type{Elem: types.Int, Dims: []types.Size{n}}, Owners: c.CountedBy(e)}, ok
}

// span returns how many whole numbers a range has.
func (c *checker) span(at ast.Node, first, last ast.Expr) (n types.Size, ok bool) {
	lo, ok := c.end(first)
	hi, ok2 := c.end(last)
	if !ok || !ok2 {
		return n, false
	}
	n = hi.Add(lo, -1).Add(types.Const(1), 1)
	if k, known := n.Int(); known && k < 0 {
		c.errorf(diag.BadRange, at, "a range counts up, but this one runs from %s to %s", lo, hi).
			Note("the same numbers from the last to the first are [%s - k for k in %s..%s]", lo.Add(hi, 1),
				hi, lo)
		return n, false
	}
	return n, true
}

// end resolves an end of a range.
func (c *checker) end(e ast.Expr) (types.Size, bool) {
	defer func(before bool) { c.lets = before }(c.lets)
	c.lets = true
	s, at, err := c.sizeOf(e)
	n, name := at.(*ast.Name)
	switch err.(type) {
	case nil:
		return s, true
	case errUnbound, errEarly:
		c.reportSize(at, err)
	default:
		if name && c.failed[n.Name] {
			return s, false
		}
		c.errorf(diag.BadRange, at, "the ends of a range are whole numbers that the model fixes, but %s is not",
			format.Expr(e)).
			Note("such are numbers, sizes, consts, and lets of these by +, - and *; what parameters or values of " +
				"data decide is a condition, as in sum(where(a < b, x, 0))")
	}
	return s, false
}

// sum types a comprehension: a sum of terms, or an array of elements.
func (c *checker) sum(e *ast.Sum) (ExprInfo, bool) {
	n, ok := c.over(e)
	if !ok || !c.newIndex(e) {
		return ExprInfo{}, false
	}
	v := indexOf(e.Var)
	if e.Family != nil {
		v.over = e.Family.Name
	}
	c.vars = append(c.vars, v)
	info, ok := c.expr(e.Body)
	c.vars = c.vars[:len(c.vars)-1]
	if !ok || !c.numeric(e.Body, info.Type, "sum") {
		return info, false
	}
	info.Type = types.Type{Elem: arithmetic(info.Type.Elem), Dims: info.Type.Dims}
	if !c.oneShape(e, v, info.Type) {
		return info, false
	}
	if e.Each {
		info.Type.Dims = append([]types.Size{n}, info.Type.Dims...)
	}
	info.Owners = info.Owners.Join(c.CountedBy(e.Lo)).Join(c.CountedBy(e.Hi))
	if v.over != "" && len(info.Owners) > 0 && c.For == "" {
		info.Owners = info.Owners.Join(types.Owners{c.Server}) // several members: no single one owns it
	}
	return info, true
}

// over checks what a comprehension runs over, and returns how many terms one over a range has.
func (c *checker) over(e *ast.Sum) (n types.Size, ok bool) {
	switch {
	case e.Family == nil && e.Each:
		return c.span(e, e.Lo, e.Hi)
	case e.Family == nil: // a sum without terms is 0
		_, ok = c.end(e.Lo)
		_, ok2 := c.end(e.Hi)
		return n, ok && ok2
	}
	cl, ok := c.Client(e.Family.Name)
	switch {
	case !ok || !cl.Family:
		c.notFamily(e, ok)
		return n, false
	case e.Each:
		c.errorf(diag.BadElements, e, "an array of what members of %s have is one of several parties", cl.Name).
			Note("members add up: sum(… for %s in %s); an array runs over a range, as [… for k in 1..K]",
				e.Var.Name, cl.Name)
		return n, false
	}
	return n, true
}

// newIndex checks that the variable of a comprehension is no other name.
func (c *checker) newIndex(e *ast.Sum) bool {
	at, what := e.Var.Span(), ""
	if old := c.Symbols[e.Var.Name]; old != nil {
		at, what = old.Ident.Span(), "is declared already"
	}
	for _, v := range c.vars {
		if v.Name == e.Var.Name {
			at, what = v.Ident.Span(), "is the index of what stands around this"
		}
	}
	if what == "" {
		return true
	}
	c.errorf(diag.DeclaredTwice, e.Var, "%s %s: choose another name for the index", e.Var.Name, what).
		NoteAt(c.File.Source, at, "declared here")
	return false
}

// oneShape checks that the terms of a comprehension have one shape, and that elements are numbers or rows.
func (c *checker) oneShape(e *ast.Sum, v *Symbol, t types.Type) bool {
	for _, d := range t.Dims {
		for _, n := range d.Names() {
			z := c.Sizes[n]
			switch {
			case n == e.Var.Name && e.Each:
				c.errorf(diag.BadElements, e.Body,
					"the rows of this array have different lengths: row %s has %s", n, d).
					Note("rows of one length make an array; sum(…) of each row is a number")
			case n == e.Var.Name || z != nil && z.Member != "" && z.Member == v.over:
				c.errorf(diag.MemberSize, e.Body,
					"the terms of a sum have one shape, but the size %s differs from term to term", n)
			default:
				continue
			}
			return false
		}
	}
	if e.Each && len(t.Dims) > 1 {
		c.errorf(diag.BadElements, e.Body,
			"an element of such an array is a number, or a vector that is a row of it, but this is %s", t).
			Note("take a row, X[k, :], or a column, X[:, k]")
		return false
	}
	return true
}

// listed reports whether a subscript is an array of positions, as 2..4, [1, 3] or the let of such an array.
func (p *Program) listed(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Array:
		return true
	case *ast.Sum:
		return e.Each
	case *ast.Unary:
		return p.listed(e.X)
	case *ast.Binary:
		return e.Op == ".." || p.listed(e.X) || p.listed(e.Y)
	case *ast.Name:
		s := p.Symbols[e.Name]
		return s != nil && s.Kind == Let && !s.Random && s.Type.Elem == types.Int && !s.Type.Scalar()
	case *ast.Index:
		if !p.listed(e.X) {
			return false
		}
		a := e.Args[0]
		return a.Slice || p.listed(a.Lo)
	case *ast.Call:
		for _, a := range e.Args {
			if p.listed(a) {
				return true
			}
		}
	}
	return false
}

// positions types a subscript that is an array of positions along a dimension.
func (c *checker) positions(a *ast.Subscript, d types.Size) (info ExprInfo, list, ok bool) {
	if !c.listed(a.Lo) {
		return info, false, false
	}
	if info, ok = c.expr(a.Lo); !ok {
		return info, true, false
	}
	if c.varies(a.Lo) != nil || info.Random || info.Type.Elem != types.Int || len(info.Type.Dims) != 1 {
		c.errorf(diag.BadIndex, a, "an array that indexes is a vector of whole numbers that the model fixes, but "+
			"%s is not", format.Expr(a.Lo)).
			Note("such are 2..4, [1, 3, 4] and [2 * k for k in 1..K]; data index as level(%s)", d)
		return info, true, false
	}
	return info, true, c.reached(a, d)
}

// reached checks the positions of an index along a dimension, as far as they are consts.
func (c *checker) reached(a *ast.Subscript, d types.Size) bool {
	v, _ := c.numbers(a.Lo, nil)
	for i, x := range v {
		last, known := d.Int()
		if x >= 1 && (!known || x <= float64(last)) {
			continue
		}
		which := fmt.Sprintf("element %d of this index", i+1)
		if len(v) == 1 {
			which = "this index"
		}
		c.errorf(diag.BeyondIndex, a, "%s is %s, but the dimension has the positions 1 to %s", which,
			format.Expr(&ast.Number{Value: x, Int: true}), d).
			Note("indices count from 1, and every element is one of these positions")
		return false
	}
	return true
}

// counts reports whether a let is a whole number that no parameter enters: it may choose an element.
func counts(s *Symbol) bool {
	return s.Kind == Let && !s.Random && s.Type.Scalar() && s.Type.Elem == types.Int
}

// fromArray reports whether an index is an element of an array of positions, or computed from one.
func (c *checker) fromArray(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Index); ok && c.listed(x.X) {
			found = true
		}
		if x, ok := n.(*ast.Name); ok {
			if s := c.lookup(x); s != nil && counts(s) {
				found = found || c.fromArray(s.Decl.(*ast.Let).Value)
			}
		}
		return !found
	})
	if !found || c.varies(e) != nil {
		return false
	}
	info, ok := c.expr(e)
	return ok && !info.Random && info.Type.Scalar() && info.Type.Elem == types.Int
}

// mostNumbers bounds how many elements of an array are computed before data are bound.
const mostNumbers = 100_000

// numbers evaluates an array or a number of consts alone; vars are the values of indices around.
func (c *checker) numbers(e ast.Expr, vars map[string]float64) ([]float64, bool) {
	if v, ok := c.ConstValue(e); ok {
		return []float64{v}, true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Name:
		v, ok := vars[e.Name]
		if s := c.Symbols[e.Name]; !ok && s != nil && s.Kind == Let && !s.Random {
			return c.numbers(s.Decl.(*ast.Let).Value, nil)
		}
		return []float64{v}, ok
	case *ast.Array:
		return c.singles(e.Elems, vars)
	case *ast.Index:
		x, ok := c.numbers(e.X, vars)
		at, ok2 := c.numbers(e.Args[0].Lo, vars)
		if !ok || !ok2 || len(at) != 1 || at[0] < 1 || at[0] > float64(len(x)) || e.Args[0].Slice {
			return nil, false
		}
		return x[int(at[0])-1:][:1], true
	case *ast.Unary:
		x, ok := c.numbers(e.X, vars)
		return pairwise("-", []float64{0}, x), ok && e.Op == "-"
	case *ast.Binary:
		x, ok := c.numbers(e.X, vars)
		y, ok2 := c.numbers(e.Y, vars)
		if !ok || !ok2 {
			return nil, false
		}
		out := pairwise(e.Op, x, y)
		return out, out != nil
	case *ast.Sum:
		return c.elementsOf(e, vars)
	}
	return nil, false
}

func (c *checker) singles(list []ast.Expr, vars map[string]float64) (out []float64, ok bool) {
	for _, e := range list {
		v, ok := c.numbers(e, vars)
		if !ok || len(v) != 1 {
			return nil, false
		}
		out = append(out, v[0])
	}
	return out, true
}

// elementsOf evaluates the elements of a comprehension.
func (c *checker) elementsOf(e *ast.Sum, vars map[string]float64) (out []float64, ok bool) {
	ends, ok := c.singles([]ast.Expr{e.Lo, e.Hi}, vars)
	if !ok || !e.Each || ends[1]-ends[0] > mostNumbers {
		return nil, false
	}
	inside := map[string]float64{}
	for name, v := range vars {
		inside[name] = v
	}
	for k := ends[0]; k <= ends[1]; k++ {
		inside[e.Var.Name] = k
		v, ok := c.singles([]ast.Expr{e.Body}, inside)
		if !ok {
			return nil, false
		}
		out = append(out, v...)
	}
	return out, true
}

// pairwise applies an operator of whole numbers element by element, nil where it has none or lengths differ.
func pairwise(op string, x, y []float64) (out []float64) {
	if op == ".." && len(x) == 1 && len(y) == 1 && y[0]-x[0] <= mostNumbers {
		for k := x[0]; k <= y[0]; k++ {
			out = append(out, k)
		}
		return out
	}
	n := max(len(x), len(y))
	if len(x) != n && len(x) != 1 || len(y) != n && len(y) != 1 {
		return nil
	}
	for i := range n {
		a, b := x[i%len(x)], y[i%len(y)]
		var v float64
		switch op {
		case "+":
			v = a + b
		case "-":
			v = a - b
		case "*", ".*":
			v = a * b
		default:
			return nil
		}
		out = append(out, v)
	}
	return out
}
