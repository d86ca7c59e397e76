package check

import (
	"errors"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/fn"
)

// expr types an expression and records its facts; false means that a diagnostic was reported.
func (c *checker) expr(e ast.Expr) (ExprInfo, bool) {
	if e == nil {
		return ExprInfo{}, false
	}
	info, ok := c.infer(e)
	if ok {
		c.Info[e] = info
	}
	return info, ok
}

func (c *checker) infer(e ast.Expr) (ExprInfo, bool) {
	switch e := e.(type) {
	case *ast.Number:
		t := types.Type{}
		if e.Int {
			t.Elem = types.Int
		}
		return ExprInfo{Type: t}, true
	case *ast.Paren:
		return c.expr(e.X)
	case *ast.Name:
		return c.name(e)
	case *ast.Unary:
		return c.unary(e)
	case *ast.Text:
		c.errorf(diag.MisplacedText, e, "a text is no value: it is a category, which a level is compared with").
			Note("sex == %s is 1 in the rows of this category, for sex of type level(S) or level(…)", format.Expr(e))
		return ExprInfo{}, false
	case *ast.Binary:
		if e.Op == ".." {
			return c.ranged(e)
		}
		return c.binary(e)
	case *ast.Transpose:
		x, ok := c.expr(e.X)
		if ok && len(x.Type.Dims) != 2 {
			d := c.errorf(diag.BadProduct, e, "' transposes a matrix, but this is %s", x.Type)
			if len(x.Type.Dims) == 1 {
				d.Note("a vector is a column; row(v) is a matrix of one row")
			}
			return x, false
		}
		if ok {
			x.Type = types.Type{Elem: arithmetic(x.Type.Elem),
				Dims: []types.Size{x.Type.Dims[1], x.Type.Dims[0]}}
		}
		return x, ok
	case *ast.Index:
		return c.index(e)
	case *ast.Call:
		return c.call(e)
	case *ast.Array:
		return c.array(e)
	case *ast.Recur:
		return c.recur(e)
	case *ast.Sum:
		return c.sum(e)
	}
	return ExprInfo{}, false
}

// array types an array of constants: numbers make a vector, vectors of one length a matrix.
func (c *checker) array(e *ast.Array) (ExprInfo, bool) {
	out := ExprInfo{Type: types.Type{Elem: types.Int}}
	for i, x := range e.Elems {
		info, ok := c.expr(x)
		if !ok {
			return info, false
		}
		if _, nested := x.(*ast.Array); !nested {
			if _, constant := c.ConstValue(x); !constant {
				c.errorf(diag.NotConst, x, "the elements of an array are constants, but %s is not",
					format.Expr(x)).
					Note("append(a, b) joins other values to an array")
				return info, false
			}
		}
		if info.Type.Elem == types.Real {
			out.Type.Elem = types.Real
		}
		inner := types.Type{Dims: info.Type.Dims}
		if i > 0 && !inner.SameShape(types.Type{Dims: out.Type.Dims}) || len(inner.Dims) > 1 {
			c.errorf(diag.Broadcast, x,
				"the elements of an array have one shape: all are numbers, or all are rows of one length")
			return info, false
		}
		out.Type.Dims = inner.Dims
	}
	out.Type.Dims = append([]types.Size{types.Const(len(e.Elems))}, out.Type.Dims...)
	return out, true
}

func (c *checker) name(e *ast.Name) (ExprInfo, bool) {
	s := c.lookup(e)
	if s == nil {
		if z := c.Sizes[e.Name]; z != nil && z.Bound {
			return ExprInfo{Type: types.Type{Elem: types.Int}, Owners: c.sizeOwners(z)}, true
		}
		c.unknown(e)
		return ExprInfo{}, false
	}
	if s.Kind == Party {
		c.errorf(diag.UnknownName, e, "%s is a party, not a value", e.Name)
		return ExprInfo{}, false
	}
	if s.Family && s.Owner != c.family {
		c.errorf(diag.FamilyIndex, e, "each member of %s has its own %s: index it by the member", s.Owner,
			s.Name).
			Note("address one as %s[j] in a sum over the family: sum(… for j in %s)", s.Name, s.Owner)
		return ExprInfo{}, false
	}
	return symbolInfo(s), true
}

