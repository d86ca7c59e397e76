package quadrature

import (
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The system of the joint Gaussian is the identity plus a matrix M of the rank that there are parameters. The
// products of M with more columns than that show its whole range, and M itself on it: with Q a basis of the
// range, M = QTQᵀ and MP = QC follow T = C(QᵀP)⁺.

// outright solves the system from the first products, q = p + Mp at p = r, and sets exact to whether draws
// have the covariance of the joint Gaussian. It reports false where there are too few columns to solve it.
func (c *conjugate) outright(columns int, noise density.Stream, exact *bool) bool {
	c.short = c.solve(columns, noise, exact)
	if c.short == nil && c.low != nil {
		c.writeOut(columns)
	}
	return c.short != nil
}

// A subspace is spanned by orthonormal vectors, which are the basis, or where that has more dimensions at
// these coordinates in it.
type subspace struct {
	basis [][]float64
	at    [][]float64
}

// dims is how many dimensions it has.
func (s *subspace) dims() int {
	if s.at == nil {
		return len(s.basis)
	}
	return len(s.at)
}

// products sets out to those of its vectors with v.
func (s *subspace) products(v, out []float64) {
	all := out
	if s.at != nil {
		all = make([]float64, len(s.basis))
	}
	for k, b := range s.basis {
		all[k] = vec.Dot(len(v), b, v)
	}
	for k, at := range s.at {
		out[k] = vec.Dot(len(all), at, all)
	}
}

// addTo adds numbers of times its vectors to v.
func (s *subspace) addTo(v, times []float64) {
	all := times
	if s.at != nil {
		all = make([]float64, len(s.basis))
		for k, at := range s.at {
			vec.Axpy(len(all), all, times[k], at)
		}
	}
	for k, b := range s.basis {
		vec.Axpy(len(v), v, all[k], b)
	}
}

// image is the range, and what M makes of the first directions in its vectors; nil where it has too many
// dimensions.
func (c *conjugate) image(columns int) (within *subspace, image []float64) {
	if c.low == nil {
		y := make([]float64, len(c.q))
		vec.Sub(len(y), y, c.q, c.r)
		basis, image := algebra.BasisOf(y, c.n, columns/2)
		if basis == nil {
			return nil, nil
		}
		return &subspace{basis: basis}, image
	}
	d := len(c.low.basis)
	y := make([]float64, d*columns)
	for col, at := range c.productAt {
		copy(y[col*d:][:d], at)
	}
	at, image := algebra.BasisOf(y, d, columns/2)
	if at == nil {
		return nil, nil
	}
	return &subspace{c.low.basis, at}, image
}

// solve is outright, as a short solution; nil where there is none.
func (c *conjugate) solve(columns int, noise density.Stream, exact *bool) *short {
	within, image := c.image(columns)
	if within == nil {
		return nil
	}
	d := within.dims()
	z, of := make([]float64, d*columns), make([]float64, d)
	for col := range columns {
		within.products(c.right(col), of)
		for k, p := range of {
			z[k*columns+col] = p
		}
	}
	t, ok := algebra.Regress(image, z, d, columns)
	if !ok {
		return nil
	}
	system := algebra.NewFactor(d)
	for i := range d {
		for j := range d {
			system.Matrix[i*d+j] = 0.5 * (t[i*d+j] + t[j*d+i])
		}
		system.Matrix[i*d+i]++
	}
	if !system.Definite() {
		return nil
	}
	y := make([]float64, d*columns) // by column: Qᵀ times the solution
	for col := range columns {
		h := y[col*d:][:d]
		for k := range h {
			h[k] = z[k*columns+col]
		}
		system.Solve(h)
	}
	*exact = c.match(within, t, &system, y, columns, noise)
	return &short{within, t, y, z, columns}
}

// A short is the solution of columns as what it adds to their right sides, in the range.
type short struct {
	within  *subspace
	t       []float64 // the matrix there
	y, z    []float64 // by column, the solution there, and by vector, the right sides
	columns int
}

// add adds to the right side v of a column what makes it the solution.
func (s *short) add(col int, v []float64) {
	times := make([]float64, s.within.dims())
	for k := range times {
		times[k] = s.y[col*len(times)+k] - s.z[k*s.columns+col]
	}
	s.within.addTo(v, times)
}

// leave makes of the right side r of a column, of which v is the solution, what the noise that was changed
// leaves.
func (s *short) leave(col int, r, v []float64) {
	times := make([]float64, s.within.dims())
	d := len(times)
	for k := range times {
		times[k] = -vec.Dot(d, s.t[k*d:], s.y[col*d:])
	}
	vec.Sub(len(r), r, r, v)
	s.within.addTo(r, times)
}

// perDimension is the least number of draws for each dimension of a covariance that is matched.
const perDimension = 5

// match changes the noise of the draws within the range so that the covariance of their predictors is that of
// the joint Gaussian exactly, as moment matching does (Barraquand 1995), and reports whether it has. With as
// many rows' directions as parameters, that of the parameters is exact then too. It takes nothing from the
// parties.
//
// The weighted predictor of a draw deviates from that of the mean by δ = Gθ⁰ + Ty, with Gθ⁰ = −ξ − (I + T)y
// of noise ξ and all of them deviations from column 0: δ = −ξ − y. Its covariance is V = T(I + T)⁻¹. A draw
// with δ' in its place has Ty' = Ty + δ' − δ.
func (c *conjugate) match(within *subspace, t []float64, system *algebra.Factor, y []float64, columns int,
	noise density.Stream) bool {
	d, n := within.dims(), columns-1
	if n < perDimension*d {
		return false
	}
	delta := make([]float64, n*d)
	sample, want, direct := algebra.NewFactor(d), algebra.NewFactor(d), algebra.NewFactor(d)
	for i := range n {
		noise.Round(uint64(i))
		noise.FillNormals(c.work)
		at := delta[i*d:][:d]
		within.products(c.work, at)
		for k, p := range at {
			at[k] = y[k] - y[(i+1)*d+k] - p
		}
		for k, v := range at {
			for l, w := range at {
				sample.Matrix[k*d+l] += v * w / float64(n)
			}
		}
	}
	unit := make([]float64, d)
	for k := range d { // V = I − (I + T)⁻¹
		clear(unit)
		unit[k] = -1
		system.Solve(unit)
		unit[k]++
		copy(want.Matrix[k*d:], unit)
		for l := range d {
			direct.Matrix[k*d+l] = 0.5 * (t[k*d+l] + t[l*d+k])
		}
	}
	if !sample.Definite() || !want.Definite() || !direct.Definite() {
		return false
	}
	for i := range n {
		at := delta[i*d:][:d]
		copy(unit, at)
		sample.Forward(unit)
		for k := range d {
			at[k] = vec.Dot(k+1, want.Lower[k*d:], unit) - at[k]
		}
		direct.Solve(at)
		vec.Accumulate(d, y[(i+1)*d:], at)
	}
	return true
}
