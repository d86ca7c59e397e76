package quadrature

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// A rule integrates over a standard normal variable: Gauss and Hermite's nodes, with weights that sum to 1.
type rule struct{ at, weight []float64 }

// newRule makes the rule with n nodes. Beyond Gauss and Hermite's largest it is the trapezoidal rule, whose
// error for functions that are analytic in a strip of half width d is exp(−2πd/step): the strip of a
// likelihood narrows as its predictor spreads, and the nodes of Gauss and Hermite lie further apart than
// these.
func newRule(n int) rule {
	if n > mostHermite {
		return trapezoidal(n, 0.1)
	}
	r := rule{make([]float64, n), make([]float64, n)}
	off := make([]float64, n)
	for k := range off {
		off[k] = math.Sqrt(float64(k + 1))
	}
	vector.Tridiagonal(r.at, off, nil)
	slices.Sort(r.at)
	sum := 0.0
	for i := range n / 2 {
		x := float64(0.5 * (r.at[n-1-i] - r.at[i]))
		for range 2 {
			last, before, _ := hermite(n, x)
			x -= last / (math.Sqrt(float64(n)) * before)
		}
		r.at[i], r.at[n-1-i] = -x, x
	}
	if n%2 == 1 {
		r.at[n/2] = 0
	}
	for i, x := range r.at {
		_, _, squares := hermite(n, x)
		r.weight[i] = 1 / squares
		sum += r.weight[i]
	}
	for i := range r.weight {
		r.weight[i] /= sum
	}
	return r
}

// hermite returns the orthonormal polynomials of Hermite of degrees n and n-1 at x, and the sum of the
// squares of all below n. The zeros of the first are the eigenvalues of the matrix of its recurrence, and the
// weights the inverses of the sums there (Golub and Welsch 1969).
func hermite(n int, x float64) (last, before, squares float64) {
	last, before = 1, 0
	for k := range n {
		squares += float64(last * last)
		last, before = (float64(x*last)-float64(math.Sqrt(float64(k))*before))/math.Sqrt(float64(k+1)), last
	}
	return last, before, squares
}

// trapezoidal is the rule of that name with nodes at these distances.
func trapezoidal(n int, step float64) rule {
	r := rule{make([]float64, n), make([]float64, n)}
	for i := range r.at {
		t := step * (float64(i) - float64(float64(n-1)/2))
		r.at[i], r.weight[i] = t, step*portable.Exp(-t*t/2)/math.Sqrt(2*math.Pi)
	}
	return r
}

const mostHermite = 80

// reaches lists the rules with the largest standard deviation of a predictor that each is for: a logistic
// likelihood, whose derivatives have poles at ±iπ, is then integrated to about 1e-6 nats a row.
var reaches = [...]struct {
	nodes int
	sd    float64
}{{20, 1.5}, {40, 2.5}, {80, 4}, {256, math.Inf(1)}}

// rules are made when they are first needed.
type rules struct {
	made   [len(reaches)]rule
	coarse bool // the rule of fewest nodes serves all standard deviations
	spared bool // and one of more nodes was due
}

// of is the rule for standard deviations up to sd.
func (r *rules) of(sd float64) *rule {
	k := 0
	for sd > reaches[k].sd { // the last has no limit, and NaN is not larger
		k++
	}
	if r.coarse && k > 0 {
		k, r.spared = 0, true
	}
	if r.made[k].at == nil {
		r.made[k] = newRule(reaches[k].nodes)
	}
	return &r.made[k]
}

// Hermite returns nodes and weights of Gauss and Hermite's rule for a standard normal variable, with at most
// mostHermite nodes.
func Hermite(n int) (at, weight []float64) {
	r := newRule(min(n, mostHermite))
	return r.at, r.weight
}
