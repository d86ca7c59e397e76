package simulate

import (
	"math"
	"testing"
)

// integrate computes log ∫ exp(f(t)) φ(t) dt for each f.
func integrate(fs ...func(t float64) float64) ([]float64, bool) {
	out, at := make([]float64, len(fs)), make([]float64, len(fs))
	q := newQuadrature(out, func(t float64) []float64 {
		for i, f := range fs {
			at[i] = f(t)
		}
		return at
	})
	return out, q.run()
}

// Gaussian likelihoods N(y; a·t, w²) integrate to N(y; 0, w² + a²), for widths from a hundredth of the noise to a hundred times it.
func TestGaussianIntegrals(t *testing.T) {
	logNormal := func(y, variance float64) float64 { return -0.5*y*y/variance - 0.5*math.Log(2*math.Pi*variance) }
	for _, width := range []float64{0.01, 0.1, 1, 100} {
		for _, y := range []float64{0, 1, -6} {
			got, ok := integrate(func(t float64) float64 { return logNormal(y-t, width*width) })
			if want := logNormal(y, width*width+1); !ok || math.Abs(got[0]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("width %g, y %g: %v (%v), want %v", width, y, got[0], ok, want)
			}
		}
	}
}

// A symmetric logistic integrates to ½ whatever its slope; a density that is 0 everywhere stays 0 beside others.
func TestLogisticIntegrals(t *testing.T) {
	for _, slope := range []float64{0.1, 1, 10} {
		got, ok := integrate(
			func(t float64) float64 { return -math.Log1p(math.Exp(-slope * t)) },
			func(float64) float64 { return math.Inf(-1) },
			func(float64) float64 { return -1000 })
		if !ok || math.Abs(got[0]+math.Ln2) > 1e-9 || !math.IsInf(got[1], -1) || math.Abs(got[2]+1000) > 1e-9 {
			t.Errorf("slope %g: %v %v", slope, got, ok)
		}
	}
}

// An integrand that is too narrow for the finest step, or NaN, is reported as not converged.
func TestIntegralsThatDoNotConverge(t *testing.T) {
	if got, ok := integrate(func(t float64) float64 { return -0.5 * (t - 0.3) * (t - 0.3) / 1e-12 }); ok {
		t.Errorf("a spike gives %v", got)
	}
	if got, ok := integrate(func(t float64) float64 { return math.NaN() }); ok {
		t.Errorf("no number gives %v", got)
	}
}
