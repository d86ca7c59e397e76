package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A shape of a matrix product: n rows, k inputs, m outputs, each with room behind it.
type shape struct {
	n, k, m, xs, ys, wk, wm int
}

func shapes(r *rand.Rand) shape {
	s := shape{n: r.IntN(150), k: 1 + r.IntN(18), m: 1 + r.IntN(18)}
	s.xs, s.ys = s.n+r.IntN(4), s.n+r.IntN(4)
	s.wk, s.wm = s.m+r.IntN(2), 1
	if r.IntN(2) == 0 {
		s.wk, s.wm = 1+r.IntN(2), 2*s.k+r.IntN(2)
	}
	return s
}

// agree runs a kernel on every set from the same starting values of what it writes.
func agree(t *testing.T, what string, start []float64, run func(on Set, out []float64)) {
	t.Helper()
	want := slices.Clone(start)
	run(Portable, want)
	for _, set := range Sets()[1:] {
		got := slices.Clone(start)
		run(set, got)
		for i := range got {
			if !same(got[i], want[i]) {
				t.Fatalf("%s on %v: element %d is %x, portable %x", what, set, i, got[i], want[i])
			}
		}
	}
}

func TestMatricesAgreeBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		s := shapes(r)
		x, y, w := numbers(r, s.xs*s.k+s.n), numbers(r, s.ys*s.m+s.n), numbers(r, s.wk*s.k+s.wm*s.m+1)
		c, step := numbers(r, s.m), 1+r.IntN(2)
		b := numbers(r, step*s.k+1)
		agree(t, "matVec", y, func(on Set, y []float64) { matVec(on, s.n, y, x, s.xs, b, step, s.k) })
		agree(t, "matVecAdd", y, func(on Set, y []float64) { matVecAdd(on, s.n, y, x, s.xs, b, step, s.k) })
		agree(t, "matTVecAdd", b, func(on Set, b []float64) { matTVecAdd(on, s.n, b, step, x, s.xs, y, s.k) })
		agree(t, "dense", y, func(on Set, y []float64) { dense(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m, c) })
		agree(t, "dense without constants", y, func(on Set, y []float64) { dense(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m, nil) })
		agree(t, "denseAdd", y, func(on Set, y []float64) { denseAdd(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m) })
		agree(t, "denseGradient", w, func(on Set, w []float64) { denseGradient(on, s.n, w, s.wk, s.wm, x, s.xs, y, s.ys, s.k, s.m) })
	}
}
