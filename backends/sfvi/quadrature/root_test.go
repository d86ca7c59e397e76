package quadrature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The cubature integrates polynomials of degree five over independent standard normal variables.
func TestCubature(t *testing.T) {
	moments := []float64{1, 0, 1, 0, 3, 0}
	for width := 1; width < 5; width++ {
		for m := range 4 {
			nodes := cubature(width, m)
			for i := range width + m {
				for j := range i {
					for p := range 6 {
						for q := range 6 - p {
							sum := 0.0
							for _, n := range nodes {
								x := append(append([]float64(nil), n.eta...), n.t...)
								sum += n.weight * math.Pow(x[i], float64(p)) * math.Pow(x[j], float64(q))
							}
							if want := moments[p] * moments[q]; math.Abs(sum-want) > 1e-12 {
								t.Errorf("%d and %d: the mean of x%d^%d x%d^%d is %g, want %g", width, m, i,
									p, j, q, sum, want)
							}
						}
					}
				}
			}
		}
	}
}

// rooted are two likelihoods, of three predictors a row and of one, with two globals: curvatures that are
// those of a concave function.
func rooted() (all []*rows, w []float64, g *globals, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	all = []*rows{newRows(density.RowLikelihood{Width: 3,
		Affine: density.Affine{Offset: make([]float64, 12)}}, nil),
		newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, 4)}}, nil)}
	n = 16
	w = make([]float64, n*n)
	g = &globals{m: 2, precision: algebra.NewFactor(2)}
	copy(g.precision.Matrix, []float64{90, 7, 7, 80})
	g.precision.Definite()
	for i := range 4 {
		x := [3][3]float64{}
		for a := range x {
			for b := range x {
				x[a][b] = r.NormFloat64()
			}
		}
		for a := range x {
			for b := range x {
				v := vec.Dot(3, x[a][:], x[b][:])
				all[0].block[(a*3+b)*4+i] = v
				w[(a*4+i)*n+b*4+i] = v
			}
		}
		all[1].curvature[i] = 1 + r.ExpFloat64()
		w[(12+i)*n+12+i] = all[1].curvature[i]
	}
	for _, l := range all {
		l.mixed = make([]float64, 2*l.n)
		for k := range l.mixed {
			l.mixed[k] = 0.3 * r.NormFloat64()
		}
	}
	return all, w, g, n
}

// R·Rᵀ is W − BᵀA⁻¹B, undo is the inverse of onto, and the mean of the globals that goes with predictors is
// A⁻¹B times these.
func TestRoot(t *testing.T) {
	all, w, g, n := rooted()
	mixed := make([]float64, n*2) // by global
	for k := range 2 {
		copy(mixed[k*n:], all[0].mixed[k*12:][:12])
		copy(mixed[k*n+12:], all[1].mixed[k*4:][:4])
	}
	r := newRoot(all, n, g)
	r2 := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r2.NormFloat64()
		}
		few := []float64{vec.Dot(n, mixed, v), vec.Dot(n, mixed[n:], v)}
		standardised := append([]float64(nil), few...)
		g.precision.Solve(few)
		g.precision.Forward(standardised)
		got := append([]float64(nil), v...)
		r.back(got)
		beside := make([]float64, 2)
		r.beside(got, 1, beside)
		r.onto(got)
		for i := range v {
			want := vec.Dot(n, w[i*n:], v) - mixed[i]*few[0] - mixed[n+i]*few[1]
			if math.Abs(got[i]-want) > 1e-10 {
				t.Errorf("element %d is %g, want %g", i, got[i], want)
			}
		}
		for k, want := range standardised {
			if math.Abs(beside[k]-want) > 1e-10 {
				t.Errorf("global %d is lower by %g, want %g", k, beside[k], want)
			}
		}
		copy(got, v)
		r.undo(got)
		r.onto(got)
		for i, want := range v {
			if math.Abs(got[i]-want) > 1e-10 {
				t.Errorf("undone and done again element %d is %g, want %g", i, got[i], want)
			}
		}
	}
}

// The roots of curvatures are those of the same rows, of likelihoods that take several blocks.
func TestRootInBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var all []*rows
	n := 0
	for _, m := range []int{inBlock + 5, 7, 2*inBlock + 1} {
		l := newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, m)}}, nil)
		for i := range l.curvature {
			l.curvature[i] = r.ExpFloat64()
		}
		all, n = append(all, l), n+m
	}
	root, v := newRoot(all, n, nil), make([]float64, n)
	vec.Fill(n, v, 3)
	root.onto(v)
	at := 0
	for _, l := range all {
		for i, w := range l.curvature {
			if got, want := v[at], 3*math.Sqrt(w); math.Abs(got-want) > 1e-15*want {
				t.Fatalf("row %d of %d is %v, want %v", i, l.n, got, want)
			}
			at++
		}
	}
}
