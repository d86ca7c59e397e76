package release

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
)

// mostDegree is that of the polynomials, for which encryption has levels.
const mostDegree = 63

// A Curve is what a score takes of a row's argument u, which is the sum of what the parties have of it: of a
// binary response the predictor η, of a normal one (y − η)/σ. All are polynomials on the interval where u is,
// and what they are bounded by there is of the polynomials, however well they approximate.
type Curve struct {
	// Response and Rest make the residual ψ = y·Response(u) + Rest(u), of y 0 or 1; of a normal response it
	// is Rest alone.
	Response, Rest polynomial.Polynomial
	// Slope is κ, of which the derivative of the expected score by the predictor is made, and Spread κ', the
	// variance of ψ; of a normal response both are 1.
	Slope, Spread polynomial.Polynomial
	Most          float64 // of |ψ|
	Steep         float64 // of κ and κ'
}

// Curve is that of a step.
//
// The residual of a normal response is erf(u/√2·τ), with the Shape τ: about √(2/π)·u/τ near 0, and at most 1.
// That of a binary one is (y − p)·w, for p = 1/(1+exp(−u)) and a weight w = 1 − Shape·tanh²(u/2), which takes
// from rows whose response is nearly certain, and with that from the largest residual: about max(p, 1−p)·w.
// Its κ is p(1−p)w, and its variance p(1−p)w².
func (s *Step) Curve() *Curve {
	if s.curve == nil {
		s.curve = s.curveOf(s.Shape)
	}
	return s.curve
}

func (s *Step) curveOf(shape float64) *Curve {
	on := polynomial.Interval{K: s.reach()}
	if s.Scale > 0 {
		rest := polynomial.Interpolate(on, mostDegree, func(u float64) float64 {
			return portable.Erf(u / float64(math.Sqrt2*shape))
		})
		low, high := rest.Bounds()
		return &Curve{Rest: rest, Most: max(-low, high), Steep: 1}
	}
	on.Centre = s.At[0]
	of := func(f func(p, w float64) float64) polynomial.Polynomial {
		return polynomial.Interpolate(on, mostDegree, func(u float64) float64 {
			t := portable.Tanh(float64(u / 2))
			return f(float64((1+t)/2), 1-float64(shape*t*t))
		})
	}
	c := &Curve{
		Response: of(func(_, w float64) float64 { return w }),
		Rest:     of(func(p, w float64) float64 { return -float64(p * w) }),
		Slope:    of(func(p, w float64) float64 { return float64(p * (1 - p) * w) }),
		Spread:   of(func(p, w float64) float64 { return float64(p * (1 - p) * w * w) }),
	}
	if shape == 0 {
		c.Response.Coefficients = []float64{1} // a whole number
	}
	one := of(func(p, w float64) float64 { return float64((1 - p) * w) })
	for _, p := range []polynomial.Polynomial{c.Rest, one} {
		low, high := p.Bounds()
		c.Most = max(c.Most, -low, high)
	}
	c.Most += gap(one, c.Response, c.Rest)
	for _, p := range []polynomial.Polynomial{c.Slope, c.Spread} {
		low, high := p.Bounds()
		c.Steep = max(c.Steep, high-float64(2*low)) // a little below 0 counts
	}
	return c
}

// gap bounds how far a polynomial is from the sum of two.
func gap(p, a, b polynomial.Polynomial) (sum float64) {
	at := func(q polynomial.Polynomial, k int) float64 {
		if k < len(q.Coefficients) {
			return q.Coefficients[k]
		}
		return 0
	}
	for k := range mostDegree + 1 {
		sum += math.Abs(at(p, k) - at(a, k) - at(b, k))
	}
	return sum
}

// residual is ψ of a response that is −1 or 1 where it is binary.
func (c *Curve) residual(y, u float64) float64 {
	psi := c.Rest.At(u)
	if len(c.Response.Coefficients) > 0 {
		psi += float64(float64((1+y)/2) * c.Response.At(u))
	}
	return psi
}

// weights are κ and κ'.
func (c *Curve) weights(u float64) (slope, spread float64) {
	if len(c.Slope.Coefficients) == 0 {
		return 1, 1
	}
	return c.Slope.At(u), c.Spread.At(u)
}

// farthest bounds the interval: of a binary response, and of a normal one in units of its Shape. Polynomials
// are within 1e-4 of the functions there.
const farthest, farthestNormal = 16.0, 14.0

// Within sets how far each party's part of the argument may be: as far as the bounds of its columns allow.
// Where that is more than polynomials reach, all are held to the same number of root mean squares, and it
// returns that number, and infinity else. What is held makes a bias.
func (m *Moments) Within(s *Step) (deviations float64) {
	s.Reach, s.curve = map[string]float64{}, nil
	limit, unit := farthest, map[string]float64{}
	if s.Scale > 0 {
		limit = farthestNormal * s.Shape
	}
	for _, p := range Parties(m.Columns) {
		s.Reach[p], unit[p] = m.widest(s, p), m.usual(s, p)
	}
	return level(s.Reach, unit, limit)
}

