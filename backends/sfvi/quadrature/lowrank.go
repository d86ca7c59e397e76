package quadrature

import (
	"math"

	vec "github.com/vflc/vflc/runtime/vector"
)

// A lowRank holds columns of n numbers, of which there are more than dimensions, by their coordinates in an
// orthonormal basis that grows with them.
type lowRank struct {
	most    int // dimensions
	vector  func(n int) []float64
	free    func(v []float64)
	largest float64
	basis   [][]float64
}

// spare is how long, beside the longest column so far, a part is that is rounding: it is left out.
const spare = 1e-12

// add returns the coordinates of a column, which it overwrites; false: there would be too many dimensions.
func (l *lowRank) add(v []float64) (at []float64, ok bool) {
	n := len(v)
	l.largest = max(l.largest, math.Sqrt(vec.Dot(n, v, v)))
	at = make([]float64, len(l.basis), len(l.basis)+1)
	left := 0.0
	for range 2 { // once more for what is new, of which the rounding of the first time may be much
		for k, b := range l.basis {
			p := vec.Dot(n, b, v)
			vec.Axpy(n, v, -p, b)
			at[k] += p
		}
		if left = math.Sqrt(vec.Dot(n, v, v)); left <= spare*l.largest {
			return at, true
		}
	}
	if len(l.basis) == l.most || !(left <= math.MaxFloat64) {
		return nil, false
	}
	b := l.vector(n)
	vec.Scale(n, b, v, 1/left)
	l.basis = append(l.basis, b)
	return append(at, left), true
}

// end gives the basis back.
func (l *lowRank) end() {
	if l == nil {
		return
	}
	for _, b := range l.basis {
		l.free(b)
	}
	l.basis = nil
}

// addTo adds a number of times the column at coordinates to v.
func (l *lowRank) addTo(v []float64, times float64, at []float64) {
	for k, p := range at {
		vec.Axpy(len(v), v, times*p, l.basis[k])
	}
}

// noised is the part of a right side that takes nothing from the clients: noise, and what the fit leaves.
func (c *conjugate) noised(col int, r []float64) {
	clear(r)
	if col > 0 {
		c.noise.Round(uint64(col - 1))
		c.noise.FillNormals(r)
		vec.Neg(c.n, r, r)
	}
	vec.Accumulate(c.n, r, c.level)
}

// right is the right side of a column, which stays there until the next.
func (c *conjugate) right(col int) []float64 {
	if c.low == nil {
		return c.r[col*c.n:][:c.n]
	}
	c.noised(col, c.raised)
	c.low.addTo(c.raised, -1, c.cutsAt[col])
	return c.raised
}

// writeOut makes arrays of the right sides of the columns before one, and of the system times those of which
// there are products.
func (c *conjugate) writeOut(before int) {
	columns := len(c.first)
	c.r, c.q = make([]float64, c.n*columns), make([]float64, c.n*columns)
	for col := range before {
		r, q := c.r[col*c.n:][:c.n], c.q[col*c.n:][:c.n]
		copy(r, c.right(col))
		copy(q, r)
		c.low.addTo(q, 1, c.productAt[col])
	}
	c.low.end()
	c.low = nil
}
