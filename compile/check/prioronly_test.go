package check_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// What is no distribution without the likelihoods is refused; a flat parameter in a bounded set, and what
// only likelihoods need, are not.
func TestPriorOnly(t *testing.T) {
	for text, want := range map[string]string{
		"data y : real[N]\nparam b ~ flat()\ny ~ normal(b, 1)\n":                     "improper prior flat",
		"data y : real[N]\nparam u : unit_vector[2] ~ flat()\ny ~ normal(u[1], 1)\n": "",
		"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\nfactor -b\n":    "",
		"data X : real[N, 2] missing impute ~ multi_normal(m, [[1, 0], [0, 1]])\nparam m : " +
			"real[2] ~ normal(0, 1)\n": "of whole rows",
		"data x : real[N] missing impute\ndata w : real[N]\nparam m ~ normal(0, 1)\nx ~ " +
			"normal(m, 1) weights w\n": "or weighted",
		"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(c, 1)\n": `nothing is named "c"`,
	} {
		file, diags := parser.Parse(source.New("m.vfl", text))
		if diags.HasErrors() {
			t.Fatal(diags[0].Message)
		}
		p, diags := check.Check(&check.Linked{File: file}, stdlib.New(),
			check.Options{PriorOnly: true, Transform: stdlib.NoTransform})
		switch {
		case want == "" && (len(diags) > 0 || len(p.Likelihoods) > 0):
			t.Errorf("%s: %v, %d likelihoods", text, diags, len(p.Likelihoods))
		case want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Message+diags[0].Notes[0].Message,
			want) && !strings.Contains(diags[0].Message, want)):
			t.Errorf("%s: %v, want %q", text, diags, want)
		}
	}
}
