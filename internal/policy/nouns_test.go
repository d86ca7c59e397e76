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

// nouned are the folders of what parties send one another and what algorithms see of it, and private those
// outside of the product.
const (
	nouned  = "density node fit/attack runtime/session runtime/transport runtime/network"
	private = "bench tests tools examples"
)

func belowAny(dir, tops string) bool {
	return slices.ContainsFunc(strings.Fields(tops), func(top string) bool { return below(dir, top) })
}

var (
	word  = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	terms = regexp.MustCompile(`(?m)^\|[^|]+`)
	// form is how a word ends in its forms, which have one root: carrier and carried.
	form = regexp.MustCompile(`(ing|ed|er|able|es|s|e)s?$`)
	// plain matches last words of names that say nothing of parties: the word before them does.
	plain = regexp.MustCompile(`\B(Error|Options|Code|Config|Form|ID|Reason|Size|Status|Counts|Set|Switch)$`)
)

// nounsOf are the roots of the words of a text.
func nounsOf(text string) []string {
	words := word.FindAllString(text, -1)
	for i, w := range words {
		words[i] = form.ReplaceAllString(strings.ToLower(w), "")
	}
	return words
}

// Who reads of a message, a cut or a ledger in the code finds one type of that name, and the last word of it
// in the glossary.
func TestNounsOfParties(t *testing.T) {
	glossary, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := nounsOf(strings.Join(terms.FindAllString(string(glossary), -1), " "))
	types := map[string][]string{}
	ours := map[string]bool{}
	for dir, u := range units(t) {
		for _, f := range u.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && !belowAny(dir, private) {
					name := s.Name.Name
					types[name] = append(types[name], u.at(s))
					ours[name] = ours[name] || belowAny(dir, nouned)
				}
				_, body := n.(*ast.BlockStmt)
				return !body
			})
		}
	}
	for name := range ours {
		if places := strings.Join(types[name], ", "); !ours[name] {
		} else if words := nounsOf(plain.ReplaceAllString(name, "")); len(types[name]) > 1 {
			t.Errorf("%s: each is a type %s; one of them needs another name", places, name)
		} else if !slices.Contains(known, words[len(words)-1]) {
			t.Errorf("%s: docs/glossary.md has no sentence for the noun of %s", places, name)
		}
	}
}
