package polynomial

// A Approximated is what is approximated of a log density.
type Approximated int

// The quantities.
const (
	// Value is the log density less that at the centre of the interval. The error, in nats, is of the sum
	// over rows.
	Value Approximated = iota
	// Slope is the derivative by the predictor. The error is by how much it moves the mode, in posterior
	// standard deviations in any direction.
	Slope
	// Curvature is the expected -∂²/∂eta², a function of the predictor alone; of residuals, the observed one.
	// The error is that of the precision in any direction, relative to it.
	Curvature
)

// String is the quantity as a word.
func (q Approximated) String() string { return [...]string{"value", "slope", "curvature"}[q] }

// limit is the largest error.
func (q Approximated) limit() float64 {
	if q == Value {
		return 0.01
	}
	return 0.02
}

// A Goal is what an approximation is for.
type Goal struct {
	Rows   float64 // how many, or trials in all rows
	Degree int     // the largest degree that the encryption has levels for; 0: MaxDegree
}

// MaxDegree is the largest degree of an approximation.
const MaxDegree = 255

// most is the largest degree.
func (g Goal) most() int {
	if g.Degree == 0 {
		return MaxDegree
	}
	return g.Degree
}

// degrees are tried in this order.
var degrees = []int{1, 3, 7, 15, 23, 31, 47, 63, 95, 127, 191, MaxDegree}

// A Pair approximates T(y)·A(eta) + m·B(eta); of residuals, B(eta - y).
type Pair struct {
	A, B  Polynomial
	Error float64 // a bound, in the units of the quantity
}

// Degree is that of the pair.
func (p Pair) Degree() int { return max(p.A.Degree(), p.B.Degree()) }

// Approximate returns polynomials of a small degree whose error is within the limit of the quantity: .01
// nats, .02 posterior standard deviations, .02 of the precision. The error is a *Refusal where there are
// none.
//
// The rules. Let e be the error of a row's slope, in mean square over the responses that the likelihood
// expects, w its curvature, and u the larger of w and a hundredth of the curvature at the centre. For any
// direction v, and H = X'WX + the precision of the prior,
//
//	|v'H⁻¹X'e| ≤ (v'H⁻¹X'UXH⁻¹v)^½ (Σ e²/u)^½ ≤ (2 v'H⁻¹v)^½ √n max e/√u
//
// so that the mode moves by at most √(2n) max e/√u standard deviations, whatever the columns. The second step
// holds if rows have a hundredth of the curvature at the centre on average, in every direction; so the centre
// is the predictor of an ordinary row. By the same condition, an error of the curvature within r·u changes
// the precision in any direction by at most 2r of it. An error e of each value adds up to n·e.
//
// Errors are those against a polynomial of so high a degree that it is the function but for rounding, which
// is added. They are measured at 16 points for each of its degrees, and bounded between these by Bernstein's
// inequality; weights of errors are taken at the points.
func (f *PolynomialForm) Approximate(q Approximated, on Interval, goal Goal) (Pair, error) {
	if p, ok := f.approximate(q, on, goal); ok {
		return p, nil
	}
	return Pair{}, beyond(f, q, on, goal)
}

// approximate is Approximate; ok is false where no degree is enough.
func (f *PolynomialForm) approximate(q Approximated, on Interval, goal Goal) (p Pair, ok bool) {
	c, ok := f.curve(on)
	if !ok {
		return p, false
	}
	target := f.target(q, c)
	exact, ok := refer(on, target)
	if !ok {
		return p, false
	}
	m := c.measure(q, exact, goal.Rows)
	for _, d := range degrees {
		if d > goal.most() {
			break
		}
		a, b := interpolate(on, d, target)
		unnoticed := q.limit() / (100 * float64(d+1))
		p.A, _ = a.rounded(unnoticed / m.mostA)
		p.B, _ = b.rounded(unnoticed / m.mostB)
		// a constant is one on every interval: the response is encrypted so many times
		if p.A.Degree() == 0 && exact.A.Degree() > 0 {
			if p.A, _ = a.rounded(0); p.A.Degree() == 0 {
				continue
			}
		}
		if p.Error = m.error(p, q.limit()); p.Error <= q.limit() {
			return p, true
		}
	}
	return p, false
}

// target is the function that is approximated.
func (f *PolynomialForm) target(q Approximated, c curve) func(eta float64) parts {
	switch q {
	case Value:
		return f.relative(c.on.Centre)
	case Slope:
		return f.slope
	}
	return func(eta float64) parts {
		_, w := c.at((eta - c.on.Centre) / c.on.K)
		return parts{b: w}
	}
}
