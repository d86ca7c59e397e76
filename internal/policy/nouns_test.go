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

// private are the folders outside of the product.
const private = "bench tests tools examples"

func belowAny(dir, tops string) bool {
	return slices.ContainsFunc(strings.Fields(tops), func(top string) bool { return below(dir, top) })
}

var (
	word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	// camel is where a word begins behind an abbreviation: ELBOPoint.
	camel = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	terms = regexp.MustCompile(`(?m)^\|[^|]+`)
	// form is how a word ends in its forms, which have one root: carrier and carried.
	form = regexp.MustCompile(`(ing|ed|er|able|es|s|e)s?$`)
	// plain matches last words of names that say nothing of parties: the word before them does.
	plain = regexp.MustCompile(`\B(Error|Options|Code|Config|Form|ID|Reason|Size|Status|Counts|Set|Switch)$`)
)

// nounsOf are the roots of the words of a text.
func nounsOf(text string) []string {
	words := word.FindAllString(camel.ReplaceAllString(text, "$1 $2"), -1)
	for i, w := range words {
		if stem, ok := strings.CutSuffix(w, "ies"); ok {
			w = stem + "y"
		}
		words[i] = form.ReplaceAllString(strings.ToLower(w), "")
	}
	return words
}

// Whoever reads an exported name finds its last word in the glossary. The nodes of the syntax tree are the
// statements and expressions of the language, which docs/language.md defines.
func TestEachNounIsDefined(t *testing.T) {
	t.Parallel()
	glossary, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := nounsOf(strings.Join(terms.FindAllString(string(glossary), -1), " "))
	for name, places := range exportedTypes(t) {
		words := nounsOf(plain.ReplaceAllString(name, ""))
		if !slices.Contains(known, words[len(words)-1]) {
			t.Errorf("%s: docs/glossary.md has no sentence for the noun of %s", strings.Join(places, ", "), name)
		}
	}
}

// shared are names of types in several packages that mean the same there, or say nothing without the word of
// their package. The syntax tree calls its nodes what they stand for.
var shared = map[string]string{
	"Array":            "numbers or words with dimensions",
	"Candidate":        "one of several to choose from",
	"Config":           "what a package is set up with",
	"Entry":            "one of a list of that package",
	"Failure":          "why something failed, to be said later",
	"Fitted":           "an encoder with what it has learned",
	"Forecast":         "what noise does to a fit",
	"Group":            "cuts, or variables, that enter as one",
	"History":          "what came before",
	"Input":            "a file that is read",
	"Join":             "tables whose rows correspond",
	"Kernel":           "a run of an algorithm",
	"Kind":             "which one of a few",
	"Law":              "the distribution of a response",
	"Likelihood":       "a likelihood statement, at stages of the compiler",
	"Link":             "from a linear predictor to a parameter",
	"Noise":            "auxiliary variables' deviations from their cuts",
	"Option":           "a named argument of an encoder",
	"Options":          "what a call may be told",
	"Page":             "an explanation of a code or a name",
	"Param":            "a parameter, of a model or of a distribution",
	"Part":             "what a party has of what all must suit by",
	"PolynomialForm":   "y·factor + term, by its polynomials",
	"Port":             "a parameter, input, output or report of a graph, and its place at a party",
	"Predicted":        "a response that is drawn",
	"Program":          "a model, at stages of the compiler",
	"Progress":         "a report of how far something is",
	"Range":            "values between two ends",
	"RangeError":       "a value outside of a range",
	"Refusal":          "why something is not taken",
	"Report":           "what is written at the end",
	"ResponseAccuracy": "the accuracy for one response",
	"Result":           "what a package's main call returns",
	"Sheet":            "a table or text as it is shown",
	"Size":             "a number of rows or columns, as an expression",
	"Table":            "columns of one length",
	"Transform":        "how a model is evaluated by several parties",
	"Transition":       "a step of a Markov chain",
	"Value":            "a number, or an array of them",
	"Window":           "some of the rows",
}

// exportedTypes are the places of the product's exported types, by name.
func exportedTypes(t *testing.T) map[string][]string {
	t.Helper()
	places := map[string][]string{}
	for dir, u := range units(t) {
		if belowAny(dir, private) || dir == "lang/ast" {
			continue
		}
		for _, f := range u.files {
			for _, d := range f.Decls {
				decl, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range decl.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						places[s.Name.Name] = append(places[s.Name.Name], u.at(s))
					}
				}
			}
		}
	}
	return places
}

// One exported noun has one meaning: a type's name stands in one package, or among shared.
func TestOneNounOneMeaning(t *testing.T) {
	t.Parallel()
	places := exportedTypes(t)
	for name, at := range places {
		if _, ok := shared[name]; len(at) > 1 && !ok {
			t.Errorf("%s: each is a type %s; one of them needs another name", strings.Join(at, ", "), name)
		}
	}
	for name, meaning := range shared {
		if len(places[name]) < 2 {
			t.Errorf("%s (%s) is shared by no two packages", name, meaning)
		}
	}
}
