package polynomial

import (
	"math"
)

// A reference is a function as a pair of polynomials of a degree up to n, but for rounding, of the size of
// noise.
type reference struct {
	Pair
	n     int
	noise parts
}

// refer returns the reference of a function; ok is false where the function is not smooth, or not finite. The
// derivatives that some functions are made of carry more rounding than others.
func refer(on Interval, target func(eta float64) parts) (r reference, ok bool) {
	for _, rounding := range []float64{0x1p-46, 0x1p-38, 0x1p-30} {
		for r.n = 32; r.n <= 1024; r.n *= 2 {
			r.A, r.B = interpolate(on, r.n, target)
			least := rounding * max(r.A.size(), r.B.size())
			if !(least < math.Inf(1)) {
				return r, false
			}
			r.A, r.noise.a = r.A.rounded(least)
			r.B, r.noise.b = r.B.rounded(least)
			if r.Degree() < r.n-r.n/8 {
				return r, true
			}
		}
	}
	return r, false
}

// A curve has what the errors of a likelihood are weighed with.
type curve struct {
	on             Interval
	da, db, d2, e2 Polynomial // the derivatives of A and B, and the second ones
	information    float64    // the expected curvature of residuals; 0: there are none
}

// curve is the curve of a form on an interval; ok is false where the log density is not smooth there.
func (f *PolynomialForm) curve(on Interval) (c curve, ok bool) {
	r, ok := refer(on, f.slope)
	c = curve{on: on, da: r.A, db: r.B, d2: r.A.derivative(), e2: r.B.derivative()}
	if f.Residual {
		c.information = f.information(on)
	}
	return c, ok
}

// at returns the mean of T and the curvature at t in [-1, 1]. The expected slope, T·A' + B', is 0 at the mean
// of T.
func (c curve) at(t float64) (mean, w float64) {
	if c.information > 0 {
		return 0, -c.e2.in(t)
	}
	mean = -c.db.in(t) / c.da.in(t)
	return mean, -(float64(mean*c.d2.in(t)) + c.e2.in(t))
}

// A weighing has the weights of the errors eA and eB at a point t: (spread²·eA² + by²·(mean·eA + eB)²)^½.
type weighing struct{ t, spread, by, mean float64 }

// A measure weighs the errors of pairs on a grid.
type measure struct {
	exact        reference
	grid         []weighing
	mostA, mostB float64 // the largest weights of eA and of eB alone
}

// perDegree is how many points the grid has for each degree of a reference.
const perDegree = 16

// ordinary is the part of the curvature at the centre that rows have at least, on average.
const ordinary = 0.01

// measure is the measure of errors of a quantity over rows.
func (c curve) measure(q Approximated, exact reference, rows float64) measure {
	m := measure{exact: exact}
	_, least := c.at(0)
	least *= ordinary
	for _, t := range cosines(perDegree * exact.n) {
		mean, w := c.at(t)
		sd := math.Sqrt(max(w, 0)) / math.Abs(c.da.in(t)) // of T
		if c.information > 0 {
			w, sd = c.information, 0
		}
		by := rows
		switch q {
		case Slope:
			by = math.Sqrt(2 * rows / max(w, least))
		case Curvature:
			by, sd, mean = 2/max(w, least), 0, 0
		}
		m.grid = append(m.grid, weighing{t, by * sd, by, mean})
		m.mostA, m.mostB = max(m.mostA, length(by*sd, by*mean)), max(m.mostB, by)
	}
	return m
}

// length is that of a vector, with the same digits on every processor.
func length(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

// error bounds the weighed error of a pair. As functions of the angle arccos t, the errors are trigonometric
// polynomials of degree n, whose second derivative is at most n² times their largest value; so between two
// points that are a step apart they are at most step²/8·n² of it above the larger of the two. Where one point
// has more than a limit, so it is that, and no others are looked at: a few for each degree are the first.
func (m measure) error(p Pair, limit float64) float64 {
	eA, eB := make([]float64, len(m.grid)), make([]float64, len(m.grid))
	mostA, mostB := 0.0, 0.0
	for first := range perDegree {
		for j := first; j < len(m.grid); j += perDegree {
			at := m.grid[j]
			eA[j], eB[j] = p.A.in(at.t)-m.exact.A.in(at.t), p.B.in(at.t)-m.exact.B.in(at.t)
			mostA, mostB = max(mostA, math.Abs(eA[j])), max(mostB, math.Abs(eB[j]))
			if e := length(at.spread*eA[j], at.by*(float64(at.mean*eA[j])+eB[j])); e > limit {
				return e
			}
		}
	}
	const between = math.Pi * math.Pi / (8 * perDegree * perDegree)
	moreA, moreB := between*mostA/(1-between)+m.exact.noise.a, between*mostB/(1-between)+m.exact.noise.b
	most := 0.0
	for j, at := range m.grid {
		spread := at.spread * (math.Abs(eA[j]) + moreA)
		shift := at.by * (math.Abs(float64(at.mean*eA[j])+eB[j]) + float64(math.Abs(at.mean)*moreA) + moreB)
		most = max(most, length(spread, shift))
	}
	return most
}
