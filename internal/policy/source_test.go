package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/vflc/vflc"

// root is the top of the repository, seen from this folder.
const root = "../.."

// A unit is one package without its tests.
type unit struct {
	dir   string // "lang/ast"
	name  string
	fset  *token.FileSet
	files map[string]*ast.File // by path from the root
}

// imports lists the packages of this module that u imports, as folders.
func (u *unit) imports() map[string]string {
	out := map[string]string{}
	for file, f := range u.files {
		for _, spec := range f.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if rest, ok := strings.CutPrefix(p, module+"/"); ok {
				out[rest] = file
			}
		}
	}
	return out
}

// at is the place of a node as FILE:LINE.
func (u *unit) at(n ast.Node) string {
	p := u.fset.Position(n.Pos())
	return strings.TrimPrefix(filepath.ToSlash(p.Filename), root+"/") + ":" + strconv.Itoa(p.Line)
}

// walk visits the files of the project, by path from the root. Folders of other tools and of build results
// are left out.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		skip := name == ".git" || name == "build" || name == "out" || name == "runs" ||
			d.Name() == "node_modules"
		switch {
		case d.IsDir() && skip:
			return fs.SkipDir
		case d.Type().IsRegular():
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// units parses every package of the module.
func units(t *testing.T) map[string]*unit {
	t.Helper()
	out := map[string]*unit{}
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.Contains(name, "testdata/") {
			return
		}
		dir := path.Dir(name)
		u := out[dir]
		if u == nil {
			u = &unit{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}}
			out[dir] = u
		}
		f, err := parser.ParseFile(u.fset, filepath.Join(root, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		u.name, u.files[name] = f.Name.Name, f
	})
	if len(out) < 5 {
		t.Fatalf("found only %d packages: is the root of the repository where this test thinks?", len(out))
	}
	return out
}
