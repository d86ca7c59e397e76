// Package editors_test writes what editors read from the tables of the language: the words of the TextMate
// grammar and of the queries of tree-sitter, and expressions with the trees that the compiler makes of them.
package editors_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

var update = flag.Bool("update", false, "write the files of editors anew")

// words are the words of the language by what they are.
type words struct {
	Declaring, Words, Reserved, Types, Dists, Endings, Funcs, Calls, Encoders, Initials, Transforms []string
}

func allWords() words {
	u := stdlib.New()
	w := words{Types: u.StructuredTypes(), Dists: append(u.Dists(), stdlib.MixtureName),
		Funcs: append(u.Funcs(), check.SizeCall), Encoders: u.Encoders(), Initials: u.Initials(),
		Transforms: u.Transforms(),
		Endings:    []string{"_lpdf", "_lpmf", "_lcdf", "_lccdf"}}
	for e := types.Real; e <= types.Level; e++ {
		w.Types = append(w.Types, e.String())
	}
	w.Declaring = without(parser.Keywords(), "server", "client", "module", "fn", "dist", "import", "factor",
		"transform", "program")
	w.Reserved = without(parser.Reserved(), "shared", "for", "in", "return")
	w.Words = append(slices.Clone(w.Reserved), "implements", "to", "recur", "ode")
	for _, k := range parser.Keywords() {
		if !slices.Contains(w.Words, k) {
			w.Words = append(w.Words, k)
		}
	}
	w.Calls = slices.Clone(w.Funcs)
	for _, d := range w.Dists {
		for _, ending := range w.Endings {
			w.Calls = append(w.Calls, d+ending)
		}
		w.Calls = append(w.Calls, d) // a component of a mixture
	}
	return w
}

func without(list []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(words, w) })
}

// kept compares a file with what it must be, which the flag -update writes there.
func kept(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the tables of the language make: run go test ./editors -update", path)
	}
}

// The parts of regular expressions, as they stand in a string of JSON. A name may have points inside, and no
// word begins or ends within it; the second point of a range belongs to no name.
const (
	name  = `[\\p{L}_][\\p{L}_0-9]*(?:\\.[\\p{L}_][\\p{L}_0-9]*)*`
	start = `(?<![\\p{L}_0-9])(?<![\\p{L}_0-9]\\.)`
	stop  = `(?![\\p{L}_0-9])(?!\\.[\\p{L}_])`
)

func constant(text string) func() string { return func() string { return text } }

func TestWords(t *testing.T) {
	functions := template.FuncMap{
		"any": func(w []string) string { return strings.Join(w, "|") }, "name": constant(name),
		"start": constant(start), "stop": constant(stop), "quoted": quoted,
	}
	for from, to := range map[string]string{
		"testdata/vfl.tmLanguage.json": "vscode/syntaxes/vfl.tmLanguage.json",
		"testdata/highlights.scm":      "tree-sitter-vfl/queries/highlights.scm",
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		form := template.Must(template.New("").Funcs(functions).Parse(string(text)))
		if err := form.Execute(&b, allWords()); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(to, ".json") && !json.Valid([]byte(b.String())) {
			t.Errorf("%s does not make JSON", from)
		}
		kept(t, to, b.String())
	}
}

// quoted puts words in quotes, on lines of up to 100 characters.
func quoted(words []string) string {
	lines := []string{""}
	for _, w := range words {
		if last := len(lines) - 1; len(lines[last])+len(w) > 90 {
			lines = append(lines, strconv.Quote(w))
		} else {
			lines[last] = strings.TrimLeft(lines[last]+" "+strconv.Quote(w), " ")
		}
	}
	return strings.Join(lines, "\n    ")
}
