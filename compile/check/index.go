package check

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// index types X[…]: the value of one member of a family, elements, slices and gathers by level.
func (c *checker) index(e *ast.Index) (ExprInfo, bool) {
	if n, ok := e.X.(*ast.Name); ok {
		if s := c.lookup(n); s != nil && s.Family && s.Kind != Party && s.Owner != c.family {
			return c.member(e, n, s)
		}
	}
	x, ok := c.expr(e.X)
	if !ok {
		for _, a := range e.Args {
			if a.Lo != nil && !a.Slice {
				c.expr(a.Lo)
			}
		}
		return x, false
	}
	if len(x.Type.Dims) == 0 {
		c.errorf(diag.BadIndex, e, "a scalar has no elements to index")
		return x, false
	}
	if len(e.Args) > len(x.Type.Dims) {
		c.errorf(diag.BadIndex, e, "%s has %s, but there are %d subscripts", x.Type,
			count(len(x.Type.Dims), "dimension"), len(e.Args))
		return x, false
	}
	return c.subscripts(e, x)
}

func (c *checker) subscripts(e *ast.Index, x ExprInfo) (ExprInfo, bool) {
	var rest []types.Size
	var rows []types.Size // of the levels that index
	levels, front := 0, 0 // how many levels index, and the number of dimensions before the first
	out := ExprInfo{Owners: x.Owners, Random: x.Random,
		Type: types.Type{Elem: x.Type.Elem, Levels: x.Type.Levels}}
	for i, d := range x.Type.Dims {
		if i >= len(e.Args) {
			rest = append(rest, d)
			continue
		}
		a := e.Args[i]
		if a.Slice {
			s, ok := c.slice(a, d)
			if !ok {
				return out, false
			}
			rest = append(rest, s)
			out.Owners = out.Owners.Join(c.CountedBy(a.Lo)).Join(c.CountedBy(a.Hi))
			continue
		}
		if info, isLevel, ok := c.levelIndex(a, d); isLevel {
			if !ok {
				return out, false
			}
			if levels > 0 && !(types.Type{Dims: rows}).SameShape(info.Type) {
				c.errorf(diag.BadIndex, e, "the levels that index have different lengths")
				return out, false
			}
			if levels == 0 {
				front = len(rest)
			}
			rows, levels = info.Type.Dims, levels+1
			out.Owners = out.Owners.Join(info.Owners)
			continue
		}
		if info, list, ok := c.positions(a, d); list {
			if !ok {
				return out, false
			}
			rest = append(rest, info.Type.Dims[0])
			out.Owners = out.Owners.Join(info.Owners)
			continue
		}
		if !c.element(a, d) {
			return out, false
		}
		out.Owners = out.Owners.Join(c.CountedBy(a.Lo))
	}
	if levels > 0 && len(rows) > 1 {
		c.errorf(diag.BadIndex, e, "a level that indexes is a vector").
			Note("slope[region] takes row region[i] of slope for each i; a[g, h] takes one entry per row; a column " +
				"of a matrix of levels is y[:, j]")
		return out, false
	}
	out.Type.Dims = slices.Concat(rest[:front], rows, rest[front:])
	if len(out.Type.Dims) > 3 {
		c.errorf(diag.BadIndex, e, "the result has more than three dimensions")
		return out, false
	}
	return out, true
}

// belowFirst reports an index of 0, or one of Python's or R's that is negative, along a dimension.
func (c *checker) belowFirst(a *ast.Subscript, d types.Size) {
	c.errorf(diag.BadIndex, a,
		"indices count from 1").Note("the first element is [1], the last [%s], and 2:%s is all but the first",
		d, d)
}

func (c *checker) slice(a *ast.Subscript, d types.Size) (types.Size, bool) {
	lo, hi := types.Const(1), d
	var ok = true
	if a.Lo != nil {
		lo, ok = c.whole(a.Lo)
	}
	if a.Hi != nil && ok {
		hi, ok = c.whole(a.Hi)
	}
	if !ok {
		return d, false
	}
	n := hi.Add(lo, -1).Add(types.Const(1), 1)
	if k, is := lo.Int(); is && k < 1 {
		c.belowFirst(a, d)
		return n, false
	}
	if k, is := n.Int(); is && k < 0 {
		c.errorf(diag.BadIndex, a, "this slice ends before it begins")
		return n, false
	}
	if over, is := hi.Add(d, -1).Int(); is && over > 0 {
		c.errorf(diag.BadIndex, a, "this slice ends at %s, but the dimension has %s", hi, d)
		return n, false
	}
	return n, true
}

// levelIndex types a subscript that is a level vector or a part of one.
func (c *checker) levelIndex(a *ast.Subscript, d types.Size) (info ExprInfo, isLevel, ok bool) {
	if !c.ofLevels(a.Lo) {
		return info, false, false
	}
	info, ok = c.expr(a.Lo)
	if ok && !c.categoriesAlong(info.Type, d) {
		c.errorf(diag.BadIndex, a, "%s has levels 1..%s, but the dimension it indexes has %s",
			format.Expr(a.Lo), info.Type.Levels, d).
			Note("declare the dimension as [%s]", c.categoryCount(info.Type))
		ok = false
	}
	return info, true, ok
}

