package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/densities"
)

// Every listed distribution goes through every test of this package; the tests read what they need from the
// descriptor.

func each(t *testing.T, f func(t *testing.T, d def.Dist)) {
	for _, d := range All() {
		t.Run(d.Name, func(t *testing.T) { f(t, d) })
	}
}

// proper reports whether d has a density that integrates to 1, and so a sampler.
func proper(d def.Dist) bool { return d.Sample != nil }

func near(got, want, rel float64) bool {
	return got == want || math.Abs(got-want) <= rel*math.Abs(want)
}

// args makes scalar arguments of theta.
func args(theta []float64) []def.BlockArg {
	out := make([]def.BlockArg, len(theta))
	for k, v := range theta {
		out[k] = def.Scalar(v)
	}
	return out
}

// logp is the normalised log density at one point.
func logp(d def.Dist, x float64, theta []float64) float64 {
	v := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: args(theta)})
	if d.Carrier != nil {
		v += d.Carrier(x, theta)
	}
	return v
}

// drawTheta gives an ordinary parameter value for every parameter.
func drawTheta(d def.Dist, r *rand.Rand) []float64 {
	theta := make([]float64, len(d.Params))
	for k, p := range d.Params {
		switch {
		case p.Integral:
			theta[k] = float64(1 + r.IntN(40))
		case p.Domain == def.Positive || p.Domain == def.NonNegative:
			theta[k] = math.Exp(0.6 * r.NormFloat64())
		case p.Domain == def.UnitInterval:
			theta[k] = 0.05 + 0.9*r.Float64()
		default:
			theta[k] = 1.2 * r.NormFloat64()
		}
	}
	if d.Support == def.WholeInterval {
		theta[1] += theta[0]
	}
	if d.Support == def.UpToN && d.Narrow != nil { // no more are drawn than there are
		theta[0] = min(theta[0], theta[1]+theta[2])
	}
	if moving(d) { // a shape with which the density is bounded at the end
		theta[2] *= 0.4
	}
	if d.Support == def.Interval { // its bounds are in order
		theta[1] = theta[0] + 0.1 + math.Abs(theta[1])
	}
	return theta
}

// moving reports whether an end of the values moves with a shape, the third parameter.
func moving(d def.Dist) bool { return d.Narrow != nil && !d.Discrete }

// drawX gives a point of the support; improper distributions have no sampler.
func drawX(d def.Dist, r *rand.Rand, theta []float64) float64 {
	switch {
	case proper(d):
		return d.Sample(r, theta)
	case d.Support == def.Positive:
		return r.ExpFloat64()
	}
	return r.NormFloat64()
}

func TestComplete(t *testing.T) {
	seen, values := map[string]bool{}, densities.Numbers()
	each(t, func(t *testing.T, d def.Dist) {
		if seen[d.Name] {
			t.Error("listed twice")
		}
		seen[d.Name] = true
		if n := len(values[d.Name]); n < 5 {
			t.Errorf("%d values in tests/densities, at least 5 are needed", n)
		}
		if !strings.Contains(d.Doc, "log p(x) =") || !strings.Contains(d.Doc, "Source: ") {
			t.Error("the documentation needs a formula and a source")
		}
		if !strings.Contains(strings.Join(d.Examples, "\n"), "~ "+d.Name+"(") {
			t.Error("no example uses it")
		}
		for _, p := range d.Params {
			if p.Name == "" || p.Doc == "" {
				t.Errorf("parameter %+v needs a name and documentation", p)
			}
			if d.Support != def.Interval && !strings.Contains(d.Doc, p.Name) {
				t.Errorf("the documentation does not mention %s", p.Name)
			}
		}
		if discrete := d.Support >= def.ZeroOne; discrete != d.Discrete && d.Support != def.RealLine {
			t.Errorf("discrete is %v, of its support %v", d.Discrete, discrete)
		}
		if !d.Discrete && d.Carrier != nil {
			t.Error("a continuous x may be a parameter, so it can have no carrier")
		}
		if strings.HasSuffix(d.Name, "flat") == proper(d) {
			t.Error("exactly the flat priors have no sampler")
		}
	})
}

// Values from mpmath at 60 digits or more, rounded to double.
func TestCases(t *testing.T) {
	values := densities.Numbers()
	each(t, func(t *testing.T, d def.Dist) {
		for _, c := range values[d.Name] {
			if got := logp(d, c.X, c.Theta); !near(got, c.LogP, 1e-12) {
				t.Errorf("log p(%v | %v) = %v, want %v (relative error %.1e)", c.X, c.Theta, got, c.LogP,
					math.Abs(got/c.LogP-1))
			}
		}
	})
}

// Location and scale satisfy what `noncentered` assumes: p(x | mu, sigma) = p(u | 0, 1)/sigma for x = mu +
// sigma·u.
func TestLocationScale(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.ScaleAt < 0 {
			if d.LocationAt >= 0 {
				t.Error("a location without a scale")
			}
			return
		}
		r := rand.New(rand.NewPCG(7, 8))
		for range 50 {
			theta := drawTheta(d, r)
			standard := append([]float64(nil), theta...)
			standard[d.ScaleAt] = 1
			location := 0.0
			if d.LocationAt >= 0 {
				location, standard[d.LocationAt] = theta[d.LocationAt], 0
			}
			u := drawX(d, r, standard)
			scale := theta[d.ScaleAt]
			got, want := logp(d, location+scale*u, theta), logp(d, u, standard)-math.Log(scale)
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("theta %v, u %v: %v, want %v", theta, u, got, want)
			}
		}
	})
}

func TestHalves(t *testing.T) {
	full := map[string]def.Dist{}
	for _, d := range All() {
		full[d.Name] = d
	}
	each(t, func(t *testing.T, d def.Dist) {
		base, ok := full[strings.TrimPrefix(d.Name, "half_")]
		if !ok || base.Name == d.Name || !proper(d) {
			return
		}
		r := rand.New(rand.NewPCG(9, 10))
		for range 50 {
			theta := drawTheta(d, r)
			whole := make([]float64, len(base.Params)) // X's arguments with location 0
			for k, at := 0, 0; k < len(whole); k++ {
				if k != base.LocationAt {
					whole[k] = theta[at]
					at++
				}
			}
			x := drawX(d, r, theta)
			if got, want := logp(d, x, theta),
				logp(base, x, whole)+math.Ln2; math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("at %v, %v: %v, twice %s gives %v", x, theta, got, base.Name, want)
			}
		}
	})
}

func label(x float64, theta []float64) string { return fmt.Sprintf("at x = %v, theta = %v", x, theta) }
