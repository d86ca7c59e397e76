package quadrature

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
)

// Noise integrated out around each row's own mode is what thousands of nodes give: to 1e-6 nats where it was
// prepared, and to 1e-4 two widths of the likelihood with its noise away, two units at most, for small and
// large counts.
func TestNoiseAroundEachRowsMode(t *testing.T) {
	counts := []float64{0, 0, 1, 4, 40, 300}
	logit := density.RowLikelihood{Affine: density.Affine{Offset: counts},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			for i, e := range eta {
				s := 1 - 2*float64(i%2)
				lp[i], slope[i] = -math.Log1p(math.Exp(-s*e)), s/(1+math.Exp(s*e))
			}
		}}
	phi := 5.0
	negative := density.RowLikelihood{Affine: density.Affine{Offset: counts},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			for i, e := range eta {
				lp[i], slope[i] = counts[i]*e-(counts[i]+phi)*math.Log(phi+math.Exp(e)),
					counts[i]-(counts[i]+phi)/(1+phi*math.Exp(-e))
			}
		}}
	n := len(counts)
	for name, r := range map[string]density.RowLikelihood{"Poisson": poisson(counts), "logistic": logit,
		"negative binomial": negative} {
		for _, variance := range []float64{0.05, 0.5, 1} {
			m, fine := NewMarginal(r, n, variance), NewMarginal(r, n, variance)
			fine.rows.inner = trapezoidal(4001, 0.005)
			eta := []float64{-3, 0.5, 0.3, 1.2, 3.5, 5.6}
			if !m.Centre(nil, eta) {
				t.Fatalf("%s, variance %g: no rule is fine enough", name, variance)
			}
			lp, slope, want, by := make([]float64, n), make([]float64, n), make([]float64, n),
				make([]float64, n)
			for _, off := range []float64{0, -2, -0.5, 0.5, 2} {
				moved := make([]float64, n)
				for i, e := range eta {
					wide := math.Sqrt(variance + 1/math.Max(1e-9, 1/(m.width[i]*m.width[i])-1/variance))
					moved[i] = e + off*math.Min(1, wide)
				}
				m.Density(nil, moved, lp, slope)
				fine.Density(nil, moved, want, by)
				most := map[bool]float64{true: 1e-6, false: 1e-4}[off == 0]
				for i := range lp {
					if near(lp[i], want[i], most) || near(slope[i], by[i], 100*most/m.sd) {
						t.Errorf("%s, variance %g, %d nodes, row %d, %g away: %.9g and "+
							"%.9g, want %.9g and %.9g", name, variance, len(m.nodes.at), i, off, lp[i],
							slope[i], want[i], by[i])
					}
				}
			}
		}
	}
}

// A likelihood with two modes has no nodes of a row's own.
func TestNoNodesAroundOneOfTwoModes(t *testing.T) {
	cauchy := density.RowLikelihood{Affine: density.Affine{Offset: []float64{0}},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			lp[0], slope[0] = -math.Log1p((eta[0]-3)*(eta[0]-3)/0.01),
				-2*(eta[0]-3)/(0.01+(eta[0]-3)*(eta[0]-3))
		}}
	for _, eta := range []float64{0, 2, 3} {
		if NewMarginal(cauchy, 1, 1).Centre(nil, []float64{eta}) {
			t.Errorf("nodes of its own at %g", eta)
		}
	}
}
