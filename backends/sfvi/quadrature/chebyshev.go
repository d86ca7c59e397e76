package quadrature

import (
	"math"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The draws' predictors of a row lie close together, where its log density is smooth. Where one value of that
// is an integral in two dimensions it is evaluated at Chebyshev's nodes between the least and the largest
// predictor of the row, and interpolated.

const (
	leastNodes = 16
	mostNodes  = 128
	tail       = 1e-9 // of the last coefficients of an interpolation that is good enough, in nats
)

// along adds to out, of each draw, the sum of the log density over the rows, whose predictors are given draw
// by draw.
func (r *rows) along(eta, out []float64) {
	if r.copies == 0 || len(out) <= leastNodes || !r.interpolated(eta, out) {
		for c := range out {
			r.density(nil, eta[c*r.n:], r.lp, r.at, nil)
			out[c] += vec.Sum(r.count(), r.lp)
		}
	}
}

// interpolated is along by interpolation. It reports false where that would take too many nodes.
func (r *rows) interpolated(eta, out []float64) bool {
	middle, half := make([]float64, r.n), make([]float64, r.n)
	for i := range r.n {
		lo, hi := eta[i], eta[i]
		for c := range out {
			lo, hi = min(lo, eta[c*r.n+i]), max(hi, eta[c*r.n+i])
		}
		middle[i], half[i] = 0.5*(lo+hi), 0.5*(hi-lo)
	}
	for nodes := leastNodes; nodes <= min(mostNodes, len(out)); nodes *= 2 {
		if by := r.coefficients(middle, half, nodes); by != nil {
			r.clenshaw(by, middle, half, eta, out)
			return true
		}
	}
	return false
}

// coefficients are those of Chebyshev's polynomials, each over the rows; nil where the last are not small.
func (r *rows) coefficients(middle, half []float64, nodes int) [][]float64 {
	by := make([][]float64, nodes)
	for k := range by {
		by[k] = make([]float64, r.n)
	}
	at := make([]float64, r.n)
	for j := range nodes {
		angle := math.Pi * (float64(j) + 0.5) / float64(nodes)
		vec.ScaleAdd(r.n, at, portable.Cos(angle), half, middle)
		r.density(nil, at, r.lp, r.at, nil)
		for k := range by {
			w := 2 / float64(nodes) * portable.Cos(float64(k)*angle)
			if k == 0 {
				w /= 2
			}
			vec.Axpy(r.n, by[k], w, r.lp)
		}
	}
	for _, last := range by[nodes-3:] {
		for _, v := range last {
			if !(math.Abs(v) < tail) {
				return nil
			}
		}
	}
	return by
}

// clenshaw evaluates the polynomials by the recurrence of that name.
func (r *rows) clenshaw(by [][]float64, middle, half, eta, out []float64) {
	x, one, two, next := make([]float64, r.n), make([]float64, r.n), make([]float64, r.n),
		make([]float64, r.n)
	for c := range out {
		for i := range x {
			if x[i] = 0; half[i] > 0 {
				x[i] = (eta[c*r.n+i] - middle[i]) / half[i]
			}
		}
		clear(one)
		clear(two)
		for k := len(by) - 1; k > 0; k-- {
			vec.Mul(r.n, next, x, one)
			vec.ScaleAdd(r.n, next, 2, next, by[k])
			vec.Sub(r.n, next, next, two)
			one, two, next = next, one, two
		}
		vec.Mul(r.n, next, x, one)
		vec.Sub(r.n, next, next, two)
		out[c] += vec.Sum(r.n, next) + vec.Sum(r.n, by[0])
	}
}
