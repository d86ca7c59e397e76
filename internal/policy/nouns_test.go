package policy

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// nouned are the folders of what parties send one another and what algorithms see of it.
var nouned = []string{"density", "node", "fit/attack"}

func belowAny(dir string, tops []string) bool {
	return slices.ContainsFunc(tops, func(top string) bool { return below(dir, top) })
}

// exportedTypes calls visit for every exported type of a package.
func exportedTypes(u *unit, visit func(*ast.TypeSpec)) {
	for _, f := range u.files {
		for _, d := range f.Decls {
			g, _ := d.(*ast.GenDecl)
			for i := 0; g != nil && i < len(g.Specs); i++ {
				if s, ok := g.Specs[i].(*ast.TypeSpec); ok && s.Name.IsExported() {
					visit(s)
				}
			}
		}
	}
}

// Who reads of a message, a cut or a ledger in the code finds one type of that name.
func TestNounsOfPartiesAreUnique(t *testing.T) {
	types := map[string][]string{}
	ours := map[string]bool{}
	for dir, u := range units(t) {
		if belowAny(dir, []string{"bench", "tests", "tools", "examples"}) {
			continue
		}
		exportedTypes(u, func(s *ast.TypeSpec) {
			types[s.Name.Name] = append(types[s.Name.Name], u.at(s))
			ours[s.Name.Name] = ours[s.Name.Name] || belowAny(dir, nouned)
		})
	}
	for name, places := range types {
		if slices.Sort(places); ours[name] && len(places) > 1 {
			t.Errorf("%s: each is a type %s; one of them needs another name", strings.Join(places, ", "), name)
		}
	}
}

var (
	word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	// form is how a word ends in its forms: carrier and carried have the same root.
	form = regexp.MustCompile(`(ing|ed|er|able|es|s|e)s?$`)
	// plain are last words of names that say nothing of parties: the word before them does.
	plain = []string{"error", "options", "reason", "size", "status", "counts", "set", "switch", "handlers"}
)

func rootsOf(text string) (out []string) {
	for _, w := range word.FindAllString(text, -1) {
		if w = strings.ToLower(w); !slices.Contains(plain, w) {
			out = append(out, form.ReplaceAllString(w, ""))
		}
	}
	return out
}

// The last word of the name of a type is its noun.
func TestNounsOfPartiesAreInTheGlossary(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			known = append(known, rootsOf(cells[1])...)
		}
	}
	for dir, u := range units(t) {
		if !belowAny(dir, nouned) || below(dir, "fit") {
			continue
		}
		exportedTypes(u, func(s *ast.TypeSpec) {
			if words := rootsOf(s.Name.Name); len(words) > 0 && !slices.Contains(known, words[len(words)-1]) {
				t.Errorf("%s: docs/glossary.md has no sentence for the noun of %s", u.at(s), s.Name.Name)
			}
		})
	}
}
