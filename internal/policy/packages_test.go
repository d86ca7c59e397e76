package policy

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

func TestPackageNamesDescribeTheirContents(t *testing.T) {
	for dir, u := range units(t) {
		switch u.name {
		case "util", "utils", "common", "helper", "helpers", "misc", "shared", "base":
			t.Errorf("%s: the name of package %s does not describe its contents", dir, u.name)
		}
	}
}

func TestEverythingExportedIsDocumented(t *testing.T) {
	for dir, u := range units(t) {
		described := false
		for _, f := range u.files {
			described = described || f.Doc != nil
			if u.name == "main" {
				continue
			}
			for _, d := range f.Decls {
				for _, what := range undocumented(d) {
					t.Errorf("%s: %s has no comment", u.at(d), what)
				}
			}
		}
		if !described {
			t.Errorf("%s: package %s has no comment", dir, u.name)
		}
	}
}

// undocumented lists the exported names of a declaration that no comment explains.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !fixedByContract(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var out []string
		for _, s := range d.Specs {
			if d.Doc == nil {
				out = append(out, undocumentedSpec(s)...)
			}
		}
		return out
	}
	return nil
}

func undocumentedSpec(s ast.Spec) []string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Doc == nil && s.Name.IsExported() {
			return []string{s.Name.Name}
		}
	case *ast.ValueSpec:
		var out []string
		for _, n := range s.Names {
			if s.Doc == nil && s.Comment == nil && n.IsExported() {
				out = append(out, n.Name)
			}
		}
		return out
	}
	return nil
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return ast.IsExported(name)
}

// fixedByContract names methods whose meaning the standard library fixes.
func fixedByContract(d *ast.FuncDecl) bool {
	return d.Recv != nil && (d.Name.Name == "Error" || d.Name.Name == "Unwrap")
}

func TestNoInitFunctions(t *testing.T) {
	for _, u := range units(t) {
		for _, f := range u.files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: an init function: nothing may happen by being imported", u.at(d))
				}
			}
		}
	}
}

// Package variables are tables. One without a value, or one that a function assigns to, is state that all
// callers share.
func TestNoMutablePackageState(t *testing.T) {
	for _, u := range units(t) {
		vars := map[string]bool{}
		for _, f := range u.files {
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					packageVars(t, u, g, vars)
				}
			}
		}
		for _, f := range u.files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					assigned(fn, vars, func(n ast.Node, name string) {
						t.Errorf("%s: %s changes the package variable %s", u.at(n), fn.Name.Name, name)
					})
				}
			}
		}
	}
}

func packageVars(t *testing.T, u *unit, g *ast.GenDecl, vars map[string]bool) {
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		for _, n := range v.Names {
			vars[n.Name] = n.Name != "_"
			if len(v.Values) == 0 && !embedded(g, v) {
				t.Errorf("%s: the package variable %s starts without a value, so something changes it",
					u.at(v), n.Name)
			}
		}
	}
}

func embedded(g *ast.GenDecl, v *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{g.Doc, v.Doc} {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:embed ") {
				return true
			}
		}
	}
	return false
}

// assigned reports assignments in fn whose target begins with a package variable. A name that fn declares
// itself, anywhere, is taken for its own.
func assigned(fn *ast.FuncDecl, vars map[string]bool, report func(ast.Node, string)) {
	own := declared(fn)
	target := func(n ast.Node, e ast.Expr) {
		if id := rootOf(e); id != nil && vars[id.Name] && !own[id.Name] {
			report(n, id.Name)
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok != token.DEFINE {
					target(n, e)
				}
			}
		case *ast.IncDecStmt:
			target(n, n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				target(n, n.X)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") {
				target(n, n.Args[0])
			}
		}
		return true
	})
}

// declared collects the names of fn's receiver, parameters, results and local variables.
func declared(fn *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				own[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				own[id.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					own[e.(*ast.Ident).Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					own[id.Name] = true
				}
			}
		}
		return true
	})
	return own
}

// rootOf returns the name that an assignable expression begins with.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}
