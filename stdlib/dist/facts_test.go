package dist

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// A distribution without a vector form is several times slower over many rows: it has one, or a reason why
// not.
func TestVectorForms(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		vector := d.Expand != nil || d.Rows != def.NoRows
		if !vector && d.Slow == "" {
			t.Error("neither Expand nor Rows, and no reason in Slow")
		}
		if d.Elements != nil && d.Rows == def.NoRows {
			t.Error("Elements serves a density that has a loop over rows; another has Expand")
		}
		if d.Rows != def.NoRows && d.Link.Scale == def.NoLink {
			t.Error("a loop over rows needs a link, which names the predictor")
		}
	})
}

// No derivative by a predictor is beyond the bound that the descriptor has for it, far into both tails.
func TestSteepest(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(33, 34))
		for range 400 {
			if d.Link.Steepest == 0 {
				break
			}
			theta := drawTheta(d, r)
			theta[d.Link.Param] = 30 * r.NormFloat64()
			x := drawX(d, r, theta)
			if r.IntN(2) == 0 {
				theta[d.Link.Param] = 30 * r.NormFloat64()
			}
			const h = 1e-4
			at := func(by float64) float64 {
				moved := slices.Clone(theta)
				moved[d.Link.Param] += by
				return logp(d, x, moved)
			}
			if by := (at(h) - at(-h)) / (2 * h); math.Abs(by) > d.Link.Steepest*(1+1e-6) {
				t.Errorf("%s: %v", label(x, theta), by)
			}
		}
	})
}

// What Inside accepts has a density, and a value outside the support is not accepted.
func TestInside(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(31, 32))
		for range 200 {
			theta := drawTheta(d, r)
			lower, upper := d.Support.Bounds(theta)
			for _, x := range append(outside(d, theta), drawX(d, r, theta), lower, upper,
				math.Inf(1)) {
				lp := logp(d, x, theta)
				if d.Inside(x, theta) && !finite(lp) {
					t.Errorf("%s is inside, and log p is %v", label(x, theta), lp)
				}
				if math.IsInf(lp, -1) == d.Inside(x, theta) {
					t.Errorf("%s: inside is %v, and log p is %v", label(x, theta), d.Inside(x, theta), lp)
				}
			}
			if x := drawX(d, r, theta); !d.Inside(x, theta) {
				t.Errorf("%s was drawn and is not inside", label(x, theta))
			}
		}
	})
}

// slope is the derivative of log p in the logarithm of the distance t from an end, by differences.
func slope(d def.Dist, theta []float64, end, side, t float64) float64 {
	const h = 1e-3
	at := func(t float64) float64 { return logp(d, end+side*t, theta) }
	return (at(t*math.Exp(h)) - at(t*math.Exp(-h))) / (2 * h)
}

// The ends of a continuous distribution are as the descriptor gives them: with t the distance from a finite
// end or |x| towards an infinite one, the slope d log p/d log t tends to the exponent, to ∞ where the decay
// is faster than powers, and as fast as t where it is faster than exponentials.
func TestEnds(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.Discrete {
			if !reflect.ValueOf(d.Lower).IsZero() || !reflect.ValueOf(d.Upper).IsZero() {
				t.Error("ends are of continuous distributions")
			}
			return
		}
		if d.Atoms != nil { // the ends are those of a density for parameters, which it is not
			return
		}
		r := rand.New(rand.NewPCG(33, 34))
		for range 20 {
			theta := drawTheta(d, r)
			lower, upper := d.Support.Bounds(theta)
			checkEnd(t, d, theta, d.Lower, lower, 1)
			checkEnd(t, d, theta, d.Upper, upper, -1)
		}
	})
}

// checkEnd checks one end; inward is the sign of the way from it into the support.
func checkEnd(t *testing.T, d def.Dist, theta []float64, e def.End, end, inward float64) {
	t.Helper()
	if math.IsInf(end, 0) {
		decay := e.At(theta)
		if e.Exponent != nil {
			t.Fatal("an exponent is of a finite end")
		}
		const far = 1e12
		if decay == def.Exponential && math.IsInf(logp(d, -inward*far, theta), -1) {
			return // too fast for the slope to have a number
		}
		s := -slope(d, theta, 0, -inward, far)
		per := -slope(d, theta, 0, -inward, 1e6) / 1e6 // -d log p/d|x|
		more := s / far
		growth := 1e5
		if e.Faster != nil {
			growth = 1.01 // parameters make it little faster than an exponential
		}
		switch {
		case decay == def.Algebraic && !(s < 1e3),
			decay == def.Power && !(-slope(d, theta, 0, -inward, 1e250) > 20),
			decay == def.Power && !(more < 1.01*per),
			decay == def.Exponential && !(more > growth*per):
			t.Errorf("theta %v: towards %v the slope is %v at 1e12, %v a unit, which is not decay %d", theta,
				end, s, per, decay)
		}
		return
	}
	near := 1e-7
	if end == 0 {
		near = 1e-290
	}
	s := slope(d, theta, end, inward, near)
	want := 0.0
	switch {
	case e.Decay == def.Exponential:
		t.Fatal("that decay is of an infinite end")
	case e.Decay == def.Power && math.IsInf(logp(d, end+inward*near, theta), -1):
		return // too fast for the slope to have a number
	case e.Decay == def.Power && end != 0:
		if nearer := slope(d, theta, end, inward, 1e-10); !(nearer > slope(d, theta, end, inward, 1e-5)+0.2) {
			t.Errorf("theta %v: towards %v the slope stays at %v, which is not faster than powers", theta,
				end, nearer)
		}
		return
	case e.Decay == def.Power:
		if !(s > 20) {
			t.Errorf("theta %v: the slope at %v is %v, which is not faster than powers", theta, end, s)
		}
		return
	case e.Exponent != nil:
		want = e.Exponent.Of(theta)
	}
	if math.Abs(s-want) > 1e-5 {
		t.Errorf("theta %v: the exponent at %v is %v, want %v", theta, end, s, want)
	}
}

