package polynomial

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// What has no form, or none of a small degree, is refused by name with a way out; and the K that a refusal
// names is one that will do.
func TestRefusals(t *testing.T) {
	exp := fn.Exp()
	moving := through(dist.Weibull(), 1, Link{Func: &exp}, 1.5, 0)
	moving.Moves = []int{0}
	var got strings.Builder
	for _, c := range []struct {
		term LikelihoodTerm
		q    Approximated
		on   Interval
		goal Goal
	}{
		{term: over(dist.CategoricalLogit(), 0)},
		{term: over(dist.OrderedLogistic(), 0, 0)},
		{term: over(dist.Cox(), 0)},
		{term: over(dist.NegBinomial2Log(), 0, math.NaN())},
		{term: moving},
		{term: through(dist.HurdlePoissonLog(), 1, Link{}, 0.5, 0)},
		{term: through(dist.BetaBinomial(), 1, Link{Func: &exp}, 0, 0, 2)},
		{term: over(dist.StudentT(), 2, 0, 1), q: Value, on: Interval{0, 40}, goal: Goal{Rows: 10_000}},
		{term: over(dist.Laplace(), 0, 1), q: Slope, on: Interval{0, 5}, goal: Goal{Rows: 10_000}},
		{term: over(dist.BernoulliLogit(), 0), q: Slope, on: Interval{-3, 80}, goal: Goal{Rows: 10_000}},
		{term: over(dist.BernoulliLogit(), 0), q: Curvature, on: Interval{0, 40}, goal: Goal{1e6, 63}},
		{term: over(dist.PoissonLog(), 0), q: Value, on: Interval{0, 20}, goal: Goal{Rows: 10_000}},
		{term: over(dist.NegBinomial2Log(), 0, 2), q: Slope, on: Interval{0, 20}, goal: Goal{Rows: 100_000}},
	} {
		f, err := Of(c.term)
		if err == nil {
			_, err = f.Approximate(c.q, c.on, c.goal)
		}
		var refusal *Refusal
		name := c.term.Dist.Name
		if !errors.As(err, &refusal) || refusal.WayOut == "" || !strings.Contains(refusal.Reason, name) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got.WriteString(refusal.Error() + "\n")
	}
	golden(t, "testdata/refusals.txtar", got.String())
}

// The bound that a refusal names is the largest, by halves, that will do.
func TestWayOut(t *testing.T) {
	f := must(t, over(dist.BernoulliLogit(), 0))
	goal := Goal{Rows: 10_000, Degree: 31}
	k := most(f, Slope, Interval{0, 40}, goal)
	_, here := f.approximate(Slope, Interval{0, k}, goal)
	_, further := f.approximate(Slope, Interval{0, k + 0.5}, goal)
	if !here || further || k < 5 {
		t.Errorf("±%v: %v, a half more: %v", k, here, further)
	}
}
