package posterior

import (
	"math"
	"testing"
)

// An AR(1) energy has E(step²)/variance = 2(1 − φ): 2 for independent energies. The relative error of both
// moments over 20,000 steps is under 3 %/(1 − φ).
func TestEBFMIOfAutoregressions(t *testing.T) {
	for _, phi := range []float64{0, 0.6, 0.9} {
		want := 2 * (1 - phi)
		near(t, "E-BFMI", EBFMI(autoregressive(3, 20000, phi)), want, 0.03*want/(1-phi))
	}
	near(t, "E-BFMI by hand", EBFMI([]float64{1, 2, 4, 1}), (1.0+4+9)/(1+0+4+1), 1e-12)
	for _, e := range [][]float64{nil, {1, 2}, {3, 3, 3}, {1, 2, math.NaN()}} {
		if v := EBFMI(e); !math.IsNaN(v) {
			t.Errorf("E-BFMI of %v = %g, want NaN", e, v)
		}
	}
}

// The relative efficiency of unsplit chains is that of the split ones where chains agree and are long:
// (1−φ)/(1+φ) for an AR(1).
func TestRelativeEfficiency(t *testing.T) {
	near(t, "relative efficiency", RelativeEfficiency(four(20000, 0.6)), 0.25, 0.02)
	near(t, "relative efficiency against the split", RelativeEfficiency(four(20000, 0.6)),
		ESSMean(four(20000, 0.6))/80000, 0.01)
}
