package policy

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/encoder"
	"github.com/vflc/vflc/stdlib/fn"
)

// An entry is one thing of a list: its name, and whether it is documented with examples.
type entry struct {
	name       string
	documented bool
}

// A registry is a folder with one file per thing, a list of them, and the type that its constructors return.
type registry struct {
	dir     string
	types   []string
	entries []entry
}

func registries() []registry {
	var dists, fns, bijectors, encoders []entry
	for _, d := range dist.All() {
		dists = append(dists, entry{d.Name, d.Doc != "" && len(d.Examples) > 0})
	}
	for _, d := range dist.Events() {
		dists = append(dists, entry{d.Name, d.Doc != "" && len(d.Examples) > 0})
	}
	for _, f := range fn.Elementwise() {
		fns = append(fns, entry{f.Name, f.Doc != "" && len(f.Examples) > 0})
	}
	for _, f := range fn.Structural() {
		fns = append(fns, entry{f.Name, f.Doc != "" && len(f.Examples) > 0})
	}
	for _, b := range bijector.All() {
		bijectors = append(bijectors, entry{b.Name, b.Doc != ""})
	}
	for _, s := range bijector.Structured() {
		bijectors = append(bijectors, entry{s.Name, s.Doc != ""})
	}
	for _, e := range encoder.All() {
		encoders = append(encoders, entry{e.Name, e.Doc != "" && len(e.Examples) > 0})
	}
	return []registry{
		{"stdlib/dist", []string{"Dist"}, dists},
		{"stdlib/fn", []string{"Func", "Structural"}, fns},
		{"stdlib/bijector", []string{"Bijector", "Structured"}, bijectors},
		{"stdlib/encoder", []string{"Encoder"}, encoders},
	}
}

// A listed thing is one file of its name, with its documentation; a file with a constructor is listed.
func TestOneFileAndOneLinePerThing(t *testing.T) {
	all := units(t)
	for _, r := range registries() {
		var listed []string
		for _, e := range r.entries {
			listed = append(listed, e.name)
			if !e.documented {
				t.Errorf("%s: %s has no documentation or no examples", r.dir, e.name)
			}
		}
		slices.Sort(listed)
		if diff := cmp.Diff(listed, constructorFiles(all[r.dir], r.types)); diff != "" {
			t.Errorf("%s: listed (-) and files with a constructor (+) differ:\n%s", r.dir, diff)
		}
	}
}

// constructorFiles returns the names of the files, one for each exported function without arguments that
// returns one of the types of stdlib/def.
func constructorFiles(u *unit, types []string) []string {
	var out []string
	for name, f := range u.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv != nil || fn.Type.Params.NumFields() != 0 ||
				fn.Type.Results.NumFields() != 1 {
				continue
			}
			if sel, ok := fn.Type.Results.List[0].Type.(*ast.SelectorExpr); ok &&
				slices.Contains(types, sel.Sel.Name) {
				out = append(out, strings.TrimSuffix(path.Base(name), ".go"))
			}
		}
	}
	slices.Sort(out)
	return out
}

// What is known of an encoder stands in its descriptor: package data asks it, and names none in quotes.
func TestDataNamesNoEncoder(t *testing.T) {
	var names []string
	for _, e := range encoder.All() {
		names = append(names, strconv.Quote(e.Name))
	}
	u := units(t)["data"]
	for _, f := range u.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && slices.Contains(names, lit.Value) {
				t.Errorf("%s: the encoder %s is named in quotes", u.at(lit), lit.Value)
			}
			return true
		})
	}
}
