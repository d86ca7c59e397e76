package check

import (
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
)

// groups checks the arguments of a function by groups: a value with rows, and a level for each of them.
func (c *checker) groups(e *ast.Call, args []types.Type) bool {
	for i, g := range args[1:] {
		if a := e.Args[i+1]; g.Elem != types.Level || len(g.Dims) != 1 {
			c.notGroups(a, g)
			return false
		}
	}
	v, g := args[0], args[1]
	for i, h := range args[2:] {
		if !h.Dims[0].Equal(g.Dims[0]) {
			c.errorf(diag.BadGroups, e.Args[i+2], "%s is for %s rows, and %s for %s",
				format.Expr(e.Args[i+2]), h.Dims[0], format.Expr(e.Args[1]), g.Dims[0]).
				Note("groups of pairs have two levels in each row")
			return false
		}
	}
	switch {
	case v.Scalar():
		c.errorf(diag.BadGroups, e.Args[0], "one number has no rows to group: %s is %s",
			format.Expr(e.Args[0]), v).
			Note("rep(%s, N) repeats it in N rows", format.Expr(e.Args[0]))
		return false
	case v.Dims[0].Equal(g.Dims[0]):
		return true
	}
	d := c.errorf(diag.BadGroups, e.Args[1], "%s is for %s rows, but %s has %s", format.Expr(e.Args[1]),
		g.Dims[0], format.Expr(e.Args[0]), v.Dims[0])
	if _, named := e.Args[0].(*ast.Name); len(v.Dims) == 2 && v.Dims[1].Equal(g.Dims[0]) && named {
		end := e.Args[0].Span().End
		d.Fix(source.Span{Start: end, End: end}, "'", "rows are grouped: transpose, so that the columns are rows")
	} else {
		d.Note("groups are of the rows of a value: it needs a level in each of %s rows", v.Dims[0])
	}
	return false
}

// notGroups reports what stands behind `by` and is no level of each row.
func (c *checker) notGroups(a ast.Expr, t types.Type) {
	d := c.errorf(diag.BadGroups, a, "%s is %s: rows are grouped by data that are levels", format.Expr(a), t)
	n, named := a.(*ast.Name)
	switch s := c.Symbols[format.Expr(a)]; {
	case t.Elem == types.Level:
		d.Note("one level for each row: level(G)[N]")
	case named && s != nil && s.Kind == Data && len(t.Dims) == 1:
		d.Note("data %s : level(G)[%s] declares its values as categories; numbers that are measured have "+
			"none", n.Name, t.Dims[0])
	default:
		d.Note("declare them as data g : level(G)[N], with a column of codes 1, 2, … or of words")
	}
}

// notByGroups reports a call by groups of a function that has no such form.
func (c *checker) notByGroups(e *ast.Call, function string) {
	var known []string
	for _, name := range c.Universe.Funcs() {
		if s, ok := c.Universe.Structural(name); ok && s.Groups {
			known = append(known, name)
		}
	}
	d := c.errorIn(e, diag.MisplacedBy, e.Name, "%s does not go by groups", function)
	if _, ok := c.Universe.Func(function); ok {
		d.Note("it goes element by element: write %s(v)", function)
		return
	}
	d.Note("%s do, as sum(v by g)", strings.Join(known, ", "))
}
