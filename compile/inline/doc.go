package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// A Doc documents a function of a module of the standard library.
type Doc struct {
	Name   string   // nn.mlp
	Usage  []string // nn.mlp(X, [n1]), one for each list of arguments
	Text   string   // the comment above the function
	Params []string // the parameters and weights inside, as they are declared in the first form that has them
}

// Docs documents the functions of the modules of the standard library, by module, in the order in which they
// are declared.
func Docs(u *stdlib.Universe) []Doc {
	var out []Doc
	for _, name := range u.Modules() {
		text, _ := u.Module(name)
		file, _ := parser.Parse(source.New("stdlib/"+name+".vfl", text))
		for i, s := range file.Stmts {
			f, ok := s.(*ast.Fn)
			if !ok {
				continue
			}
			called := name + "." + f.Name.Name
			at := slices.IndexFunc(out, func(d Doc) bool { return d.Name == called })
			if at < 0 {
				at, out = len(out), append(out, Doc{Name: called, Text: above(file, i), Params: params(f)})
			}
			out[at].Usage = append(out[at].Usage, usage(called, f))
		}
	}
	return out
}

// above returns the comment directly above statement i.
func above(file *ast.File, i int) string {
	from := 0
	if i > 0 {
		from = file.Stmts[i-1].Span().End
	}
	var lines []string
	for _, c := range file.Comments {
		if at := c.Span(); c.Doc && at.Start >= from && at.End <= file.Stmts[i].Span().Start {
			lines = append(lines, strings.TrimSpace(strings.TrimPrefix(c.Text, "///")))
		}
	}
	return strings.Join(lines, " ")
}

func params(f *ast.Fn) []string {
	var out []string
	for _, s := range f.Body {
		switch s.(type) {
		case *ast.Param, *ast.Weight:
			out = append(out, format.Stmt(s))
		}
	}
	return out
}