// categoryCount is the number of the categories of a level, where they are listed, else its size.
func (c *checker) categoryCount(level types.Type) types.Size {
	if _, _, list := c.LevelSize(level); list != nil {
		return types.Const(len(list))
	}
	return *level.Levels
}

// categoriesAlong reports whether a dimension has an element for each category of a level.
func (c *checker) categoriesAlong(level types.Type, d types.Size) bool {
	return level.Levels.Equal(d) || c.categoryCount(level).Equal(d)
}

// ofLevels reports whether an expression is data of levels, or a part of it: region, region[2:T], or the
// region of each ward, region[ward].
func (s *Program) ofLevels(e ast.Expr) bool {
	if x, ok := e.(*ast.Index); ok {
		return s.ofLevels(x.X)
	}
	n, ok := e.(*ast.Name)
	return ok && s.Symbols[n.Name] != nil && s.Symbols[n.Name].Type.Elem == types.Level
}

// varies returns an array of whole data in an expression, nil if there is none.
func (c *checker) varies(e ast.Expr) (found *ast.Name) {
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && found == nil {
			if s := c.lookup(name); s != nil && s.Kind == Data && s.Type.Elem.Integral() && !s.Type.Scalar() {
				found = name
			}
		}
		return found == nil
	})
	return found
}

// instead is what to write where a symbol stands as an index along a dimension, and is none.
func instead(s *Symbol, d types.Size) string {
	switch {
	case s.Kind == Data && s.Type.Elem.Integral() && !s.Type.Scalar():
		return fmt.Sprintf("declare %s as level(%s) to look rows up with it", s.Name, d)
	case s.Kind == Data && !s.Type.Scalar():
		return fmt.Sprintf("its values enter by a product, such as b * %s; if it holds categories, "+
			"declare it as level(%s)", s.Name, d)
	case s.Kind == Data:
		return fmt.Sprintf("declare %s as int to choose an element by it", s.Name)
	case s.Kind == Let && !s.Random:
		return "an index is computed from whole numbers, sizes and consts by +, - and *"
	}
	return "no element can be chosen by what the data do not fix; add all of them up with " +
		"weights, as in sum(w .* a)"
}

// element checks a single index: a size expression within the dimension.
func (c *checker) element(a *ast.Subscript, d types.Size) bool {
	if n, ok := a.Lo.(*ast.Name); ok {
		if s := c.lookup(n); s != nil && s.Kind != Const && s.Kind != IndexVar && !counts(s) &&
			!(s.Kind == Data && s.Type.Elem == types.Int && s.Type.Scalar()) {
			c.errorf(diag.BadIndex, a, "%s is %s: an index is a whole number, or a level", n.Name,
				article(s.Kind)).Note("%s", instead(s, d))
			return false
		}
	}
	if n := c.varies(a.Lo); n != nil {
		c.errorf(diag.BadIndex, a,
			"this index has another value in each row, since %s has: an index is a whole number, or a level",
			n.Name).
			Note("let the data hold the codes 1, 2, … themselves, declared as level(%s); of two values "+
				"choose by where(%s == 1, a, b)", d, n.Name)
		return false
	}
	if c.fromArray(a.Lo) {
		return c.reached(a, d)
	}
	i, ok := c.whole(a.Lo)
	if !ok {
		return false
	}
	if k, is := i.Int(); is && k < 1 {
		c.belowFirst(a, d)
		return false
	}
	if over, is := i.Add(d, -1).Int(); is && over > 0 {
		c.errorf(diag.BadIndex, a, "index %s is beyond the dimension, which has %s", i, d)
		return false
	}
	return true
}

// member types X[j]: the value of member j of a family.
func (c *checker) member(e *ast.Index, n *ast.Name, s *Symbol) (ExprInfo, bool) {
	if len(e.Args) != 1 || e.Args[0].Slice {
		c.errorf(diag.FamilyIndex, e, "%s[j] is the %s of member j; its elements are %s[j][…]", s.Name,
			s.Name, s.Name)
		return ExprInfo{}, false
	}
	j, ok := e.Args[0].Lo.(*ast.Name)
	if !ok || c.lookup(j) == nil || c.lookup(j).over != s.Owner {
		d := c.errorf(diag.FamilyIndex, e.Args[0],
			"a member of %s is addressed by the variable of a sum over it", s.Owner)
		d.Note("write sum(… %s[j] … for j in %s); to treat members differently, declare them "+
			"as clients of their own", s.Name, s.Owner)
		return ExprInfo{}, false
	}
	info := symbolInfo(s)
	c.Info[n], c.Info[e.Args[0].Lo] = info, ExprInfo{Type: types.Type{Elem: types.Int}}
	return info, true
}

func (c *checker) notFamily(e *ast.Sum, client bool) {
	d := c.errorf(diag.NotFamily, *e.Family, "%q is not a family of clients", e.Family.Name)
	var families []string
	for _, cl := range c.Clients {
		if cl.Family {
			families = append(families, cl.Name)
		}
	}
	if near := Nearest(e.Family.Name, families); near != "" {
		likeName(d, near)
	} else if client {
		d.Note("%s is one client; a family is declared as `client %s[J]`", e.Family.Name, e.Family.Name)
	} else {
		d.Note("a sum runs over a family, declared as `client lab[J]`, or over a range, as 1..K")
	}
}
