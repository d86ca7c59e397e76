package polynomial

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// What has no form, or none of a small degree, is refused by name with a way out; and the K that a refusal names is one that will do.
func TestRefusals(t *testing.T) {
	exp := fn.Exp()
	var got strings.Builder
	for _, c := range []struct {
		term Term
		q    Quantity
		on   Interval
		goal Goal
	}{
		{term: Term{Dist: dist.CategoricalLogit(), Theta: []float64{0}}},
		{term: Term{Dist: dist.OrderedLogistic(), Theta: []float64{0, 0}}},
		{term: Term{Dist: dist.Cox(), Theta: []float64{0}}},
		{term: Term{Dist: dist.NegBinomial2Log(), Theta: []float64{0, math.NaN()}}},
		{term: Term{Dist: dist.Weibull(), Param: 1, Link: Link{Func: &exp}, Theta: []float64{1.5, 0}, Moves: []int{0}}},
		{term: Term{Dist: dist.HurdlePoissonLog(), Param: 1, Theta: []float64{0.5, 0}}},
		{term: Term{Dist: dist.BetaBinomial(), Param: 1, Link: Link{Func: &exp}, Theta: []float64{0, 0, 2}}},
		{term: Term{Dist: dist.StudentT(), Param: 1, Theta: []float64{2, 0, 1}}, q: Value, on: Interval{0, 20}, goal: Goal{Rows: 10_000}},
		{term: Term{Dist: dist.Laplace(), Theta: []float64{0, 1}}, q: Slope, on: Interval{0, 5}, goal: Goal{Rows: 10_000}},
		{term: Term{Dist: dist.BernoulliLogit(), Theta: []float64{0}}, q: Slope, on: Interval{-3, 40}, goal: Goal{Rows: 10_000}},
		{term: Term{Dist: dist.BernoulliLogit(), Theta: []float64{0}}, q: Curvature, on: Interval{0, 40}, goal: Goal{Rows: 1e6, Degree: 63}},
		{term: Term{Dist: dist.PoissonLog(), Theta: []float64{0}}, q: Value, on: Interval{0, 20}, goal: Goal{Rows: 10_000}},
		{term: Term{Dist: dist.NegBinomial2Log(), Theta: []float64{0, 2}}, q: Slope, on: Interval{0, 20}, goal: Goal{Rows: 100_000}},
	} {
		f, err := Of(c.term)
		if err == nil {
			_, err = f.Approximate(c.q, c.on, c.goal)
		}
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.WayOut == "" || !strings.Contains(refusal.Reason, c.term.Dist.Name) {
			t.Errorf("%s: %v", c.term.Dist.Name, err)
			continue
		}
		got.WriteString(refusal.Error() + "\n")
	}
	golden(t, "testdata/refusals.txtar", got.String())
}

// The bound that a refusal names is the largest, by halves, that will do.
func TestWayOut(t *testing.T) {
	f := must(t, Term{Dist: dist.BernoulliLogit(), Theta: []float64{0}})
	goal := Goal{Rows: 10_000, Degree: 31}
	k := most(f, Slope, Interval{0, 40}, goal)
	_, here := f.approximate(Slope, Interval{0, k}, goal)
	_, further := f.approximate(Slope, Interval{0, k + 0.5}, goal)
	if !here || further || k < 5 {
		t.Errorf("±%v: %v, a half more: %v", k, here, further)
	}
}
