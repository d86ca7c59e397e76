package model

import (
	"math"
	"testing"
)

// integrate computes log ∫ exp(f(t)) φ(t) dt for each f.
func integrate(fs ...func(t float64) float64) ([]float64, bool) {
	out, at := make([]float64, len(fs)), make([]float64, len(fs))
	q := newQuadrature(len(fs), func(t []float64) []float64 {
		for i, f := range fs {
			at[i] = f(t[i])
		}
		return at
	})
	return out, q.into(out)
}

// Gaussian likelihoods N(y; a·t, w²) integrate to N(y; 0, w² + a²), for widths from a hundredth of the noise
// to a hundred times it.
func TestGaussianIntegrals(t *testing.T) {
	logNormal := func(y, variance float64) float64 {
		return -0.5*y*y/variance - 0.5*math.Log(2*math.Pi*variance)
	}
	for _, width := range []float64{0.01, 0.1, 1, 100} {
		for _, y := range []float64{0, 1, -6} {
			got, ok := integrate(func(t float64) float64 { return logNormal(y-t, width*width) })
			if want := logNormal(y, width*width+1); !ok || math.Abs(got[0]-want) > Precision {
				t.Errorf("width %g, y %g: %v (%v), want %v", width, y, got[0], ok, want)
			}
		}
	}
}

// A symmetric logistic integrates to ½ whatever its slope; a density that is 0 everywhere stays 0 beside
// others.
func TestLogisticIntegrals(t *testing.T) {
	for _, slope := range []float64{0.1, 1, 10} {
		got, ok := integrate(
			func(t float64) float64 { return -math.Log1p(math.Exp(-slope * t)) },
			func(float64) float64 { return math.Inf(-1) },
			func(float64) float64 { return -1000 })
		if !ok || math.Abs(got[0]+math.Ln2) > Precision || !math.IsInf(got[1], -1) ||
			math.Abs(got[2]+1000) > 1e-9 {
			t.Errorf("slope %g: %v %v", slope, got, ok)
		}
	}
}

// Integrands that are a millionth as wide as the noise, and far from its centre, have their closed form.
func TestNarrowIntegrals(t *testing.T) {
	for _, at := range []float64{0, 0.3, -5, 7} {
		got, ok := integrate(func(t float64) float64 { return -0.5 * (t - at) * (t - at) / 1e-12 })
		if want := math.Log(1e-6) - 0.5*at*at/(1+1e-12); !ok || math.Abs(got[0]-want) > Precision {
			t.Errorf("at %g: %v (%v), want %v", at, got, ok, want)
		}
	}
}

// Two modes are both found, the narrow one too: Σ of two normal likelihoods.
func TestTwoModes(t *testing.T) {
	normal := func(t, at, width float64) float64 { return math.Exp(-0.5*(t-at)*(t-at)/width/width) / width }
	marginal := func(at, width float64) float64 { return normal(at, 0, math.Hypot(1, width)) }
	got, ok := integrate(func(t float64) float64 { return math.Log(normal(t, -2, 0.5) + normal(t, 4, 0.4)) })
	if want := math.Log(marginal(-2, 0.5) + marginal(4, 0.4)); !ok || math.Abs(got[0]-want) > Precision {
		t.Errorf("%v (%v), want %v", got, ok, want)
	}
}

// What was found at one draw serves others: a likelihood that moves by half a width, by many, and becomes
// narrower keeps its closed form.
func TestIntegrandsThatMove(t *testing.T) {
	at, width := 0.0, 0.0
	q, out := newQuadrature(1, func(t []float64) []float64 {
		return []float64{-0.5 * (t[0] - at) * (t[0] - at) / width / width}
	}), make([]float64, 1)
	for _, step := range [][2]float64{{0.5, 0.1}, {0.55, 0.1}, {1.4, 0.1}, {-6, 0.1}, {-6, 0.003}, {0, 30}} {
		at, width = step[0], step[1]
		want := math.Log(width/math.Hypot(1, width)) - 0.5*at*at/(1+width*width)
		if ok := q.into(out); !ok || math.Abs(out[0]-want) > Precision {
			t.Errorf("at %g, width %g: %v (%v), want %v", at, width, out, ok, want)
		}
	}
}

// An integrand with a jump, or NaN, is reported as not converged.
func TestIntegralsThatDoNotConverge(t *testing.T) {
	jump := func(t float64) float64 {
		if t < 0.3 {
			return 0
		}
		return math.Inf(-1)
	}
	if got, ok := integrate(jump); ok {
		t.Errorf("a jump gives %v", got)
	}
	if got, ok := integrate(func(t float64) float64 { return math.NaN() }); ok {
		t.Errorf("no number gives %v", got)
	}
}