// level holds numbers to the same multiple of their units, so that their sum is at most a limit, and returns
// it.
func level(of, unit map[string]float64, limit float64) float64 {
	names := sorted(of)
	sum := func(by float64) (sum float64) {
		for _, p := range names {
			sum += min(of[p], float64(by*unit[p]))
		}
		return sum
	}
	low, high := 0.0, 0.0
	for _, p := range names {
		high = max(high, of[p]/unit[p])
	}
	if sum(high) <= limit {
		return math.Inf(1)
	}
	for range 60 {
		if middle := float64((low + high) / 2); sum(middle) > limit {
			high = middle
		} else {
			low = middle
		}
	}
	for _, p := range names {
		of[p] = min(of[p], float64(low*unit[p]))
	}
	return low
}

// usual is the root mean square of a party's part of the argument, where the columns of the Map are
// uncorrelated and of variance 1, and Scale is that of the residuals. A normal response has in it what the
// other parties have in the predictor.
func (m *Moments) usual(s *Step, party string) float64 {
	own, others := 0.0, 0.0
	for j, c := range m.Columns[:len(m.Columns)-1] {
		square := float64(s.At[j+1] * s.At[j+1])
		if c.Owner == party {
			own += square
		} else {
			others += square
		}
	}
	if s.Scale == 0 {
		return max(math.Sqrt(own), leastReach)
	}
	if party == m.Columns[len(m.Columns)-1].Owner {
		own = others + float64(s.Scale*s.Scale)
	}
	return max(math.Sqrt(own)/s.Scale, leastReach)
}

// leastReach is that of a party whose columns do not enter.
const leastReach = 0x1p-6

// widest is how far a party's part of the argument is at most, given bounds of its columns.
func (m *Moments) widest(s *Step, party string) float64 {
	constant, by := m.linear(s, party)
	out := math.Abs(constant)
	for _, v := range by {
		out += math.Abs(v)
	}
	return max(out, leastReach)
}

// linear is a party's part of the argument as a function of its scaled columns.
func (m *Moments) linear(s *Step, party string) (constant float64, by []float64) {
	last := len(m.Columns) - 1
	sign := 1.0
	if s.Scale > 0 {
		sign = -1 / s.Scale
	}
	by = make([]float64, last+1)
	for j, row := range m.Gradients.Map {
		if j == 0 || m.Columns[j-1].Owner != party {
			continue
		}
		constant += float64(sign * row[0] * s.At[j])
		for k := range last {
			by[k] += float64(sign * row[k+1] * s.At[j])
		}
	}
	if s.Scale > 0 && m.Columns[last].Owner == party {
		constant, by[last] = constant-float64(s.At[0]/s.Scale), 1/s.Scale
	}
	return constant, by
}

// reach is K.
func (s *Step) reach() (sum float64) {
	for _, p := range sorted(s.Reach) {
		sum += s.Reach[p]
	}
	return sum
}

// longest is Q, the sum of all Lengths.
func (g *Gradients) longest() (sum float64) {
	for _, p := range sorted(g.Lengths) {
		sum += g.Lengths[p]
	}
	return sum
}

// Weight is s² as a polynomial of ‖z‖² without the 1, of which each party has a part between 0 and its
// Length, and B², which ‖sz‖² stays below: bounds of the polynomial and its product with the square hold
// wherever it is not min(1, Norm²/‖z‖²).
func (g *Gradients) Weight() (s2 *polynomial.Polynomial, bound2 float64) {
	if g.weight != nil {
		return g.weight, g.bound2
	}
	half := g.longest() / 2
	on := polynomial.Interval{Centre: half, K: half}
	w := polynomial.Interpolate(on, mostDegree, func(q float64) float64 {
		return min(1, float64(g.Norm*g.Norm)/(1+q))
	})
	least, most := w.Bounds()
	least = max(0, -least) // added, so that s² is above 0, and divided by, so that it is below 1
	w.Coefficients[0] += least
	for k := range w.Coefficients {
		w.Coefficients[k] /= max(1, most+least)
	}
	_, bound2 = polynomial.Interpolate(on, mostDegree+1, func(q float64) float64 {
		return float64((1 + q) * w.At(q))
	}).Bounds()
	g.weight, g.bound2 = &w, float64(bound2*(1+0x1p-40))
	return g.weight, g.bound2
}

// timesNorm is how many times Norm² the Lengths are together at most, for a polynomial of s² that is near it.
const timesNorm = 24

// Hold sets the norm of rows, and the Lengths: as far as the bounds of columns allow. Without noise, nothing
// is gained by a norm, and none shortens a row.
func (m *Moments) Hold(norm float64) {
	g := m.Gradients
	g.Norm, g.Lengths, g.weight = norm, map[string]float64{}, nil
	last := len(m.Columns) - 1
	for j, row := range g.Map {
		if j == 0 {
			continue
		}
		most := math.Abs(row[0])
		for _, v := range row[1 : last+1] {
			most += math.Abs(v)
		}
		g.Lengths[m.Columns[j-1].Owner] += float64(most * most)
	}
	if m.Terms.NoNoise { // but the very longest: a polynomial of encrypted numbers is not constant
		g.Norm = math.Sqrt(1+g.longest()) * (1 - 1e-4)
	}
	same := map[string]float64{}
	for p := range g.Lengths {
		same[p] = 1
	}
	level(g.Lengths, same, float64(timesNorm*g.Norm*g.Norm))
}
