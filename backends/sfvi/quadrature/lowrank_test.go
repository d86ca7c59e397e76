package quadrature

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// solved solves the system of n rows, whose d covariates are a client's, for so many columns, and returns
// what is left of the right sides. The covariates have dimensions of their own up to so many.
func solved(t *testing.T, n, d, columns int, plain bool) (c *conjugate, x []float64, bytes uint64) {
	r := rand.New(rand.NewPCG(3, 4))
	x = make([]float64, n*d)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	l := newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, n)}}, nil)
	for i := range n {
		l.curvature[i], l.slope[i], l.mean[i] = 0.1+r.Float64(), r.NormFloat64(), r.NormFloat64()
	}
	lin := &density.Linear{Vector: inMemory, Free: func([]float64) {}}
	s := &server{party: &party{lin: lin, rows: []*rows{l},
		sample: &sample{columns: columns}}, noise: vector.NewGenerator(vector.SharedKey(1), "rows")}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.conjugate = s.newConjugate(columns, s.noise)
	c = s.conjugate
	if plain {
		c.low.most = 0
	}
	s.level()
	at, theta := make([]float64, n), make([]float64, d)
	for col := range columns {
		for k := range theta {
			theta[k] = r.NormFloat64()
		}
		vector.MatVec(n, at, x, n, theta, 1, d)
		s.setOut(piece{col, col + 1}, [][]float64{at})
	}
	for col := range columns {
		clear(at)
		c.direct(s, piece{col, col + 1}, c.towards, [][]float64{at})
		for k := range theta {
			theta[k] = vector.Dot(n, x[k*n:], at)
		}
		vector.MatVec(n, at, x, n, theta, 1, d)
		c.apply(s, piece{col, col + 1}, [][]float64{at})
	}
	exact := false
	if !c.outright(columns, s.noise, &exact) || !exact {
		t.Fatal("the system is not solved")
	}
	if runtime.ReadMemStats(&after); (c.low == nil) != plain {
		t.Errorf("by coordinates: %t", c.low != nil)
	}
	return c, x, after.TotalAlloc - before.TotalAlloc
}

// Right sides that are held by their coordinates have the solution of those that are held whole, which solves
// the system but for what is left of the noise.
func TestShortColumns(t *testing.T) {
	const n, d, columns = 60, 4, 31
	c, x, _ := solved(t, n, d, columns, false)
	whole, _, _ := solved(t, n, d, columns, true)
	w, theta, image := make([]float64, n), make([]float64, d), make([]float64, n)
	for col := range columns {
		right := append([]float64(nil), c.right(col)...)
		v := append([]float64(nil), c.solution(col)...)
		for i, want := range whole.right(col) {
			if math.Abs(right[i]-want) > 1e-11 {
				t.Fatalf("column %d: row %d of the right side is %g, want %g", col, i, right[i], want)
			}
		}
		for i, want := range whole.solution(col) {
			if math.Abs(v[i]-want) > 1e-9 {
				t.Fatalf("column %d: row %d of the solution is %g, want %g", col, i, v[i], want)
			}
		}
		copy(w, v) // (I + RᵀXXᵀR)v
		c.root.onto(w)
		for k := range theta {
			theta[k] = vector.Dot(n, x[k*n:], w)
		}
		vector.MatVec(n, image, x, n, theta, 1, d)
		c.root.back(image)
		left := append([]float64(nil), right...)
		c.short.leave(col, left, v)
		for i := range n {
			if math.Abs(v[i]+image[i]+left[i]-right[i]) > 1e-8 {
				t.Fatalf("column %d: row %d of the system is %g, want %g", col, i, v[i]+image[i]+left[i],
					right[i])
			}
		}
	}
}

// The memory of the draws of a joint Gaussian grows with the rows as that of the parameters does, not as that
// of the draws.
func TestDrawsNeedNoNumberForEachRow(t *testing.T) {
	const d, columns, n = 4, 101, 3000
	_, _, few := solved(t, n, d, columns, false)
	_, _, more := solved(t, 2*n, d, columns, false)
	if perRow := float64(more-few) / (8 * n); perRow > columns/2 {
		t.Errorf("%.1f numbers for each row and %d draws", perRow, columns-1)
	}
}
