package quadrature

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
)

// poisson is the likelihood of counts with a log link, without its constant.
func poisson(y []float64) density.RowLikelihood {
	return density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, len(y))},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			for i, e := range eta {
				lp[i], slope[i] = y[i]*e-math.Exp(e), y[i]-math.Exp(e)
			}
		}}
}

// E exp η = exp(m + v/2): value, slope and curvature of a Poisson likelihood are those of the closed form, up
// to rounding, at every spread of the predictor.
func TestPoissonIsExact(t *testing.T) {
	y := []float64{0, 3, 17, 2}
	mean := []float64{-1, 0.5, 2.5, 0}
	for _, variance := range [][]float64{{1e-9, 0.01, 1, 2}, {4, 6, 1, 2}, {9, 1, 15, 2}, {30, 17, 1, 2}} {
		r := newRows(poisson(y), &rules{})
		copy(r.mean, mean)
		copy(r.variance, variance)
		got, want := r.expect(), 0.0
		for i, m := range mean {
			e := math.Exp(m + variance[i]/2)
			want += y[i]*m - e
			if near(r.slope[i], y[i]-e, 1e-8*e) || near(r.curvature[i], e, 1e-6*e) {
				t.Errorf("variance %g: slope %g, want %g; curvature %g, want %g", variance[i], r.slope[i],
					y[i]-e, r.curvature[i], e)
			}
		}
		if near(got, want, 1e-8*math.Abs(want)) {
			t.Errorf("value %g, want %g", got, want)
		}
	}
}

func near(a, b, off float64) bool { return !(math.Abs(a-b) <= off) }

// The slope is the derivative of the value in the mean, and half the curvature minus that in the variance:
// what is maximised is the quadrature itself.
func TestSlopesAreDerivatives(t *testing.T) {
	r := newRows(poisson([]float64{3}), &rules{})
	at := func(m, v float64) float64 {
		r.mean[0], r.variance[0] = m, v
		return r.expect()
	}
	const m, v, h = 0.7, 0.9, 1e-5
	byMean, byVariance := (at(m+h, v)-at(m-h, v))/(2*h), (at(m, v+h)-at(m, v-h))/(2*h)
	at(m, v)
	if near(r.slope[0], byMean, 1e-8) || near(-0.5*r.curvature[0], byVariance, 1e-8) {
		t.Errorf("slope %.10g and −curvature/2 %.10g, differences %.10g and %.10g", r.slope[0],
			-0.5*r.curvature[0], byMean, byVariance)
	}
}

// Noise that is integrated out of a normal likelihood adds to its variance.
func TestNoiseIsIntegratedOut(t *testing.T) {
	const sd, noise = 0.3, 4.0
	r := newRows(density.RowLikelihood{Affine: density.Affine{Offset: make([]float64, 1)},
		Evaluate: func(_, eta, lp, slope, _, _ []float64) {
			lp[0], slope[0] = -0.5*eta[0]*eta[0]/(sd*sd)-math.Log(sd), -eta[0]/(sd*sd)
		}}, &rules{})
	r.curvature[0] = 1 / (sd * sd)
	r.integrateOut(noise)
	lp, slope, total := []float64{0}, []float64{0}, sd*sd+noise
	for _, eta := range []float64{0, 1.3, -5} {
		r.density(nil, []float64{eta}, lp, slope, nil)
		if near(lp[0], -0.5*eta*eta/total-0.5*math.Log(total), 1e-8) || near(slope[0], -eta/total, 1e-8) {
			t.Errorf("at %g: %.10g and %.10g, want %.10g and %.10g", eta, lp[0], slope[0],
				-0.5*eta*eta/total-0.5*math.Log(total), -eta/total)
		}
	}
}
