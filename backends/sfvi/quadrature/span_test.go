package quadrature

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
)

// robust is a server with a parameter of prior N(0, 20²) and rows that follow Student's t, of three degrees
// of freedom and the scale 2, to which clients add noise of sd 6. It counts evaluations.
func robust(evaluations *int) *server {
	y := []float64{42, 37, 28, 18, 20, 15, 14, 13, 11, 12, 8, 7, 9, 15}
	n := len(y)
	all := &rules{}
	r := newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, n),
		Matrix: make([]float64, n)}, Evaluate: func(_, eta, lp, slope, _, _ []float64) {
		*evaluations++
		for i, e := range eta {
			off := (y[i] - e) / 2
			lp[i], slope[i] = -2*math.Log1p(off*off/3), 4*off/(3+off*off)/2
		}
	}}, all)
	for i := range n {
		r.Matrix[i] = 1
	}
	lin := &density.Linear{Prior: density.Quadratic{Precision: []float64{1. / 400}, Gradient: []float64{0}}}
	p := &party{lin: lin, d: 1, q: newGaussian(1, true), now: newStates(1, 0, false, true)[0],
		rows: []*rows{r}, step: make([]float64, 1)}
	s := &server{party: p, rules: all, span: newSpan([]int{n}, inMemory), elbo: math.Inf(-1),
		variance: [][]float64{make([]float64, n)}}
	for i := range n {
		s.variance[0][i] = 36
	}
	p.q.precision.Matrix[0] = 100
	p.q.precision.Definite()
	s.span.add([][]float64{make([]float64, n)}, make([]float64, memory+1))
	s.span.mix[0] = 1
	return s
}

// The way that begins with few nodes leads where that with all of them does, in less than three quarters of
// the evaluations; where it leads to less than is wanted, the way begins again and is that with all.
func TestFewNodesLeadToTheMaximum(t *testing.T) {
	const iterations = 4
	var few, all, again int
	s, whole, back := robust(&few), robust(&all), robust(&again)
	var value, want, third float64
	for range iterations {
		value, _ = s.maximise(math.Inf(-1))
		s.judge(value)
		want, _, _ = whole.climb(0)
		third, _ = back.maximise(math.Inf(1))
	}
	sd := 1 / math.Sqrt(whole.q.precision.Matrix[0])
	for name, got := range map[string]struct {
		value float64
		at    []float64
	}{"few nodes": {value, s.now.theta}, "all, after few": {third, back.now.theta}} {
		if near(got.value, want, 1e-6*math.Abs(want)) || near(got.at[0], whole.now.theta[0], 1e-3*sd) {
			t.Errorf("%s: %v at %v, want %v at %v", name, got.value, got.at, want, whole.now.theta)
		}
	}
	if 4*few > 3*all || again < all {
		t.Errorf("%d evaluations, with all nodes %d, after few %d", few, all, again)
	}
}
