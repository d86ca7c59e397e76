package report

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// The kinds of plots that show what was found come first, each kind once, and none is lost.
func TestPlotsOfFindingsComeFirst(t *testing.T) {
	for _, c := range []struct {
		checks []string
		first  []string
	}{
		{nil, []string{"forest"}},
		{[]string{"khat"}, []string{"forest"}},
		{[]string{"divergences", "divergences", "rhat"}, []string{"pairs", "rank", "trace", "forest"}},
		{[]string{"ess_tail", "ebfmi"}, []string{"trace", "energy", "forest"}},
		{[]string{"converged"}, []string{"elbo", "forest"}},
	} {
		var found []posterior.Finding
		for _, check := range c.checks {
			found = append(found, posterior.Finding{Check: check})
		}
		got := inOrder(found)
		if !slices.Equal(got[:len(c.first)], c.first) {
			t.Errorf("%v: %v", c.checks, got)
		}
		for _, kind := range kindsOfPlots() {
			if n := len(slices.DeleteFunc(slices.Clone(got), func(k string) bool {
				return k != kind
			})); n != 1 {
				t.Errorf("%v: %s %d times in %v", c.checks, kind, n, got)
			}
		}
	}
}

// Of a funnel the scale is what divergent transitions set apart, though its draws there are within a standard
// deviation of its mean.
func TestDivergencesPointAtTheScale(t *testing.T) {
	const n = 400
	d := posterior.NewDraws([]posterior.Variable{{Name: "m"}, {Name: "tau"}}, 1, n)
	d.Transitions = [][]posterior.Transition{make([]posterior.Transition, n)}
	for i := range n {
		u := (float64(i) + 0.5) / n
		d.Append(0, []float64{math.Sin(float64(7 * i)), math.Tan(math.Pi / 2 * u)}) // half-Cauchy, in order
	}
	d.Transitions[0][2].Divergent = true
	apart := atDivergences(d)
	if apart[1] < 0.98 || apart[0] > 0.98 {
		t.Errorf("m %v, tau %v", apart[0], apart[1])
	}
	for i := range n {
		d.Transitions[0][i].Divergent = true
	}
	if all := atDivergences(d); max(all[0], all[1]) > 0.01 {
		t.Errorf("of all draws: %v", all)
	}
	d.Transitions[0] = make([]posterior.Transition, n)
	if none := atDivergences(d); none[0] != 0 || none[1] != 0 {
		t.Errorf("of none: %v", none)
	}
}