// sizeOwners returns the owner of a size name: a size in declarations of one client only is private to it.
func (c *checker) sizeOwners(z *Size) types.Owners {
	if name, ok := z.Owners.Sole(); ok && name != Shared && c.For == "" {
		return types.Owners{name}
	}
	return nil
}

func symbolInfo(s *Symbol) ExprInfo {
	info := ExprInfo{Type: s.Type, Owners: s.Owners, Random: s.Random}
	switch s.Kind {
	case Data, Param, Receive, Aux, Cut:
		info.Random = s.Kind != Data || s.Imputed()
		if s.Owner != Shared {
			info.Owners = types.Owners{s.Owner}
		}
	}
	return info
}

// arithmetic is the element type of a sum of such elements.
func arithmetic(e types.Elem) types.Elem {
	if e.Integral() {
		return types.Int
	}
	return types.Real
}

func (c *checker) numeric(e ast.Expr, t types.Type, op string) bool {
	if t.Elem != types.Level {
		return true
	}
	c.errorf(diag.WrongElement, e, "a level has no arithmetic: `%s` cannot use it", op).
		Note("index with it, as slope[%s], or compare it, as %s == 2", "region", "region")
	return false
}

func (c *checker) unary(e *ast.Unary) (ExprInfo, bool) {
	x, ok := c.expr(e.X)
	if !ok || !c.numeric(e.X, x.Type, e.Op) {
		return x, false
	}
	if e.Op == "!" {
		x.Type.Elem = types.Binary
		return x, c.condition(e.X, x)
	}
	x.Type.Elem = arithmetic(x.Type.Elem)
	return x, true
}

// condition reports a condition that depends on a parameter. What is computed for each draw has no gradient,
// and may have such conditions.
func (c *checker) condition(e ast.Expr, x ExprInfo) bool {
	if !x.Random || c.perDraw {
		return true
	}
	c.errorf(diag.RandomCondition, e, "a condition uses only data, but this depends on a parameter").
		Note("a density that jumps with a parameter has no gradient; use a smooth function such as " +
			"inv_logit, or for a bend at c min(x, c) and max(x, c)")
	return false
}

func (c *checker) binary(e *ast.Binary) (ExprInfo, bool) {
	if level, text, ok := Category(e); ok {
		return c.category(e, level, text)
	}
	if c.unquoted(e) {
		return ExprInfo{}, false
	}
	x, ok := c.expr(e.X)
	y, ok2 := c.expr(e.Y)
	if !ok || !ok2 {
		if ok != ok2 {
			c.transposed(e, ok2)
		}
		return ExprInfo{}, false
	}
	out := ExprInfo{Owners: x.Owners.Join(y.Owners), Random: x.Random || y.Random}
	compare := false
	switch e.Op {
	case "==", "!=", "<", "<=", ">", ">=":
		compare = true
		if !c.comparable(e, x, y) {
			return out, false
		}
		fallthrough
	case "&&", "||":
		out.Type.Elem = types.Binary
		if !c.condition(e.X, x) || !c.condition(e.Y, y) {
			return out, false
		}
	case "/", "./", "^":
	default:
		if x.Type.Elem.Integral() && y.Type.Elem.Integral() {
			out.Type.Elem = types.Int
		}
	}
	if !compare && (!c.numeric(e.X, x.Type, e.Op) || !c.numeric(e.Y, y.Type, e.Op)) {
		return out, false
	}
	if e.Op == "*" {
		out.Type.Dims, ok = c.product(e, x.Type, y.Type)
		return out, ok
	}
	out.Type.Dims, ok = c.elementwise(e, x.Type, y.Type)
	return out, ok
}

