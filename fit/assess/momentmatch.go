package assess

import (
	"math"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/linear"
)

// A PointDensity evaluates a model at points that are no draws of its run. Several goroutines call it.
type PointDensity interface {
	// Draws are the draws that log likelihoods are of, by unconstrained coordinates, one chain after another.
	Draws() [][]float64
	// At sets joint to log p(y, θ) by the unconstrained coordinates, up to a constant, and row to log p(y_i
	// | θ), both in nats, at each point. What is not finite is not reported here.
	At(points [][]float64, i int, joint, row []float64)
}

// mostMoves is how many moves are made for one observation, and drawsAPiece the number of draws for each
// coordinate from which on covariances are matched.
const (
	mostMoves   = 30
	drawsAPiece = 10
)

// matching moves draws towards the posterior that leaves observation i out, by the importance-weighted
// moments of these draws: Paananen, Piironen, Bürkner and Vehtari (2021), "Implicitly adaptive importance
// sampling", Statistics and Computing 31, 16. Three affine maps are tried in turn, of means, of means and
// variances, and of means and covariances, and one is taken where it lowers the Pareto shape of the
// weights.
type matching struct {
	PointDensity
	i       int
	rEff    float64
	draws   [][]float64
	origin  []float64 // log p(y, θ) at the draws
	reached weighed
	total   affine
	moves   int
}

// weighed are points with the weights that make them draws of the posterior without observation i.
type weighed struct {
	points [][]float64
	row    []float64
	importance.Smoothed
}

// An affine map takes x to L·(s∘(x − mean)) + mean + shift, with L lower triangular, by columns.
type affine struct{ shift, scale, lower []float64 }

func newAffine(d int) affine {
	a := affine{make([]float64, d), make([]float64, d), make([]float64, d*d)}
	for j := range d {
		a.scale[j], a.lower[j+d*j] = 1, 1
	}
	return a
}

// match moves the draws for one observation until its Pareto shape is below the bound or no move lowers it,
// and sets its shape. terms are log p(y_i|θ) with log weights at the points that its elpd is estimated from,
// half of them moved draws and half of them not, and lpd is the log of the mean of p(y_i|θ) there; nil where
// no move helped.
func match(d PointDensity, o *observation, i int, origin []float64, first weighed, bound float64) (terms,
	lw []float64, lpd float64) {
	first.points = d.Draws()
	m := &matching{PointDensity: d, i: i, rEff: o.rEff, draws: first.points, origin: origin, reached: first,
		total: newAffine(len(first.points[0]))}
	for m.moves < mostMoves && m.reached.K > bound && m.move() {
		m.moves++
	}
	if m.moves == 0 {
		return nil, nil, 0
	}
	o.k = m.reached.K
	return m.split()
}

// move tries the maps in turn and makes the first that lowers the shape.
func (m *matching) move() bool {
	n, d := len(m.draws), len(m.draws[0])
	w := make([]float64, n)
	for s, v := range m.reached.LogWeights {
		w[s] = portable.Exp(v)
	}
	mean, centre := m.moments(w)
	shift := make([]float64, d)
	for j := range shift {
		shift[j] = centre[j] - mean[j]
	}
	kinds := []func(a *affine) bool{
		func(*affine) bool { return true },
		func(a *affine) bool { return m.scales(a.scale, w, mean, centre) },
		func(a *affine) bool { return n >= drawsAPiece*d && m.covariances(a.lower, w, mean, centre) },
	}
	for _, kind := range kinds {
		a := newAffine(d)
		copy(a.shift, shift)
		if !kind(&a) {
			continue
		}
		if next := m.weigh(a.of(m.reached.points, mean)); next.K < m.reached.K {
			m.reached = next
			for j := range d {
				m.total.shift[j] += a.shift[j]
				m.total.scale[j] *= a.scale[j]
			}
			m.total.lower = times(a.lower, m.total.lower, d)
			return true
		}
	}
	return false
}

// moments are the mean of the points and their weighted mean.
func (m *matching) moments(w []float64) (mean, centre []float64) {
	n, d := len(m.draws), len(m.draws[0])
	mean, centre = make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		for s, x := range m.reached.points {
			column[s] = x[j]
		}
		mean[j], centre[j] = portable.Mean(column), portable.Dot(column, w)
	}
	return mean, centre
}

// scales sets to the ratios of weighted to plain standard deviations; false where one is not a number above
// 0.
func (m *matching) scales(to, w, mean, centre []float64) bool {
	n := float64(len(w))
	for j := range to {
		plain, weighted := 0.0, 0.0
		for s, x := range m.reached.points {
			a, b := x[j]-mean[j], x[j]-centre[j]
			plain += float64(a * a)
			weighted += float64(w[s] * b * b)
		}
		if to[j] = math.Sqrt(weighted * n / plain); !(to[j] > 0) || math.IsInf(to[j], 1) {
			return false
		}
	}
	return true
}

