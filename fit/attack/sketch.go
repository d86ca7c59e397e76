package attack

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// rank is how many directions a sketch follows.
const rank = 20

// After the first always evaluations two in a row of every period are taken into the sums: two, because some
// algorithms draw noise in pairs of opposite sign, whose mean says more than either.
const (
	always = 1024
	period = 8
)

// A vector of a sketch costs as much as twenty of the sums. There are at most vectors of them between two
// powers of two, later one of every second period: a multiple of the period, so that what is taken into a
// sketch is taken at all.
const vectors = 64

// sampled reports whether an evaluation is taken into the sketch of a cut, or where every is 2 into that of a
// sum.
func (r *Recorder) sampled(every int) bool {
	stride := 1 << max(0, bits.Len(uint(r.rounds))-bits.Len(vectors))
	return r.rounds%(every*min(stride, 2*period)) == 0
}

func (r *Recorder) taken(rounds int) bool { return rounds <= always || rounds%period < 2 }

// A sketch follows the leading eigenvectors of the covariance C of a sequence of vectors d, by orthogonal
// iteration whose products with C are sums over a block of the sequence (block stochastic power method;
// Mitliagkas, Caramanis and Jain 2013, "Memory limited, streaming PCA"). Blocks become longer by a factor, so
// the last two have most of the sequence.
type sketch struct {
	m      int         // length of a vector
	flatQ  []float64   // q and s, column after column
	flatS  []float64   //
	q      [][]float64 // orthonormal
	s      [][]float64 // Σ d (dᵀq) over the current block
	n      int         // vectors in it
	before int         // vectors in the block before, 0: none
	lambda []float64   // of that block: about the eigenvalues of C along q
	rest   float64     // mean in that block of what was left of |d|² outside of the span of the q before
	left   float64     // sum of this over the current block
	judged bool        // rest is of a q that was found, not the one at the start

	waiting int       // vectors that are not in s yet
	batch   []float64 // these, one after another
	c       []float64 // their products with q, vector after vector
}

// batched is how many vectors are added to a sketch at once, which is several times faster than one by one.
const batched = 32

func newSketch(m int) *sketch {
	k := min(rank, m)
	s := &sketch{m: m, lambda: make([]float64, k), batch: make([]float64, batched*m),
		c: make([]float64, batched*k)}
	s.flatQ, s.flatS = make([]float64, k*m), make([]float64, k*m)
	r := mat.NewDense(k, k, nil)
	for j := range k {
		s.q, s.s = append(s.q, s.flatQ[j*m:(j+1)*m]), append(s.s, s.flatS[j*m:(j+1)*m])
		orthogonalise(s.q, j, r) // a direction at random
	}
	return s
}

// add takes the deviation of v from a centre.
func (s *sketch) add(v, centre []float64) {
	vec.Sub(s.m, s.batch[s.waiting*s.m:], v, centre)
	if s.waiting++; s.waiting == batched {
		s.flush()
	}
}

// flush adds the vectors that wait to the current block.
func (s *sketch) flush() {
	if s.waiting == 0 {
		return
	}
	m, k, d, c := s.m, len(s.q), s.batch[:s.waiting*s.m], s.c[:s.waiting*len(s.q)]
	clear(c)
	vec.DenseGradient(m, c, k, 1, d, m, s.flatQ, m, s.waiting, k)
	vec.DenseAdd(m, s.flatS, m, d, m, c, k, 1, s.waiting, k)
	s.left += vec.Dot(len(d), d, d) - vec.Dot(len(c), c, c)
	s.n, s.waiting = s.n+s.waiting, 0
}

// turn ends a block that has more vectors than directions: its products take the place of q. It happens once
// in a power of eight of evaluations.
func (s *sketch) turn() {
	s.flush()
	if s.n <= len(s.q) {
		return
	}
	principal(s.s, s.q, s.lambda)
	for k := range s.lambda {
		s.lambda[k] /= float64(s.n)
	}
	clear(s.flatS)
	s.rest, s.left, s.judged = s.left/float64(s.n), 0, s.before > 0
	s.before, s.n = s.n, 0
}

// principal sets left to the left singular vectors of some columns, which it overwrites, and values to their
// singular values, the largest first. Where the columns have fewer dimensions than there are of them,
// directions at random complete the basis, with the value 0.
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

// orthogonalise makes column j a unit vector that is orthogonal to those before it (Gram and Schmidt, twice
// for accuracy), and sets column j of r to its coordinates before.
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
		v[i] = portable.Normal(random)
	}
	orthogonalise(columns, j, mat.NewDense(j+1, j+1, nil))
}

// rounding is the size of a number, in relation to the largest, below which it is not told from 0.
const rounding = 1e-12