func (c *checker) comparable(e *ast.Binary, x, y ExprInfo) bool {
	lx, ly := x.Type.Elem == types.Level, y.Type.Elem == types.Level
	switch {
	case lx == ly && (!lx || x.Type.Levels.Equal(*y.Type.Levels)):
		return true
	case lx && ly:
		c.errorf(diag.WrongElement, e, "these are levels with different categories: level(%s) and level(%s)",
			x.Type.Levels, y.Type.Levels)
		return false
	case lx && y.Type.Elem.Integral(), ly && x.Type.Elem.Integral():
		return true
	}
	c.errorf(diag.WrongElement, e, "a level is compared with a whole number, not with %s",
		map[bool]types.Type{true: y.Type, false: x.Type}[lx])
	return false
}

// product gives the shape of `*`: scalar times anything, matrix times vector or matrix.
func (c *checker) product(e *ast.Binary, x, y types.Type) ([]types.Size, bool) {
	switch {
	case x.Scalar():
		return y.Dims, true
	case y.Scalar():
		return x.Dims, true
	case len(x.Dims) == 2 && len(y.Dims) <= 2 && x.Dims[1].Equal(y.Dims[0]):
		return append([]types.Size{x.Dims[0]}, y.Dims[1:]...), true
	}
	d := c.errorf(diag.BadProduct, e, "`*` does not multiply %s and %s", x, y)
	_, elements := types.Elementwise(x.Dims, y.Dims)
	switch {
	case elements && len(x.Dims) == 1:
		d.Fix(e.OpAt, ".*", "element by element: .*")
		d.Note("the scalar product is dot(u, v), the outer product outer(u, v)")
	case elements:
		d.Fix(e.OpAt, ".*", "element by element: .*")
		d.Note("the sum over each row of that is rowdot(A, B)")
	case len(x.Dims) == 2 && len(y.Dims) <= 2:
		d.Note("the matrix has %s columns, but the right side has %s rows", x.Dims[1], y.Dims[0])
	case len(x.Dims) == 1 && len(y.Dims) == 2:
		d.Note("a vector is a column: it stands behind the matrix")
		for axis, m := range []string{operand(e.Y), turned(e.Y)} {
			if y.Dims[1-axis].Equal(x.Dims[0]) {
				d.Fix(e.Span(), m+" * "+operand(e.X), "the product: %s * %s", m, operand(e.X))
			}
		}
	default:
		d.Note("`*` is a number times anything, a matrix times a vector, or a matrix times a " +
			"matrix; .* goes element by element")
	}
	if len(x.Dims) != len(y.Dims) {
		c.oriented(d, e)
	}
	return nil, false
}

