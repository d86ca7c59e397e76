package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// Listed gives the categories of level("A", "B") a statement `levels NAME.levels` of their own, before the
// first declaration that lists them, whose name is NAME.
func Listed(file *ast.File) *ast.File {
	out := *file
	out.Stmts = nil
	var seen []*ast.Levels
	for _, s := range file.Stmts {
		t, name := typeOf(s)
		if t == nil {
			out.Stmts = append(out.Stmts, s)
			continue
		}
		list := &ast.Levels{At: t.At, Name: ast.Ident{At: name.At, Name: name.Name + ".levels"}}
		for _, e := range t.Levels.(*ast.Array).Elems {
			list.Categories = append(list.Categories,
				&ast.Category{At: ast.At(e.Span()), Text: e.(*ast.Text).Text, Quoted: true})
		}
		known := slices.IndexFunc(seen, func(k *ast.Levels) bool {
			return slices.EqualFunc(k.Categories, list.Categories, func(a, b *ast.Category) bool {
				return a.Text == b.Text
			})
		})
		if known < 0 {
			known, seen = len(seen), append(seen, list)
			out.Stmts = append(out.Stmts, list)
		}
		size := &ast.Name{At: ast.At(t.Levels.Span()), Name: seen[known].Name.Name}
		typed := *t
		typed.Levels = size
		out.Stmts = append(out.Stmts, withType(s, &typed))
	}
	return &out
}

// typeOf returns the type of a declaration that lists its categories, nil of another statement.
func typeOf(s ast.Stmt) (t *ast.Type, name ast.Ident) {
	switch s := s.(type) {
	case *ast.Data:
		t, name = s.Type, s.Name
	case *ast.Param:
		t, name = s.Type, s.Name
	case *ast.Generate:
		t, name = s.Type, s.Name
	}
	if t == nil {
		return nil, name
	}
	if _, listed := t.Levels.(*ast.Array); !listed {
		return nil, name
	}
	return t, name
}

// withType is a declaration with another type.
func withType(s ast.Stmt, t *ast.Type) ast.Stmt {
	switch s := s.(type) {
	case *ast.Data:
		out := *s
		out.Type = t
		return &out
	case *ast.Param:
		out := *s
		out.Type = t
		return &out
	case *ast.Generate:
		out := *s
		out.Type = t
		return &out
	}
	return s
}
