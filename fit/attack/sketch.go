package attack

import (
	"math"
	"math/rand/v2"

	vec "github.com/vflc/vflc/runtime/vector"
)

// rank is how many directions a sketch follows.
const rank = 20

// An evaluation is taken into the sketch where it is one of the first always evaluations, and then every stride-th.
const (
	always = 1024
	stride = 8
)

func sampled(rounds int) bool { return rounds <= always || rounds%stride == 0 }

// A sketch follows the leading eigenvectors of the covariance C of a sequence of vectors d, by orthogonal iteration whose products with C are sums over
// a block of the sequence (block stochastic power method; Mitliagkas, Caramanis and Jain 2013, "Memory limited, streaming PCA"). Blocks double in length, so the
// last has about half of all.
type sketch struct {
	q      [][]float64 // orthonormal
	s      [][]float64 // Σ d (dᵀq) over the current block
	n      int         // vectors in it
	before int         // vectors in the block before, 0: none
	lambda []float64   // of that block: about the eigenvalues of C along q
}

func newSketch(m int) *sketch {
	k := min(rank, m)
	s := &sketch{lambda: make([]float64, k)}
	random := rand.New(rand.NewPCG(1, 2)) // any start will do, the same in every run
	for range k {
		q := make([]float64, m)
		for i := range q {
			q[i] = random.NormFloat64()
		}
		s.q, s.s = append(s.q, q), append(s.s, make([]float64, m))
	}
	orthonormalise(s.q, s.lambda)
	clear(s.lambda)
	return s
}

func (s *sketch) add(d []float64) {
	n := len(d)
	for k, q := range s.q {
		vec.Axpy(n, s.s[k], vec.Dot(n, d, q), d)
	}
	s.n++
}

// turn ends a block that has more vectors than directions: its products take the place of q.
func (s *sketch) turn() {
	if s.n <= len(s.q) {
		return
	}
	s.q, s.s = s.s, s.q
	orthonormalise(s.q, s.lambda)
	for k := range s.s {
		s.lambda[k] /= float64(s.n)
		clear(s.s[k])
	}
	s.before, s.n = s.n, 0
}

// orthonormalise replaces vectors by an orthonormal basis of their span (Gram and Schmidt, twice for accuracy), and sets lengths to what was left of each
// after those before it. One of which nothing but rounding is left becomes 0.
func orthonormalise(q [][]float64, lengths []float64) {
	for k, v := range q {
		n := len(v)
		first := math.Sqrt(vec.Dot(n, v, v))
		for range 2 {
			for _, u := range q[:k] {
				vec.Axpy(n, v, -vec.Dot(n, u, v), u)
			}
		}
		lengths[k] = math.Sqrt(vec.Dot(n, v, v))
		if lengths[k] <= 1e-12*first {
			lengths[k] = 0
			clear(v)
			continue
		}
		vec.Scale(n, v, v, 1/lengths[k])
	}
}