func (c *checker) call(e *ast.Call) (ExprInfo, bool) {
	if ast.IsDensity(e) {
		return c.density(e)
	}
	name := e.Name.Name
	f, structural := c.Universe.Structural(name)
	_, elementwise := c.Universe.Func(name)
	out := ExprInfo{}
	if function, by := ast.Grouped(name); by && !structural {
		c.notByGroups(e, function)
		return out, false
	}
	if name == ast.OdeWord {
		c.odeCall(e)
		return out, false
	}
	if !structural && !elementwise {
		c.unknownFunction(e) // of its arguments nothing is known, such as which of them are names
		return out, false
	}
	args := make([]types.Type, len(e.Args))
	good := true
	for i, a := range e.Args {
		x, ok := c.expr(a)
		good = good && ok
		args[i] = x.Type
		out.Owners, out.Random = out.Owners.Join(x.Owners), out.Random || x.Random
	}
	if elementwise {
		if len(args) != 1 {
			c.errorf(diag.BadArguments, e, "%s takes one argument, not %d", name, len(args))
			return out, false
		}
		if !good || !c.numeric(e.Args[0], args[0], name) {
			return out, false
		}
		out.Type.Dims = args[0].Dims
		return out, true
	}
	if len(args) < f.Arity.Min || f.Arity.Max >= 0 && len(args) > f.Arity.Max {
		d := c.errorf(diag.BadArguments, e, "%s takes %s, not %d", name, arity(f.Arity.Min, f.Arity.Max),
			len(args))
		switch name {
		case fn.Row().Name:
			d.Note("row i of a matrix is X[i, :]")
		case fn.Col().Name:
			d.Note("column j of a matrix is X[:, j]")
		}
		return out, false
	}
	if !good {
		return out, false
	}
	for i, a := range args {
		if !(f.ByGroups && i > 0) && !c.numeric(e.Args[i], a, name) {
			return out, false
		}
	}
	if f.ByGroups && !c.groups(e, args) {
		return out, false
	}
	if f.Jumps && out.Random && !c.perDraw {
		c.errorf(diag.RandomCondition, e, "%s has no gradient, and its argument depends on a parameter",
			name).
			Note("a density needs gradients; generate NAME = %s(…) computes it for each draw", name)
		return out, false
	}
	if name == "where" && !c.condition(e.Args[0], c.Info[e.Args[0]]) {
		return out, false
	}
	if f.Sized && !c.sizeArguments(e, args) {
		return out, false
	}
	t, err := f.Infer(args)
	if err != nil {
		if d := c.errorf(diag.Broadcast, e, "%v", err); errors.As(err, new(fn.Misfit)) {
			c.apart(d, e.Args)
		}
		return out, false
	}
	out.Type = t
	return out, true
}

// sizeArguments replaces the types of the arguments after the first by those of vectors as long as the sizes
// that they are.
func (c *checker) sizeArguments(e *ast.Call, args []types.Type) bool {
	for i, a := range e.Args[1:] {
		size, ok := c.size(a)
		if !ok {
			return false
		}
		args[i+1] = types.Type{Elem: types.Int, Dims: []types.Size{size}}
	}
	return true
}

func arity(low, high int) string {
	switch {
	case low == high:
		return count(low, "argument")
	case high < 0:
		return "at least " + count(low, "argument")
	}
	return "between " + count(low, "argument") + " and " + count(high, "argument")
}

func (c *checker) unknownFunction(e *ast.Call) {
	name := e.Name.Name
	d := c.errorIn(e, diag.UnknownFunc, e.Name, "%q is not a function", name)
	known := c.Symbols[name] == nil && elsewhere(d, diag.Functions, e.Name, func(name string) bool {
		if f, structural := c.Universe.Structural(name); structural {
			return f.Arity.Allows(len(e.Args))
		}
		return len(e.Args) == 1
	})
	switch near := Nearest(name, c.Universe.Funcs()); {
	case known:
	case strings.Contains(name, "."):
		c.unknownModule(d, e)
	case c.Symbols[name] != nil:
		d.Message = name + " is " + article(c.Symbols[name].Kind) + ", not a function"
		d.Note("elements are taken with brackets, as %s[1]; products are written with *", name)
	case c.isDist(name):
		d.Note("%s", afterTilde(name))
	case slices.Contains(c.Universe.Encoders(), name):
		d.Note("%s is an encoder of columns: data X : real[N, P] from %s(…)", name, name)
	case ast.LikeDensity(name):
		c.unknownDensity(d, name)
	case near != "":
		perhaps(d, near)
	default:
		d.Note("`vflc doc` lists the functions of this version")
	}
}

// unknownDensity proposes the density function whose name is near.
func (c *checker) unknownDensity(d *diag.Diagnostic, name string) {
	var known []string
	for _, of := range c.Universe.Dists() {
		dist, _ := c.Universe.Dist(of)
		known = append(known, of+lpdf(dist))
		if dist.LogCDF != nil {
			known = append(known, of+"_lcdf", of+"_lccdf")
		}
	}
	if near := Nearest(name, known); near != "" {
		likeName(d, near)
		return
	}
	d.Note("the density functions are NAME_lpdf, NAME_lpmf, NAME_lcdf and NAME_lccdf of any distribution")
}
