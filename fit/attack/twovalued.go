package attack

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A column of two values that lies in a known span, with a constant added, is found without knowing anything
// else: it is a direction in which the rows fall onto two points. The search begins in random directions and
// in those of rows, as they are or moved to where the rows are far from normal (FastICA; Hyvärinen 1999, IEEE
// Transactions on Neural Networks 10). Then the rows are divided in two, the division is projected onto the
// span, the rows are divided by the projection, and so on until nothing changes, which is the best division
// near by.

// How often directions are sought, and for how long.
const (
	startsAtLeast = 40
	startsPer     = 3 // direction of the span
	contrastSteps = 20
	divideSteps   = 50
	settledAt     = 1e-10 // change of the cosine
)

// crisp is the largest sd of either group of rows, in distances between their means, at which a division is
// taken for a column of two values. The best division of normally distributed rows has 0.38.
const crisp = 0.125

// twoValued finds columns of two values in the span of an orthonormal basis of vectors with mean 0: which
// rows have the rarer of them. There must be at least fewestRows rows for each vector, or a division means
// nothing.
func twoValued(basis [][]float64) (found [][]bool) {
	s := &separator{basis: basis, m: len(basis[0]), random: rand.New(rand.NewPCG(1, 2))}
	s.w, s.next, s.p, s.g, s.order = make([]float64, len(basis)), make([]float64, len(basis)),
		make([]float64, s.m), make([]float64, s.m), make([]int, s.m)
	for n := range startsAtLeast + startsPer*len(basis) {
		for k := range len(contrasts) + 1 {
			if s.start(n); k < len(contrasts) {
				s.sharpen(k)
			}
			if rare := s.divided(); rare != nil && !slices.ContainsFunc(found, func(o []bool) bool {
				return slices.Equal(o, rare)
			}) {
				found = append(found, rare)
			}
		}
	}
	return found
}

// fewestRows is how many rows there must be for each direction of the span.
const fewestRows = 4

type separator struct {
	basis   [][]float64
	m       int
	random  *rand.Rand
	w, next []float64 // coordinates of a direction
	p, g    []float64 // the rows along it, with variance 1, and a contrast of these
	order   []int
}

// start is a random direction, that of a row, or that from one row to another: rows of one category are near
// each other, and far from rows of others.
func (s *separator) start(n int) {
	row, other := s.random.IntN(s.m), s.random.IntN(s.m)
	for k, u := range s.basis {
		switch n % 3 {
		case 0:
			s.w[k] = portable.Normal(s.random)
		case 1:
			s.w[k] = u[row]
		case 2:
			s.w[k] = u[row] - u[other]
		}
	}
	s.normalise(s.w)
}

// normalise makes w a unit vector, and reports whether it could.
func (s *separator) normalise(w []float64) bool {
	length := math.Sqrt(vec.Dot(len(w), w, w))
	if !(length > 0) {
		return false
	}
	vec.Scale(len(w), w, w, 1/length)
	return true
}

func (s *separator) project() {
	clear(s.p)
	scale := math.Sqrt(float64(s.m))
	for k, u := range s.basis {
		vec.Axpy(s.m, s.p, scale*s.w[k], u)
	}
}

// contrasts are functions of a projection that tell columns of two values from normal ones: by skewness, by
// kurtosis, and by a bounded function. Each returns its value and derivative.
var contrasts = [...]func(x float64) (g, d float64){
	func(x float64) (g, d float64) { return x * x, 2 * x },
	func(x float64) (g, d float64) { return x * x * x, 3 * x * x },
	func(x float64) (g, d float64) { t := portable.Tanh(x); return t, 1 - float64(t*t) },
}

// sharpen moves w to a direction in which the mean of a contrast has an extremum: w ← E x g(wᵀx) − w E
// g'(wᵀx).
func (s *separator) sharpen(contrast int) {
	for range contrastSteps {
		s.project()
		slope := 0.0
		for i, p := range s.p {
			g, d := contrasts[contrast](p)
			s.g[i] = g
			slope += d / float64(s.m)
		}
		for k, u := range s.basis {
			s.next[k] = vec.Dot(s.m, u, s.g)/math.Sqrt(float64(s.m)) - float64(slope*s.w[k])
		}
		if !s.normalise(s.next) {
			return
		}
		turned := 1 - math.Abs(vec.Dot(len(s.w), s.w, s.next))
		copy(s.w, s.next)
		if turned < settledAt {
			return
		}
	}
}

// divided divides the rows in two until the direction no longer changes, and returns those of the smaller
// part; nil where the parts are not two points.
func (s *separator) divided() []bool {
	for range divideSteps {
		s.project()
		at, within := s.divide()
		clear(s.g)
		for _, i := range s.order[at:] {
			s.g[i] = 1
		}
		for k, u := range s.basis {
			s.next[k] = vec.Dot(s.m, u, s.g)
		}
		if !s.normalise(s.next) {
			return nil
		}
		if 1-vec.Dot(len(s.w), s.w, s.next) < settledAt {
			return s.rarer(at, within)
		}
		copy(s.w, s.next)
	}
	return nil
}

// divide sorts the rows by their projection, and returns where to divide them for the least variance within,
// in relation to the distance of the means.
func (s *separator) divide() (at int, within float64) {
	for i := range s.order {
		s.order[i] = i
	}
	slices.SortFunc(s.order, func(a, b int) int {
		if s.p[a] < s.p[b] {
			return -1
		}
		return 1
	})
	n, sum, most := float64(s.m), 0.0, 0.0
	for k, i := range s.order[:s.m-1] {
		sum += s.p[i]
		low := float64(k + 1)
		// times n: the variance between the parts, as the mean is 0
		if between := sum * sum / low / (n - low); between > most {
			most, at = between, k+1
			distance := math.Abs(sum/low + sum/(n-low))
			within = math.Sqrt(max(0, 1-between)) / distance
		}
	}
	return at, within
}

// rarer returns the smaller part where both are near their means, and nothing is half-way between.
func (s *separator) rarer(at int, within float64) []bool {
	gap := s.p[s.order[at]] - s.p[s.order[at-1]]
	if reach := s.p[s.order[s.m-1]] - s.p[s.order[0]]; within > crisp || gap < crisp*reach {
		return nil
	}
	out := make([]bool, s.m)
	for k, i := range s.order {
		out[i] = (k >= at) == (2*at >= s.m)
	}
	return out
}
