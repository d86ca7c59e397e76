package nuts

import (
	"math"
	"math/rand/v2"
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

func (linkedMap) At(_, from, to []float64) float64 { return 0 * float64(copy(to, from)) }
func (linkedMap) Pull([]float64)                   {}
func (linkedMap) Lift([]float64)                   {}

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
		precision.SetSym(3, i, 0)
	}
	b := linked{precision: precision, mean: mean}
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
		g[4] = 5 * r.NormFloat64() // noise
		keep(c, theta, g)
	}
	c.known = keptDraws
	c.informTogether(1)
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
	c.known = n + leastInformed // too few
	if c.informTogether(1); c.informative(1) {
		t.Error("few draws tell what data say of all terms")
	}
}
