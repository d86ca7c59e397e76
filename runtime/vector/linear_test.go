package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// tiles returns k columns of n numbers in tiles of rows, padded with zeros.
func (m *room) tiles(n, k int) []float64 {
	i, rows := -1, TileLength(k)
	return m.fill(tiled(n, k), func() float64 {
		if i++; i/(rows*k)*rows+i%rows >= n {
			return 0
		}
		return m.r.NormFloat64() / 2
	})
}

// predictor hands out a predictor; every second number of columns has an offset.
func (m *room) predictor(n, k, c int) Predictor {
	p := Predictor{B: m.floats(k), C: 0.3, D: m.floats(n), Gradient: m.floats(lanes * (k + 1))}
	if c%2 == 0 {
		p.Offset = m.floats(n)
	}
	p.X = m.tiles(n, k)
	return p
}

// linearCalls lists the likelihoods of predictors.
func linearCalls() []call {
	return []call{
		{"bernoulliLogitLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			bernoulliLogitLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.counts(n), p.D, m.lanes(), m.lanes())
		}},
		{"binomialLogitLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			binomialLogitLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.counts(n), p.D, m.lanes(), m.lanes(), 9)
		}},
		{"bernoulliProbitLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			bernoulliProbitLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.counts(n), p.D, m.lanes())
		}},
		{"poissonLogLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			poissonLogLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.counts(n), p.D, m.lanes())
		}},
		{"negBinomial2LogLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			negBinomial2LogLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.counts(n), p.D, m.lanes(), m.lanes(), 2.5, 0.9, 0.4)
		}},
		{"studentTLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			studentTLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.floats(n), p.D, m.lanes(), m.lanes(), m.lanes(), 0.7, 3.1)
		}},
		{"normalLinear", func(on Set, n, k, c int, m *room) {
			p := m.predictor(n, k, c)
			normalLinear(on, n, p.X, p.B, k, p.Gradient, p.C, p.Offset, m.floats(n), p.D, m.lanes(), 0.7)
		}},
	}
}

// A likelihood of a predictor equals the likelihood of the product, row by row; its gradient is the product of Xᵀ with the derivative.
func TestLinearIsProductAndLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for _, size := range [][2]int{{1, 1}, {31, 3}, {32, 1}, {33, 20}, {512, 20}, {9001, 4}, {100, 32}, {15, 33}, {9003, 33}, {77, 128}, {97, 129}, {200, 511}, {131, 512}} {
		for c := range 2 {
			t.Run(fmt.Sprint(size, c), func(t *testing.T) {
				n, k := size[0], size[1]
				m := &room{r: r, make: plain}
				p := m.predictor(n, k, c)
				clear(p.Gradient)
				y := m.counts(n)
				for i := range y {
					y[i] = math.Mod(y[i], 2)
				}
				eta, d := make([]float64, n), make([]float64, n)
				for i := range eta {
					eta[i] = p.C
					if p.Offset != nil {
						eta[i] = p.Offset[i]
					}
					for j, b := range p.B {
						eta[i] = math.FMA(p.entry(i, j), b, eta[i])
					}
				}
				var want, got LogProduct
				want.Reset()
				got.Reset()
				want.BernoulliLogit(n, eta, y, d)
				got.BernoulliLogitLinear(n, &p, y)
				if got.Value(1) != want.Value(1) {
					t.Errorf("value %v, want %v", got.Value(1), want.Value(1))
				}
				for j := range k + 1 {
					sum, size := 0.0, 0.0
					for i := range n {
						term := d[i]
						if j < k {
							term *= p.entry(i, j)
						}
						sum += term
						size += math.Abs(term)
					}
					if got := p.Lane(j); math.Abs(got-sum) > 1e-14*size {
						t.Errorf("column %d: %v, want %v", j, got, sum)
					}
				}
			})
		}
	}
}

// entry is element i, j of X.
func (p *Predictor) entry(i, j int) float64 {
	rows := TileLength(len(p.B))
	return p.X[(i/rows*len(p.B)+j)*rows+i%rows]
}

// Tiles of every kind and width, with few rows and many, give the same bits on every set.
func TestLinearAgreesBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 9))
	for _, k := range []int{1, 20, 32, 33, 60, 128, 129, 300, 511, 512, 700} {
		for _, n := range []int{1 + r.IntN(15), 16, 32, 33 + r.IntN(30), 64, 100 + r.IntN(100)} {
			for _, c := range linearCalls() {
				for offset := range 2 {
					c.compare(t, n, k, 1+offset, r.Uint64(), plain)
				}
			}
		}
	}
}
