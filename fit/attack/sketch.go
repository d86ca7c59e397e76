package attack

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// rank is how many directions a sketch follows.
const rank = 20

// Evaluations that follow one another tell much the same, so after the first always ones two in a row of every period are taken into the sums: two, because some
// algorithms draw noise in pairs of opposite sign, whose mean says more than either. One of every stride is taken into
// the sketch of a cut, and one of every second stride into that of a sum.
const (
	always = 1024
	period = 8
	stride = 16
)

func taken(rounds int) bool { return rounds <= always || rounds%period < 2 }

func sampled(rounds, every int) bool { return rounds <= always/4 || rounds%every == 0 }

// A sketch follows the leading eigenvectors of the covariance C of a sequence of vectors d, by orthogonal iteration whose products with C are sums over
// a block of the sequence (block stochastic power method; Mitliagkas, Caramanis and Jain 2013, "Memory limited, streaming PCA"). Blocks double in length, so the
// last has about half of all.
type sketch struct {
	q      [][]float64 // orthonormal
	s      [][]float64 // Σ d (dᵀq) over the current block
	n      int         // vectors in it
	before int         // vectors in the block before, 0: none
	lambda []float64   // of that block: about the eigenvalues of C along q
	rest   float64     // mean in that block of what was left of |d|² outside of the span of the q before
	left   float64     // sum of this over the current block
	judged bool        // rest is of a q that was found, not the one at the start
}

func newSketch(m int) *sketch {
	k := min(rank, m)
	s := &sketch{lambda: make([]float64, k)}
	for range k {
		s.q, s.s = append(s.q, make([]float64, m)), append(s.s, make([]float64, m))
	}
	principal(s.s, s.q, s.lambda)
	clearAll(s.s)
	return s
}

// add takes a vector, whose squared length is square.
func (s *sketch) add(d []float64, square float64) {
	n := len(d)
	for k, q := range s.q {
		c := vec.Dot(n, d, q)
		square -= c * c
		vec.Axpy(n, s.s[k], c, d)
	}
	s.left += square
	s.n++
}

// turn ends a block that has more vectors than directions: its products take the place of q. It happens once in a power of two of evaluations.
func (s *sketch) turn() {
	if s.n <= len(s.q) {
		return
	}
	principal(s.s, s.q, s.lambda)
	for k := range s.lambda {
		s.lambda[k] /= float64(s.n)
	}
	clearAll(s.s)
	s.rest, s.left, s.judged = s.left/float64(s.n), 0, s.before > 0
	s.before, s.n = s.n, 0
}

func clearAll(vectors [][]float64) {
	for _, v := range vectors {
		clear(v)
	}
}

// principal sets left to the left singular vectors of some columns, which it overwrites, and values to their singular values, the largest first. Where the
// columns have fewer dimensions than there are of them, directions at random complete the basis, with the value 0.
func principal(columns, left [][]float64, values []float64) {
	k := len(columns)
	r := mat.NewDense(k, k, nil)
	for j := range k {
		orthogonalise(columns, j, r)
	}
	var svd mat.SVD
	if !svd.Factorize(r, mat.SVDFull) {
		panic("attack: the singular values of a finite matrix were not found")
	}
	svd.Values(values)
	var u mat.Dense
	svd.UTo(&u)
	for j, to := range left {
		clear(to)
		for l, from := range columns {
			vec.Axpy(len(to), to, u.At(l, j), from)
		}
	}
}

// orthogonalise makes column j a unit vector that is orthogonal to those before it (Gram and Schmidt, twice for accuracy), and sets column j of r to its
// coordinates before.
func orthogonalise(columns [][]float64, j int, r *mat.Dense) {
	v, n := columns[j], len(columns[j])
	before := math.Sqrt(vec.Dot(n, v, v))
	for range 2 {
		for i, u := range columns[:j] {
			p := vec.Dot(n, u, v)
			vec.Axpy(n, v, -p, u)
			r.Set(i, j, r.At(i, j)+p)
		}
	}
	length := math.Sqrt(vec.Dot(n, v, v))
	if length > rounding*before {
		r.Set(j, j, length)
		vec.Scale(n, v, v, 1/length)
		return
	}
	random := rand.New(rand.NewPCG(1, uint64(j))) // any direction will do, the same in every run
	for i := range v {
		v[i] = random.NormFloat64()
	}
	for range 2 {
		for _, u := range columns[:j] {
			vec.Axpy(n, v, -vec.Dot(n, u, v), u)
		}
	}
	vec.Scale(n, v, v, 1/math.Sqrt(vec.Dot(n, v, v)))
}

// rounding is the size of a number, in relation to the largest, below which it is not told from 0.
const rounding = 1e-12

// outside is the mean of what is left of |d|² outside of the span of q; false where no vector has come since q was found.
func (s *sketch) outside() (float64, bool) {
	switch {
	case s.judged:
		return (s.rest*float64(s.before) + s.left) / float64(s.before+s.n), true
	case s.before > 0 && s.n > 0:
		return s.left / float64(s.n), true
	}
	return 0, false
}
