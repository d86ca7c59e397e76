package check_test

import (
	"strings"
	"testing"

	"github.com/agnivade/levenshtein"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// misspelt lists what may be typed for a name: each letter left out, each doubled, and, for every other name
// of the list within the distance at which a name is proposed, the words on the way to it, letter by letter.
func misspelt(name string, names []string) (out []string) {
	for i := range name {
		out = append(out, name[:i]+name[i+1:], name[:i+1]+name[i:])
	}
	for _, other := range names {
		if d := levenshtein.ComputeDistance(name, other); other == name || d > (len(name)+1)/3 {
			continue
		}
		for i := range min(len(name), len(other)) {
			out = append(out, name[:i]+other[i:], other[:i]+name[i:])
		}
	}
	return out
}

// A thing of the language whose name is near is never a fix: that two names differ by a letter says nothing
// of their values. Every name is misspelt, and so is every pair of near names, among functions,
// distributions, densities, encoders, transforms and kinds of initial values. What is put in is the same
// thing under a name known elsewhere, of which other tests compare the values.
func TestNoFixPutsAnotherThing(t *testing.T) {
	u := stdlib.New()
	for _, kind := range []struct {
		names []string
		text  string
		space diag.Namespace
	}{
		{u.Funcs(), "data x : real[N]\nfactor sum(%(x))\n", diag.Functions},
		{u.Dists(), "data x : real[N]\nx ~ %(x)\n", diag.Distributions},
		{u.Dists(), "data x : real[N]\nfactor %_lpdf(x | 0, 1)\n", diag.Distributions},
		{u.Encoders(), "data X : real[N, P] from %(age)\nfactor sum(X)\n", diag.Encoders},
		{u.Transforms(),
			"client a\ndata y : real[N] @ shared\ndata x : real[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ " +
				"normal(x * b, 1)\ntransform %\n", diag.Values},
		{u.Initials(), "data y : real[N]\nweight w init %\ny ~ normal(w, 1)\n", diag.Initials},
	} {
		known, noted := map[string]bool{}, 0
		for _, name := range kind.names {
			known[name] = true
		}
		for _, name := range kind.names {
			for _, wrong := range misspelt(name, kind.names) {
				file, diags := parser.Parse(source.New("m.vfl", strings.ReplaceAll(kind.text, "%", wrong)))
				if diags.HasErrors() || wrong == "" || known[wrong] {
					continue // a keyword, no name, or a name itself
				}
				_, diags = check.Check(&check.Linked{File: file}, u, check.Options{})
				for _, d := range diags {
					for _, n := range d.Notes {
						if strings.HasPrefix(n.Message, "did you mean") {
							noted++
						}
					}
					for _, f := range d.Fixes {
						if foreign, ok := diag.Elsewhere(kind.space, wrong); !ok || !foreign.Same {
							t.Errorf("%s: %s", wrong, f.Message)
						}
					}
				}
			}
		}
		if noted < len(kind.names) {
			t.Errorf("%d names are proposed in %s", noted, kind.text)
		}
	}
}
