package dist

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// eachEvent computes the log density of every event. at returns it, having given the partials where W is not
// nil.
func eachEvent(b *def.Events, at func(i int) float64) {
	for i := range b.N {
		lp := at(i)
		if math.IsNaN(lp) {
			lp = math.Inf(-1)
		}
		if b.LP != nil {
			b.LP[i] = lp
		}
	}
}

// code returns the index of the category of event i, counted from 0, and whether it is one of k.
func code(b *def.Events, i, k int) (int, bool) {
	x := b.X.At(i, 0)
	if !(x >= 1 && x <= float64(k)) || x != math.Floor(x) {
		return 0, false
	}
	return int(x) - 1, true
}

// A factored holds the Cholesky factor of a matrix parameter, which it computes anew only where the events do
// not share it.
type factored struct {
	events   *def.Events
	l        []float64
	logDet   float64 // of L
	ok, done bool
}

// of loads the matrix of event i: the covariance that is to be factored, or a factor itself.
func (f *factored) of(a def.EventArg, i, k int, isFactor bool) bool {
	if f.done && a.Step == 0 {
		return f.ok
	}
	switch {
	case isFactor:
		a.Fill(f.l, i)
		f.ok = linear.CholeskyFactor(f.l, k)
	case !f.done && a.Step == 0 && f.events.Again:
		f.ok = f.l[0] > 0 // NaN where there is none
	default:
		a.Fill(f.l, i)
		f.ok = linear.Symmetric(f.l, k) && f.events.Products.Cholesky(f.l, f.l, k)
	}
	f.done = true
	if f.ok {
		f.logDet = linear.LogDiagonal(f.l, k)
	}
	return f.ok
}

// inverse sets y to the inverse of the matrix that was factored.
func (f *factored) inverse(y []float64, k int) { f.events.Products.Inverse(y, f.l, k) }

// side is the number of rows of a square matrix of n elements.
func side(n int) int {
	k := int(math.Sqrt(float64(n)))
	for k*k < n {
		k++
	}
	return k
}

// giveMatrix gives the derivative by all elements of matrix parameter k.
func giveMatrix(b *def.Events, k, i int, v []float64) {
	if b.DTheta[k] != nil {
		b.Theta[k].Accumulate(b.DTheta[k], i, b.W[i], v)
	}
}
