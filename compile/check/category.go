package check

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// Category returns the level that a comparison has on one side, and the category in quotes on the other.
func Category(e *ast.Binary) (level ast.Expr, category *ast.Text, ok bool) {
	if category, ok = ast.Unparen(e.Y).(*ast.Text); ok {
		return e.X, category, true
	}
	category, ok = ast.Unparen(e.X).(*ast.Text)
	return e.Y, category, ok
}

// Coded returns the data whose categories a level has: region of region[2:T], district of district[school].
func (p *Program) Coded(level ast.Expr) *Symbol {
	for {
		switch e := ast.Unparen(level).(type) {
		case *ast.Index:
			level = e.X
			continue
		case *ast.Name:
			return p.Symbols[e.Name]
		}
		return nil
	}
}

// Code returns the position of a category in a list, from 1; 0 where it is not in it.
func Code(list []string, category string) int {
	return 1 + slices.Index(list, norm.NFC.String(category))
}

// category types a comparison of a level with a category.
func (c *checker) category(e *ast.Binary, level ast.Expr, text *ast.Text) (ExprInfo, bool) {
	x, ok := c.expr(level)
	out := ExprInfo{Type: types.Type{Elem: types.Binary, Dims: x.Type.Dims}, Owners: x.Owners,
		Random: x.Random}
	s := c.Coded(level)
	switch {
	case !ok:
		return out, false
	case x.Type.Elem != types.Level || s == nil:
		c.errorf(diag.MisplacedText, text, "a category in quotes is compared with a level, but %s is %s",
			format.Expr(level), x.Type).
			Note("declare the data as level(S), or as level(%s, …) with all categories; a number stands without "+
				"quotes", format.Expr(text))
		return out, false
	case !ast.Single(ast.Precedence(e.Op)):
		c.errorf(diag.MisplacedText, text, "a category is compared, by `==` or `!=`, and has no arithmetic")
		return out, false
	case e.Op != "==" && e.Op != "!=":
		c.errorf(diag.MisplacedText, e, "a level is equal to a category or not: `%s` needs its number", e.Op).
			Note("categories are numbered from 1 in the order of `levels`, as in %s %s 2",
				format.Expr(level), e.Op)
		return out, false
	}
	c.Info[text] = ExprInfo{Type: types.Type{Elem: types.Int}}
	if _, _, list := c.LevelSize(x.Type); list != nil && Code(list, text.Text) == 0 {
		NoCategory(c.errorf(diag.UnknownCategory, text, "%s has no category %s", s.Name, format.Expr(text)), list,
			text.Text)
		return out, false
	}
	return out, c.condition(level, x)
}

// NoCategory adds to a message which categories there are, the nearest first.
func NoCategory(d *diag.Diagnostic, list []string, category string) {
	near := Nearest(category, list)
	if k := slices.IndexFunc(list, func(c string) bool { return strings.EqualFold(c, category) }); k >= 0 {
		near = list[k]
	}
	if near != "" {
		d.Note("did you mean %s?", format.Expr(&ast.Text{Text: near}))
	}
	const most = 12
	var shown []string
	for _, k := range list[:min(len(list), most)] {
		shown = append(shown, format.Expr(&ast.Text{Text: k}))
	}
	if len(list) > most {
		shown = append(shown, "…")
	}
	d.Note("its categories are %s", strings.Join(shown, ", "))
}

// unquoted reports a category without quotes: a name that nothing has, compared with a level.
func (c *checker) unquoted(e *ast.Binary) bool {
	for _, side := range [][2]ast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		n, ok := side[1].(*ast.Name)
		if !ok || !c.ofLevels(side[0]) || c.lookup(n) != nil || c.Sizes[n.Name] != nil {
			continue
		}
		if _, later := c.later[n.Name]; later || c.failed[n.Name] {
			continue
		}
		quoted := format.Expr(&ast.Text{Text: n.Name})
		d := c.errorf(diag.UnknownCategory, n, "%s is no name of the model; a category stands in quotes", n.Name)
		s := c.Coded(side[0])
		if _, _, list := c.LevelSize(s.Type); list == nil || Code(list, n.Name) > 0 {
			d.Fix(n.Span(), quoted, "compare with the category")
		} else {
			NoCategory(d, list, n.Name)
		}
		return true
	}
	return false
}
