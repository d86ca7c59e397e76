package policy

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// A library reports to its caller, which may be a command, a prompt or a server: it writes to no screen,
// reads no command line and ends no process.
func TestLibrariesLeaveTheProcessAlone(t *testing.T) {
	never := map[string]bool{"os/signal": true, "github.com/spf13/cobra": true,
		"github.com/spf13/pflag": true, "golang.org/x/term": true}
	process := map[string]bool{"Stdout": true, "Stderr": true, "Stdin": true, "Args": true, "Exit": true}
	for dir, u := range units(t) {
		if !below(dir, "fit") && !below(dir, "report") {
			continue
		}
		for _, f := range u.files {
			for _, spec := range f.Imports {
				if p, _ := strconv.Unquote(spec.Path.Value); never[p] {
					t.Errorf("%s: package %s is of commands", u.at(spec), p)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" && process[s.Sel.Name] {
						t.Errorf("%s: os.%s belongs to the process", u.at(s), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// The linker drops the methods that nothing calls, a sixth of the program, unless a function that is reached
// finds methods by name. A module's that does so shows in the size of a release alone.
func TestNoMethodIsFoundByName(t *testing.T) {
	byName := map[string]bool{"Method": true, "MethodByName": true, "Methods": true}
	for dir, u := range units(t) {
		if below(dir, "tests") || below(dir, "bench") {
			continue
		}
		for _, f := range u.files {
			reflects := false
			for _, spec := range f.Imports {
				p, _ := strconv.Unquote(spec.Path.Value)
				reflects = reflects || p == "reflect"
				if p == "text/template" || p == "html/template" {
					t.Errorf("%s: package %s finds methods by name", u.at(spec), p)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && reflects && byName[s.Sel.Name] {
					t.Errorf("%s: %s finds methods by name", u.at(s), s.Sel.Name)
				}
				return true
			})
		}
	}
}

// declares reports whether files declare a function.
func declares(files map[string]*ast.File, name string) bool {
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return true
			}
		}
	}
	return false
}

// Commands take the backends from their list: what they must know of one stands in its description.
func TestCommandsNameNoBackend(t *testing.T) {
	all := units(t)
	var names []string
	for dir := range all {
		if name, ok := strings.CutPrefix(dir, "backends/"); ok && all["fit"].imports()[dir] != "" &&
			declares(all[dir].files, "Algorithm") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("package fit lists no backends")
	}
	for dir, u := range all {
		if !below(dir, "cmd") {
			continue
		}
		for _, f := range u.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok {
					for _, name := range names {
						if strings.Contains(lit.Value, name) {
							t.Errorf("%s: names the backend %s", u.at(lit), name)
						}
					}
				}
				return true
			})
		}
	}
}
