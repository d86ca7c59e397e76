package nuts

import "github.com/vflc/vflc/runtime/vector"

// moments are running means and sums of squared deviations of vectors, each coordinate alone (Welford 1962).
type moments struct {
	N       int
	Mean    []float64
	Squares []float64 // Σ (x − mean)²
}

// newMoments returns the moments of no vectors so far, of length dim.
func newMoments(dim int) *moments {
	v := make([]float64, 2*dim)
	return &moments{Mean: v[:dim], Squares: v[dim:]}
}

// Add includes the vector x.
func (m *moments) Add(x []float64) {
	m.N++
	vector.Welford(len(x), m.Mean, m.Squares, x, 1/float64(m.N))
}

// Join includes the vectors of other moments (Chan, Golub and LeVeque 1983).
func (m *moments) Join(o *moments) {
	n, k := float64(m.N), float64(o.N)
	if m.N += o.N; o.N == 0 {
		return
	}
	for i, v := range o.Mean {
		d := v - m.Mean[i]
		m.Mean[i] += float64(d * (k / (n + k)))
		m.Squares[i] += o.Squares[i] + float64(d*d*(n*k/(n+k)))
	}
}

// Reset removes all vectors.
func (m *moments) Reset() {
	m.N = 0
	clear(m.Mean)
	clear(m.Squares)
}

// A covariance is a running mean and the sum of outer products of deviations. Only the lower triangle is kept
// up.
type covariance struct {
	N        int
	Mean     []float64
	Products []float64 // row-major, dim×dim: Σ (x − mean)(x − mean)ᵀ
	delta    []float64
}

// newCovariance returns the covariance of no vectors so far, of length dim.
func newCovariance(dim int) *covariance {
	return &covariance{Mean: make([]float64, dim), Products: make([]float64, dim*dim),
		delta: make([]float64, dim)}
}

// Add includes the vector x.
func (c *covariance) Add(x []float64) {
	c.N++
	w := 1 / float64(c.N)
	for i, v := range x {
		c.delta[i] = v - c.Mean[i]
		c.Mean[i] += float64(c.delta[i] * w)
	}
	for i, v := range x {
		after, row := v-c.Mean[i], c.Products[i*len(x):][:i+1]
		for j := range row {
			row[j] += float64(after * c.delta[j])
		}
	}
}

// Join includes the vectors of another covariance.
func (c *covariance) Join(o *covariance) {
	n, k := float64(c.N), float64(o.N)
	if c.N += o.N; o.N == 0 {
		return
	}
	for i, v := range o.Mean {
		c.delta[i] = v - c.Mean[i]
		row := c.Products[i*len(c.Mean):][:i+1]
		for j := range row {
			row[j] += o.Products[i*len(c.Mean)+j] + float64(c.delta[i]*c.delta[j]*(n*k/(n+k)))
		}
	}
	for i, d := range c.delta {
		c.Mean[i] += float64(d * (k / (n + k)))
	}
}

// Reset removes all vectors.
func (c *covariance) Reset() {
	c.N = 0
	clear(c.Mean)
	clear(c.Products)
}
