package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// difference is the derivative of f at v by the five-point formula, and a bound of its error: truncation and
// the rounding of f.
func difference(f func(v float64) float64, v, h float64) (slope, tol float64) {
	a, b, c, d := f(v-2*h), f(v-h), f(v+h), f(v+2*h)
	size := math.Max(math.Abs(a), math.Abs(d))
	return (a - 8*b + 8*c - d) / (12 * h), 4e-15 * math.Max(1, size) / h
}

// step is a step that stays within the domain of v and on one side of a kink.
func step(v float64, domain def.Support) float64 {
	switch domain {
	case def.Positive, def.NonNegative:
		return 1e-3 * v
	case def.UnitInterval:
		return 1e-3 * min(v, 1-v)
	}
	return 1e-3
}

// Partials of the log density in x and in every real parameter against finite differences of the log density
// itself.
func TestPartials(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(15, 16))
		for range 60 {
			theta := drawTheta(d, r)
			x := drawX(d, r, theta)
			atom := slices.Contains(d.Atoms, x)
			if !atom {
				x = apart(d, x, theta)
			}
			s := sample{d: d, n: 1, x: def.Scalar(x), theta: args(theta)}
			b := s.block(true)
			d.LogDensity(b)
			if d.Discrete || atom {
				if b.DX[0] != 0 {
					t.Errorf("%s: a discrete x has no partial, but it is %v", label(x, theta), b.DX[0])
				}
			} else {
				checkPartial(t, d, "x", x, theta, b.DX[0], x, xDomain(d), func(v float64) float64 {
					return logp(d, v, theta)
				})
			}
			for k, p := range d.Params {
				if p.Integral {
					if b.DTheta[k][0] != 0 {
						t.Errorf("%s: %s is data, but its partial is %v", label(x, theta), p.Name,
							b.DTheta[k][0])
					}
					continue
				}
				checkPartial(t, d, p.Name, x, theta, b.DTheta[k][0], theta[k], p.Domain,
					func(v float64) float64 {
						moved := append([]float64(nil), theta...)
						moved[k] = v
						return logp(d, x, moved)
					})
			}
		}
	})
}

// apart moves x from the ends, near which a step of a difference is lost to rounding.
func apart(d def.Dist, x float64, theta []float64) float64 {
	lower, upper := d.Bounds(theta)
	switch {
	case d.Support == def.UnitInterval:
		return min(x, 1-1e-6)
	case d.Support == def.FromFirst || moving(d):
		return min(max(x, lower+1e-3), upper-1e-3)
	}
	return x
}

// xDomain is the domain of x for a step: uniform's partial in x needs points inside its bounds, which drawing
// makes almost sure.
func xDomain(d def.Dist) def.Support {
	if d.Support == def.Interval {
		return def.RealLine
	}
	return d.Support
}

func checkPartial(t *testing.T, d def.Dist, name string, x float64, theta []float64, got, v float64,
	domain def.Support, f func(float64) float64) {
	t.Helper()
	h := step(v, domain)
	if d.LocationAt >= 0 { // not across the kink of laplace
		h = min(h, 1e-2*math.Abs(x-theta[d.LocationAt]))
	}
	lower, upper := d.Bounds(theta)
	switch {
	case d.Support == def.Interval: // not across a bound
		h = min(h, 0.2*(x-lower), 0.2*(upper-x))
	case d.Support == def.FromFirst || moving(d):
		h = min(h, 2e-4*(x-lower), 2e-4*(upper-x))
	}
	want, tol := difference(f, v, h)
	if !(math.Abs(got-want) <= tol+1e-7*math.Abs(want)) {
		t.Errorf("%s: partial in %s is %v, from differences %v ± %.1g", label(x, theta), name, got, want, tol)
	}
}

// Far from the bulk, partials still agree with closed forms, without overflow, cancellation or NaN.
func TestPartialsInTails(t *testing.T) {
	const e40 = 4.248354255291589e-18 // exp(-40)/(1+exp(-40))
	for _, c := range []struct {
		d     def.Dist
		x     float64
		theta []float64
		k     int // which parameter; -1 for x
		want  float64
	}{
		{BernoulliLogit(), 1, []float64{40}, 0, e40},
		{BernoulliLogit(), 0, []float64{-40}, 0, -e40},
		{BernoulliLogit(), 0, []float64{1e5}, 0, -1},
		{BernoulliLogit(), 1, []float64{-1e5}, 0, 1},
		{BinomialLogit(), 9, []float64{9, 40}, 1, 9 * e40},
		{BinomialLogit(), 0, []float64{9, -40}, 1, -9 * e40},
		{BinomialLogit(), 2, []float64{9, 1e5}, 1, -7},
		{PoissonLog(), 3, []float64{-800}, 0, 3},
		{NegBinomial2Log(), 3, []float64{-800, 2}, 0, 3},
		{NegBinomial2Log(), 3, []float64{800, 2}, 0, -2},
		{NegBinomial2Log(), 0, []float64{0, 1e15}, 0, -1},
		{StudentT(), 1e200, []float64{3, 0, 1}, -1, -4e-200},
		{StudentT(), 1e200, []float64{3, 0, 1}, 2, 3},
		{HalfStudentT(), 1e200, []float64{3, 1}, 1, 3},
		{Cauchy(), -1e200, []float64{0, 1}, 1, 1},
		{HalfCauchy(), 1e200, []float64{1}, 0, 1},
		{Laplace(), 1e300, []float64{0, 1}, -1, -1},
		{Normal(), 1e6, []float64{0, 1}, -1, -1e6},
		{LogNormal(), 1e-300, []float64{0, 1}, 0, -690.7755278982137},
		{Beta(), 1e-300, []float64{2, 3}, -1, 1e300},
		{Bernoulli(), 0, []float64{0}, 0, -1},
		{Bernoulli(), 1, []float64{1e-300}, 0, 1e300},
	} {
		// As one of three elements, so that loops over contiguous rows are taken too.
		for _, n := range []int{1, 3} {
			x := make([]float64, n)
			s := sample{d: c.d, n: n, theta: args(c.theta)}
			for k := range s.theta {
				if !c.d.Params[k].Integral {
					s.theta[k] = def.Vector(make([]float64, n))
				}
				for i := range s.theta[k].V {
					s.theta[k].V[i] = c.theta[k]
				}
			}
			for i := range x {
				x[i] = c.x
			}
			s.x = def.Vector(x)
			b := s.block(false)
			c.d.LogDensity(b)
			got := append([][]float64{b.DX}, b.DTheta...)[c.k+1][n-1]
			if !near(got, c.want, 1e-14) {
				t.Errorf("%s %s: partial %d is %v, want %v", c.d.Name, label(c.x, c.theta), c.k, got, c.want)
			}
		}
	}
}
