package nuts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"gonum.org/v1/gonum/mat"
)

// linked has a log scale, effects and a constant, whose log likelihood is normal in all of them together; the
// constant's prior is part of it.
type linked struct {
	density.Block
	precision *mat.SymDense
	mean      *mat.VecDense
	on        *bool // coordinates are those of all terms together
}

func (b linked) Dim() int { return 1 + b.mean.Len() }
func (b linked) Effects() []density.Effects {
	n := b.mean.Len()
	return []density.Effects{{Name: "v", Offset: 1, Len: n - 1, Centring: 1},
		{Name: "terms", Len: n, Terms: []density.EffectTerm{{Offset: 1, Len: n - 1},
			{Offset: n, Len: 1, Effects: -1}}}}
}
func (b linked) ToTheta() density.Map   { return linkedMap{b} }
func (b linked) FromTheta() density.Map { return linkedMap{b} }

type linkedMap struct{ linked }

func (m linkedMap) At(at, from, to []float64) float64 {
	copy(to, from)
	if *m.on = at[1] == density.Informed; *m.on { // to Rᵀv, for the precision RRᵀ
		v := mat.NewVecDense(m.mean.Len(), to[1:])
		v.MulVec(m.root().T(), mat.NewVecDense(m.mean.Len(), from[1:]))
	}
	return 0
}

func (m linkedMap) Lift(g []float64) {
	if *m.on {
		v := mat.NewVecDense(m.mean.Len(), g[1:])
		if err := v.SolveVec(m.root(), mat.NewVecDense(m.mean.Len(), slices.Clone(g[1:]))); err != nil {
			panic(err)
		}
	}
}

func (linkedMap) Pull([]float64) {}

func (m linkedMap) root() mat.Matrix {
	var c mat.Cholesky
	if !c.Factorize(m.precision) {
		panic("no root")
	}
	var l mat.TriDense
	c.LTo(&l)
	return &l
}

func (m linkedMap) Evidence(theta, g, v, slope, weight []float64) {
	n := copy(v, theta[1:len(theta)-1])
	copy(slope, g[1:])
	for i := range n {
		weight[i] = 1
	}
}

// What data say of terms together is their precision and mean, however they are correlated: of all but those
// whose derivatives tell nothing above their noise.
func TestTermsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const n = 12
	root, precision, mean := mat.NewDense(n, n, nil), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		mean.SetVec(i, r.NormFloat64())
		for j := range n {
			root.Set(i, j, r.NormFloat64())
		}
	}
	precision.SymOuterK(1, root)
	for i := range n { // of one effect data say nothing
		precision.SetSym(0, i, 0)
	}
	b := linked{precision: precision, mean: mean, on: new(bool)}
	c := centringOf(t, b)
	for range keptDraws {
		theta, g := make([]float64, n+1), make([]float64, n+1)
		off, by := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range theta {
			theta[i] = r.NormFloat64()
			if i > 0 {
				off.SetVec(i-1, theta[i]-mean.AtVec(i-1))
			}
		}
		by.MulVec(precision, off)
		for i := range n {
			g[1+i] = -by.AtVec(i)
		}
		g[1] = 5 * r.NormFloat64() // noise
		keep(c, theta, g)
	}
	c.told = keptDraws
	if c.informTogether(1); !c.informative(1) {
		t.Error("draws tell nothing of any term")
	}
	anchors, pull := c.at[2+2*(n-1):], mat.NewVecDense(n, nil)
	pull.MulVec(precision, mean)
	for i := range n {
		for j := range n {
			if want := precision.At(i, j); math.Abs(anchors[i*n+j]-want) > 1e-4 {
				t.Errorf("H %d, %d is %v, want %v", i, j, anchors[i*n+j], want)
			}
		}
		if got, want := anchors[n*n+i], pull.AtVec(i); math.Abs(got-want) > 1e-3 {
			t.Errorf("b %d is %v, want %v", i, got, want)
		}
	}
	clear(anchors)
	c.told = n + leastInformed // too few
	if c.informTogether(1); c.informative(1) {
		t.Error("few draws tell what data say of all terms")
	}
}

// Coordinates of terms together are taken where coordinates by one are far from standard, not where they are
// a little: where neighbours have the correlation r, elements have the misfit √((1 + r²)/(1 - r²)), 1.3 and
// 3.1.
func TestTermsTogetherWhereTheyPay(t *testing.T) {
	for r, want := range map[float64]bool{0.5: false, 0.9: true} {
		const n = 12
		b := linked{precision: mat.NewSymDense(n, nil), mean: mat.NewVecDense(n, nil), on: new(bool)}
		for i := range n {
			b.precision.SetSym(i, i, (1+r*r)/(1-r*r))
			if i == 0 || i == n-1 {
				b.precision.SetSym(i, i, 1/(1-r*r))
			}
			if i > 0 {
				b.precision.SetSym(i-1, i, -r/(1-r*r))
			}
		}
		c, random := centringOf(t, b), rand.New(rand.NewPCG(3, 1))
		for range keptDraws {
			theta, g := make([]float64, n+1), make([]float64, n+1)
			theta[0] = random.NormFloat64()
			g[0] = -theta[0]
			for i := range n {
				if theta[1+i] = random.NormFloat64(); i > 0 {
					theta[1+i] = r*theta[i] + math.Sqrt(1-r*r)*theta[1+i]
				}
			}
			by := mat.NewVecDense(n, g[1:])
			by.MulVec(b.precision, mat.NewVecDense(n, theta[1:]))
			by.ScaleVec(-1, by)
			keep(c, theta, g)
		}
		if c.chooseByKept(keptDraws); (c.at[1] == density.Informed) != want {
			t.Errorf("correlation %v: together %t, want %t", r, !want, want)
		}
		basis, root := make([]float64, 9*(n+1)*(n+1)), make([]float64, n+1)
		for i := range root {
			root[i] = 1
		}
		s := &party{block: b, centring: c} // the shift of effects, the scale and the constant
		if got := s.shifts(basis, root); got != 3 {
			t.Errorf("%d directions, want 3", got)
		}
		for k := range 2 {
			if v := basis[(1+k)*(n+1):][:n+1]; v[k*n] != 1 || mat.Norm(mat.NewVecDense(n+1, v), 2) != 1 {
				t.Errorf("direction %d is %v, want coordinate %d", 1+k, v, k*n)
			}
		}
	}
}

// The nearest matrix without negative eigenvalues leaves those out.
func TestNonnegative(t *testing.T) {
	got := nonnegative([]float64{1, 2, 0, 2, 1, 0, 0, 0, 5}, 3) // 3, -1 and 5
	for i, want := range []float64{1.5, 1.5, 0, 1.5, 1.5, 0, 0, 0, 5} {
		if math.Abs(got[i]-want) > 1e-14 {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}
}