// The link has the invariance that its scale defines.
func TestLinks(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(35, 36))
		for range 20 {
			theta := drawTheta(d, r)
			moved := append([]float64(nil), theta...)
			x, c := drawX(d, r, theta), r.NormFloat64()
			if d.Link.Scale != def.NoLink {
				moved[d.Link.Param] += c
			}
			var got, want float64
			switch {
			case d.Link.Scale == def.IdentityLink:
				got, want = logp(d, x+c, moved), logp(d, x, theta)
			case d.Link.Scale == def.LogLink && d.Support == def.Positive:
				got, want = logp(d, x*math.Exp(c), moved), logp(d, x, theta)-c
			case d.Link.Scale == def.LogLink:
				got, want = mean(d, theta), math.Exp(theta[d.Link.Param])
			case d.Link.Scale == def.LogitLink:
				_, trials := d.Support.Bounds(theta)
				got, want = mean(d, theta), trials*portable.Sigmoid(theta[d.Link.Param])
			}
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: %v, want %v", label(x, theta), got, want)
			}
		}
	})
}

// mean sums x·p(x) over the support of a discrete distribution.
func mean(d def.Dist, theta []float64) float64 {
	sum := 0.0
	_, upper := d.Support.Bounds(theta)
	for x := 0.0; x <= min(upper, 20_000); x++ {
		sum += x * math.Exp(logp(d, x, theta))
	}
	return sum
}

// A location and scale of log x: log p(x | mu, sigma) + log x is that of the standard member at (log x -
// mu)/sigma, less log sigma.
func TestLocationScaleOfLog(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.OfLog == nil {
			return
		}
		if d.ScaleAt >= 0 || d.Support != def.Positive {
			t.Fatal("either x or the logarithm of a positive x has a location and scale")
		}
		r := rand.New(rand.NewPCG(37, 38))
		for range 50 {
			theta := drawTheta(d, r)
			x := drawX(d, r, theta)
			standard := append([]float64(nil), theta...)
			standard[d.OfLog.Location], standard[d.OfLog.Scale] = 0, 1
			mu, sigma := theta[d.OfLog.Location], theta[d.OfLog.Scale]
			z := (math.Log(x) - mu) / sigma
			got, want := logp(d, x, theta)+math.Log(x), logp(d, math.Exp(z), standard)+z-math.Log(sigma)
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("%s: %v, want %v", label(x, theta), got, want)
			}
		}
	})
}

// The form with a predictor in place of a parameter has the same density at that predictor as the
// distribution at its function, with and without their carriers: the one may stand for the other inside a sum
// of densities.
func TestPredicted(t *testing.T) {
	functions := map[string]def.Func{}
	for _, f := range fn.Elementwise() {
		functions[f.Name] = f
	}
	each(t, func(t *testing.T, d def.Dist) {
		for _, p := range d.Predicted {
			form := p.Form()
			f, ok := functions[p.Func]
			if !ok || f.Monotone != def.Increasing || form.Link.Scale == def.NoLink ||
				form.Link.Param != p.Param || len(form.Params) != len(d.Params) || form.Support != d.Support {
				t.Fatalf("%s is not %s with a linear predictor", form.Name, d.Name)
			}
			r := rand.New(rand.NewPCG(17, 18))
			for range 50 {
				theta := drawTheta(form, r)
				at := slices.Clone(theta)
				f.Forward(at[p.Param:p.Param+1], theta[p.Param:p.Param+1])
				x := drawX(form, r, theta)
				for _, of := range [][2]def.Dist{{form, d}, {bare(form), bare(d)}} {
					got, want := logp(of[0], x, theta), logp(of[1], x, at)
					if math.Abs(got-want) > 1e-11*math.Max(1, math.Abs(want)) {
						t.Errorf("%s: %s has %v, and %s of the value of %s %v", label(x, theta), form.Name, got,
							d.Name, p.Func, want)
					}
				}
			}
		}
	})
}

// bare is a distribution without its carrier.
func bare(d def.Dist) def.Dist {
	d.Carrier = nil
	return d
}