// covariances sets to the map L_w·L⁻¹ of the Cholesky factors of the weighted and the plain covariance; false
// where one of them has none.
func (m *matching) covariances(to, w, mean, centre []float64) bool {
	n, d := len(w), len(mean)
	plain, weighted, squares := make([]float64, d*d), make([]float64, d*d), portable.Dot(w, w)
	for s, x := range m.reached.points {
		for j := range d {
			a, b := (x[j]-mean[j])/float64(n-1), w[s]*(x[j]-centre[j])/(1-squares)
			for i := j; i < d; i++ {
				plain[i+d*j] += float64(a * (x[i] - mean[i]))
				weighted[i+d*j] += float64(b * (x[i] - centre[i]))
			}
		}
	}
	if !linear.Cholesky(plain, plain, d) || !linear.Cholesky(weighted, weighted, d) {
		return false
	}
	inverse := make([]float64, d*d)
	for j := range d {
		inverse[j+d*j] = 1
		linear.SolveLower(inverse[d*j:][:d], plain, d)
	}
	copy(to, times(weighted, inverse, d))
	return true
}

// times is the product of two lower triangular matrices.
func times(a, b []float64, d int) []float64 {
	out := make([]float64, d*d)
	for j := range d {
		for k := j; k < d; k++ {
			for i := k; i < d; i++ {
				out[i+d*j] += float64(a[i+d*k] * b[k+d*j])
			}
		}
	}
	return out
}

// of maps points about a mean.
func (a affine) of(points [][]float64, mean []float64) [][]float64 {
	d := len(mean)
	out, work := make([][]float64, len(points)), make([]float64, d)
	for s, x := range points {
		out[s] = make([]float64, d)
		for j := range d {
			work[j] = a.scale[j] * (x[j] - mean[j])
			out[s][j] = mean[j] + a.shift[j]
		}
		for j, v := range work {
			for i := j; i < d; i++ {
				out[s][i] += float64(a.lower[i+d*j] * v)
			}
		}
	}
	return out
}

// inverse undoes the map.
func (a affine) inverse(x, mean []float64) []float64 {
	out := make([]float64, len(x))
	for j := range x {
		out[j] = x[j] - mean[j]
	}
	linear.SolveLower(out, a.lower, len(x))
	for j := range x {
		out[j] = out[j]/a.scale[j] + mean[j] - a.shift[j]
	}
	return out
}

// weigh weighs points that one of the maps made of the draws: its determinant is the same for all.
func (m *matching) weigh(points [][]float64) weighed {
	n := len(points)
	joint, row, ratios := make([]float64, n), make([]float64, n), make([]float64, n)
	m.At(points, m.i, joint, row)
	for s := range ratios {
		ratios[s] = possible(joint[s] - m.origin[s] - row[s])
	}
	return weighed{points, row, importance.Smooth(ratios, m.rEff)}
}

// possible is a log ratio, of a point at which the posterior is 0 or not a number −∞.
func possible(ratio float64) float64 {
	if math.IsNaN(ratio) || math.IsInf(ratio, 1) {
		return math.Inf(-1)
	}
	return ratio
}

// split maps the first half of the draws and keeps the second, and weighs them as draws of the mixture of the
// posterior and its image, whose weights are bounded where those of the image alone may not be. It returns
// log p(y_i|θ) + log weight, log weights, and the log of the mean of p(y_i|θ).
func (m *matching) split() (terms, lw []float64, lpd float64) {
	n, d := len(m.draws), len(m.draws[0])
	uniform := make([]float64, n)
	m.reached.points = m.draws
	mean, _ := m.moments(uniform)
	points, back := m.total.of(m.draws[:n/2], mean), make([][]float64, n)
	points = append(points, m.draws[n/2:]...)
	copy(back, m.draws[:n/2])
	for s := n / 2; s < n; s++ {
		back[s] = m.total.inverse(m.draws[s], mean)
	}
	here, there, row, ratios := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	m.At(back, m.i, there, row)
	m.At(points, m.i, here, row)
	volume := linear.LogDiagonal(m.total.lower, d)
	for _, v := range m.total.scale {
		volume += portable.Log(v)
	}
	for s := range ratios {
		if math.IsNaN(there[s]) {
			there[s] = math.Inf(-1)
		}
		mixed := portable.LogSumExp([]float64{here[s], there[s] - volume})
		ratios[s] = possible(here[s] - row[s] - mixed)
	}
	lw = importance.Smooth(ratios, m.rEff).LogWeights
	if lw == nil {
		return nil, nil, 0
	}
	lpd = logMeanExp(row)
	for s, v := range lw {
		row[s] += v
	}
	return row, lw, lpd
}
