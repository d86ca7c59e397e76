package check

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// levels checks `levels R = …`: R is the size of some level, is listed once, and lists no category twice.
func (c *checker) levels(s *ast.Levels) {
	name := s.Name.Name
	if c.Levels[name] != nil {
		c.errorf(diag.DeclaredTwice, s.Name, "the categories of level(%s) are listed twice", name)
		return
	}
	if !c.sizesLevel(name) {
		c.errorf(diag.BadLevels, s.Name, "no data are level(%s)",
			name).Note("`levels` lists the categories of data such as `data g : level(%s)[N]`; its name is "+
			"the size of the level, and no const", name)
		return
	}
	seen := map[string]bool{}
	for _, w := range s.Categories {
		text := norm.NFC.String(w.Text)
		if !w.Quoted {
			text = strings.ReplaceAll(text, "_", "")
		}
		if strings.TrimSpace(text) == "" || seen[text] {
			c.errorf(diag.BadLevels, w, "a category is listed once, and is not blank")
			return
		}
		seen[text] = true
		c.Levels[name] = append(c.Levels[name], text)
	}
}

// sizesLevel reports whether a name is the size of a level of some data, or of a response that is drawn for
// new rows, and no const.
func (c *checker) sizesLevel(name string) bool {
	found := false
	for _, s := range c.File.Stmts {
		switch s := s.(type) {
		case *ast.Data:
			n, ok := levelsOf(s.Type).(*ast.Name)
			found = found || ok && n.Name == name
		case *ast.Param: // refused itself
			n, ok := levelsOf(s.Type).(*ast.Name)
			found = found || ok && n.Name == name
		case *ast.Generate:
			n, ok := levelsOf(s.Type).(*ast.Name)
			found = found || ok && n.Name == name
		case *ast.Const:
			if s.Name.Name == name {
				return false
			}
		}
	}
	return found || c.For != ""
}

func levelsOf(t *ast.Type) ast.Expr {
	if t == nil {
		return nil
	}
	return t.Levels
}

// LevelSize returns the size of a level, and its listed categories, which may be none.
func (p *Program) LevelSize(t types.Type) (size string, own bool, listed []string) {
	if t.Levels == nil {
		return "", false, nil
	}
	size = t.Levels.String()
	if z := p.Sizes[size]; z != nil {
		own = z.Member != ""
	}
	return size, own, p.Levels[size]
}
