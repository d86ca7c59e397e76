package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A shape of a matrix product: n rows, k inputs, m outputs, with gaps behind the columns.
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

// agree runs a function on every set, with the same initial values of its destinations.
func agree(t *testing.T, what string, start []float64, run func(on InstructionSet, out []float64)) {
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
		agree(t, "matVec", y, func(on InstructionSet, y []float64) { matVec(on, s.n, y, x, s.xs, b, step, s.k) })
		agree(t, "matTVecAdd", b, func(on InstructionSet, b []float64) { matTVecAdd(on, s.n, b, step, x, s.xs, y, s.k) })
		agree(t, "dense", y, func(on InstructionSet, y []float64) {
			dense(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m, c)
		})
		agree(t, "dense without constants", y, func(on InstructionSet, y []float64) {
			dense(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m, nil)
		})
		agree(t, "denseAdd", y, func(on InstructionSet, y []float64) {
			denseAdd(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m)
		})
		activations := numbers(r, len(y))
		agree(t, "denseTanhBack", y, func(on InstructionSet, y []float64) {
			denseTanhBack(on, s.n, y, s.ys, x, s.xs, w, s.wk, s.wm, s.k, s.m, activations)
		})
		agree(t, "denseGradient", w, func(on InstructionSet, w []float64) {
			denseGradient(on, s.n, w, s.wk, s.wm, x, s.xs, y, s.ys, s.k, s.m)
		})
	}
}

func TestColumnSums(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	for _, n := range []int{1, 40, 256, 257, 700} {
		const m = 5
		stride := n + 2
		c, d := numbers(r, m), numbers(r, stride*m)
		want := slices.Clone(c)
		for o := range want {
			for i := range n {
				want[o] += d[o*stride+i]
			}
		}
		ColumnSumsAdd(n, c, d, stride, m)
		for o := range c {
			if diff := c[o] - want[o]; diff > 1e-12 || diff < -1e-12 {
				t.Errorf("column %d of %d rows sums to %v, want %v", o, n, c[o], want[o])
			}
		}
	}
}

// The derivatives of a layer, for two losses, agree with finite differences.
func TestDenseDerivatives(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	const n, k, m, h = 11, 3, 6, 1e-6
	x, w, c := numbers(r, n*k), numbers(r, k*m), numbers(r, m)
	seed, y := numbers(r, n*m), make([]float64, n*m)
	for _, layer := range []struct {
		name    string
		forward func(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int,
			c []float64)
		back func(n int, y, d, t []float64)
	}{
		{"tanh", DenseTanh, TanhBack},
		{"relu", DenseRelu, ReluBack},
		{"linear", Dense, func(n int, y, d, _ []float64) { copy(y, d) }},
	} {
		loss := func() float64 {
			layer.forward(n, y, n, x, n, w, m, 1, k, m, c)
			return Dot(n*m, seed, y)
		}
		loss()
		d, dw, dc, dx := make([]float64, n*m), make([]float64, k*m), make([]float64, m), make([]float64, n*k)
		layer.back(n*m, d, seed, y)
		DenseGradient(n, dw, m, 1, x, n, d, n, k, m)
		ColumnSumsAdd(n, dc, d, n, m)
		DenseAdd(n, dx, n, d, n, w, 1, m, m, k)
		for _, p := range []struct {
			name    string
			at, got []float64
		}{{"weight", w, dw}, {"constant", c, dc}, {"input", x, dx}} {
			for i, v := range p.at {
				p.at[i] = v + h
				up := loss()
				p.at[i] = v - h
				down := loss()
				p.at[i] = v
				if want := (up - down) / (2 * h); !(max(p.got[i]-want, want-p.got[i]) < 1e-7) {
					t.Errorf("%s: derivative in %s %d is %v, by differences %v", layer.name, p.name, i,
						p.got[i], want)
				}
			}
		}
	}
}
