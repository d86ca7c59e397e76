package check

import (
	"strconv"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// SizeCall is the function that gives a size of its argument: size(v), or size(X, 2) for the number of
// columns.
const SizeCall = "size"

// withSizes writes the sizes that a statement takes of expressions as the sizes that they are, so that
// size(X, 2) may stand wherever PA may. false means that one was wrong, and the name that the statement
// declares has failed.
func (c *checker) withSizes(s ast.Stmt) (ast.Stmt, bool) {
	if !callsSize(s) {
		return s, true
	}
	ok := true
	if owner := ownerOf(s); owner != nil {
		if cl, found := c.Client(owner.Name); found && cl.Family {
			c.family = cl.Name
			defer func() { c.family = "" }()
		}
	}
	var resolve func(e ast.Expr) ast.Expr
	resolve = func(e ast.Expr) ast.Expr {
		call, is := e.(*ast.Call)
		if !ok {
			return e // one message is enough
		}
		if !is || call.Name.Name != SizeCall {
			return ast.Rebuild(e, resolve)
		}
		d, good := c.sizeCalled(call)
		if ok = ok && good; !good {
			return e
		}
		c.counted(s, d)
		return SizeExpr(call.At, d)
	}
	out := ast.RebuildStmt(s, resolve)
	if !ok {
		for _, n := range ast.Children(s)[:1] {
			if id, named := n.(*ast.Ident); named {
				c.fail(id.Name)
			}
		}
	}
	return out, ok
}

// callsSize reports whether a size is taken of an expression in a statement.
func callsSize(s ast.Stmt) bool {
	found := false
	ast.Walk(s, func(n ast.Node) bool {
		call, is := n.(*ast.Call)
		found = found || is && call.Name.Name == SizeCall
		return !found
	})
	return found
}

// sizeCalled gives the size that a call of size takes.
func (c *checker) sizeCalled(e *ast.Call) (types.Size, bool) {
	if len(e.Args) != 1 && len(e.Args) != 2 {
		c.errorf(diag.BadArguments, e,
			"size takes an array and the number of an axis, as size(X, 2), or a vector alone, not %s",
			count(len(e.Args), "argument"))
		return types.Size{}, false
	}
	info, ok := c.expr(e.Args[0])
	if !ok {
		return types.Size{}, false
	}
	axis, known := 1.0, len(info.Type.Dims) == 1
	if len(e.Args) == 2 {
		axis, known = c.ConstValue(e.Args[1])
	}
	if !known || axis != float64(int(axis)) || axis < 1 || int(axis) > len(info.Type.Dims) {
		c.errorf(diag.BadArguments, e, "this is %s: its sizes are size(…, k) with k up to %d", info.Type,
			len(info.Type.Dims))
		return types.Size{}, false
	}
	return info.Type.Dims[int(axis)-1], true
}

// ownerOf returns the owner that a declaration names, nil for none.
func ownerOf(s ast.Stmt) *ast.Ident {
	switch s := s.(type) {
	case *ast.Data:
		return s.Owner
	case *ast.Param:
		return s.Owner
	case *ast.Contribution:
		return s.Owner
	case *ast.Weight:
		return s.Owner
	case *ast.Let:
		return s.Owner
	}
	return nil
}

// counted records that a declaration uses a size, as if its name stood there.
func (c *checker) counted(s ast.Stmt, d types.Size) {
	owner := ownerOf(s)
	switch s.(type) {
	case *ast.Param, *ast.Weight:
	default:
		if owner == nil {
			return
		}
	}
	name := c.Server
	if owner != nil && owner.Name != DefaultServer {
		name = owner.Name
	}
	for _, n := range d.Names() {
		if z := c.Sizes[n]; z != nil {
			if z.Owners = z.Owners.Join(types.Owners{name}); len(z.Owners) != 1 {
				z.Member = ""
			}
		}
	}
}

// SizeExpr writes a size as an expression at a place.
func SizeExpr(at ast.At, s types.Size) ast.Expr {
	var out ast.Expr
	for _, t := range s.Terms() {
		e := product(at, max(t.Coefficient, -t.Coefficient), t.Names)
		switch {
		case out == nil && t.Coefficient < 0:
			out = &ast.Unary{At: at, Op: "-", X: e}
		case out == nil:
			out = e
		case t.Coefficient < 0:
			out = &ast.Binary{At: at, OpAt: at.Span(), Op: "-", X: out, Y: e}
		default:
			out = &ast.Binary{At: at, OpAt: at.Span(), Op: "+", X: out, Y: e}
		}
	}
	if out == nil {
		return whole(at, 0)
	}
	return out
}

// product writes a number times names, without the number 1.
func product(at ast.At, k int, names []string) ast.Expr {
	var out ast.Expr
	if k != 1 || len(names) == 0 {
		out = whole(at, k)
	}
	for _, n := range names {
		name := &ast.Name{At: at, Name: n}
		if out == nil {
			out = name
		} else {
			out = &ast.Binary{At: at, OpAt: at.Span(), Op: "*", X: out, Y: name}
		}
	}
	return out
}

func whole(at ast.At, k int) *ast.Number {
	return &ast.Number{At: at, Text: strconv.Itoa(k), Value: float64(k), Int: true}
}
