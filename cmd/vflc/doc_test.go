package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// Every word that begins a statement has a page, and the examples of the language's pages are models.
func TestLanguageHasPages(t *testing.T) {
	u := stdlib.New()
	for _, k := range append(parser.Keywords(), "real", "int", "binary", "count", "level", "recur", "missing",
		"truncate", "censor", "weights", "noncentered", "shared") {
		if len(stdlib.PagesOf(u, k)) == 0 {
			t.Errorf("vflc doc has no page of %s", k)
		}
	}
	for _, name := range stdlib.Language() {
		for _, p := range stdlib.PagesOf(u, name) {
			for _, text := range p.Examples {
				if !slices.Contains([]string{"statement", "clause", "type"}, p.Kind) ||
					strings.HasPrefix(text, "param p : ") {
					continue
				}
				if _, diags := compile.Compile(source.New("model.vfl", text),
					check.Options{}); diags.HasErrors() {
					t.Errorf("the example of %s gets %s: %s\n%s", name, diags[0].Code, diags[0].Message, text)
				}
			}
		}
	}
}

// Every flag of a command has a page, with its command and without the dashes too.
func TestFlagsHavePages(t *testing.T) {
	root := newRoot()
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || c.Hidden {
				return
			}
			found := flagPages(root, "--"+f.Name)
			if !slices.ContainsFunc(found, func(p stdlib.Page) bool {
				used := p.Properties[len(p.Properties)-1]
				return slices.Contains(strings.Split(used.Doc, ", "), c.Name())
			}) {
				t.Errorf("vflc doc --%s does not name %s", f.Name, c.Name())
			}
		})
	}
	var out bytes.Buffer
	if err := showPages(&out, stdlib.New(), root, "draws", false); err != nil ||
		!strings.Contains(out.String(), "--draws") {
		t.Errorf("%v: %s", err, out.String())
	}
}
