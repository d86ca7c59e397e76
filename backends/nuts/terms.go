package nuts

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

const (
	says   = 4    // standard errors, from which on data say something of a term
	ridged = 1e-8 // of the variance of each coordinate, added so that their Gram matrix has a root
)

// A regression is that of the derivatives of the log likelihood (the prior of what is no effect included) on
// effects and what else θ has, over draws: coordinates, in units of their standard deviation, and derivatives
// by these, less their means.
type regression struct {
	n, dim        int
	x, g          []float64 // a column of draws for each coordinate
	means, slopes []float64 // of draws, and of derivatives in units of the spread
	spread        []float64
	root          []float64 // of the Gram matrix of x, by columns
}

// informTogether sets the anchors of terms, effects k, from the newest draws: H has the negative coefficients
// of the regression of derivatives. Anchors stay 0 where draws are too few for that, and those of a term of
// which data say nothing above the noise: where scales vary by orders of magnitude, noise that is small on
// the whole is large where a scale is.
func (c *centring) informTogether(k int) {
	anchors := c.at[len(c.effects):]
	for _, e := range c.effects[:k] {
		anchors = anchors[e.Anchors():]
	}
	r := c.regression(c.told)
	if r == nil {
		return
	}
	var place []int // of terms' elements in θ
	for _, t := range c.effects[k].Terms {
		for i := range t.Len {
			place = append(place, t.Offset+i)
		}
	}
	m := len(place)
	h, tells := make([]float64, m*m), make([]bool, m)
	for a, j := range place {
		line, err := r.coefficients(j)
		tells[a] = -line[j] > says*err
		for b, k := range place {
			half := float64(0.5 * line[k])
			h[a*m+b] -= half
			h[b*m+a] -= half
		}
	}
	for a := range h {
		if !tells[a/m] || !tells[a%m] {
			h[a] = 0
		}
	}
	if h = nonnegative(h, m); h == nil {
		return
	}
	for a, j := range place {
		if !tells[a] {
			continue
		}
		pull := r.slopes[j] / r.spread[j]
		for b, k := range place {
			v := h[a*m+b] / r.spread[j] / r.spread[k]
			anchors[a*m+b] = v
			pull += float64(v * r.means[k])
		}
		anchors[m*m+a] = pull
	}
	for _, v := range anchors[:m*(m+1)] {
		if !finite(v) {
			clear(anchors[:m*(m+1)])
			return
		}
	}
}

// regression returns nil where draws are too few, or moments are not finite.
func (c *centring) regression(n int) *regression {
	dim, e := len(c.u), &c.evidence
	if n < dim+dim/4+leastInformed {
		return nil
	}
	r := &regression{n, dim, make([]float64, dim*n), make([]float64, dim*n), make([]float64, dim),
		make([]float64, dim), make([]float64, dim), make([]float64, dim*dim)}
	for i := range n {
		q, g := c.kept.newest(n - i)
		c.from.Evidence(q, g, e.v, e.slope, e.weight)
		for j := range dim {
			r.x[j*n+i], r.g[j*n+i] = q[j], g[j]
		}
		k := 0
		for _, of := range c.effects {
			if of.Anchored || of.Terms != nil {
				continue
			}
			for j := range of.Len {
				at := (of.Offset+j)*n + i
				r.x[at], r.g[at] = e.v[k], e.slope[k]
				k++
			}
		}
	}
	for j := range dim {
		x, g := r.x[j*n:][:n], r.g[j*n:][:n]
		r.means[j] = centre(x)
		s := math.Sqrt(vector.Dot(n, x, x) / float64(n-1))
		vector.Scale(n, x, x, 1/s)
		vector.Scale(n, g, g, s)
		r.slopes[j], r.spread[j] = centre(g), s
		if !(s > 0) || !finite(s) || !finite(r.slopes[j]) {
			return nil
		}
	}
	for j := range dim {
		for k := range dim {
			r.root[j*dim+k] = vector.Dot(n, r.x[j*n:], r.x[k*n:])
		}
		r.root[j*dim+j] += float64(ridged * float64(n))
	}
	if !linear.Cholesky(r.root, r.root, dim) {
		return nil
	}
	return r
}

// coefficients are those of the derivatives by coordinate j, with the standard error of the j-th.
func (r *regression) coefficients(j int) (line []float64, err float64) {
	line, left := make([]float64, r.dim), r.g[j*r.n:][:r.n]
	for k := range line {
		line[k] = vector.Dot(r.n, r.x[k*r.n:], left)
	}
	linear.SolveLower(line, r.root, r.dim)
	linear.SolveUpper(line, r.root, r.dim)
	residual := append([]float64(nil), left...)
	for k, by := range line {
		vector.Axpy(r.n, residual, -by, r.x[k*r.n:])
	}
	unit := make([]float64, r.dim)
	unit[j] = 1
	linear.SolveLower(unit, r.root, r.dim)
	variance := vector.Dot(r.n, residual, residual) / float64(r.n-r.dim)
	return line, math.Sqrt(variance * vector.Dot(r.dim, unit, unit))
}

// nonnegative returns the symmetric matrix h of m rows, which it overwrites, with 0 for its negative
// eigenvalues; nil where they are not found.
func nonnegative(h []float64, m int) []float64 {
	values, room := make([]float64, m), make([]float64, vector.EigenRoom*m)
	out := make([]float64, m*m)
	if !vector.Eigen(m, h, values, out, room) {
		return nil
	}
	clear(out)
	for k, v := range values {
		for a := range m {
			by := float64(max(v, 0) * h[a*m+k])
			for b := range m {
				out[a*m+b] += float64(by * h[b*m+k])
			}
		}
	}
	return out
}

// centre subtracts the mean of v, and returns it.
func centre(v []float64) float64 {
	mean := vector.Sum(len(v), v) / float64(len(v))
	vector.Shift(len(v), v, -mean)
	return mean
}
