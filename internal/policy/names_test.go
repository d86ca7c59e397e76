package policy

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// What is known of a distribution stands in its descriptor: code elsewhere that asks for one by name would
// have to be found and changed for each new distribution. Examples, benchmarks and tools name the
// distributions that they use.
func TestNoDistributionIsNamedOutsideTheStandardLibrary(t *testing.T) {
	names := stdlib.New().Dists()
	for dir, u := range units(t) {
		if slices.ContainsFunc([]string{"stdlib", "bench", "tools", "tests", "examples"},
			func(top string) bool {
				return below(dir, top)
			}) {
			continue
		}
		for name, f := range u.files {
			if strings.HasSuffix(name, "lang/diag/elsewhere.go") {
				// what to write for names of other languages; a test of stdlib holds it to what exists
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if letter, ok := n.(*ast.KeyValueExpr); ok {
					if key, ok := letter.Key.(*ast.BasicLit); ok && key.Kind == token.CHAR {
						return false // how a letter is spelt
					}
				}
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				if s, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(names, s) {
					t.Errorf("%s: %q is a distribution: put what is known of it into its "+
						"descriptor, and ask that", u.at(n), s)
				}
				return true
			})
		}
	}
}

// The noise of auxiliary variables is a distribution with a location and a scale.
func TestNoiseIsADistribution(t *testing.T) {
	d, ok := stdlib.New().Dist(stdlib.Noise)
	if !ok || d.LocationAt != 0 || d.ScaleAt != 1 || len(d.Params) != 2 {
		t.Errorf("%s is not a distribution of a location and a scale", stdlib.Noise)
	}
}
