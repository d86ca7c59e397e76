package noise

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The weights are those of a polynomial's value at 0, for every polynomial of their degree.
func TestWeightsAreExactForPolynomials(t *testing.T) {
	x := []float64{1, 0.49, 0.1225}
	for _, c := range [][3]float64{{1, 0, 0}, {2, -1, 0.5}, {-3, 10, 7}} {
		sum := 0.0
		for i, w := range weights(x) {
			sum += w * (c[0] + c[1]*x[i] + c[2]*x[i]*x[i])
		}
		if math.Abs(sum-c[0]) > 1e-13 {
			t.Errorf("%v at 0: %v", c, sum)
		}
	}
}

// linear is y = Xθ + e with θ ~ N(0, I) and e ~ N(0, σ²): under noise of variance v on the predictor its
// posterior is that of σ² + v.
type linear struct {
	x     *mat.Dense
	y     *mat.VecDense
	sigma float64
}

// moments are the posterior means and standard deviations at one v.
func (l linear) moments(v float64) (mean, sd []float64) {
	s2 := l.sigma*l.sigma + v
	_, p := l.x.Dims()
	var gram, inverse mat.Dense
	gram.Mul(l.x.T(), l.x)
	for k := range p {
		gram.Set(k, k, gram.At(k, k)+s2)
	}
	if err := inverse.Inverse(&gram); err != nil {
		panic(err)
	}
	var moment, m mat.VecDense
	moment.MulVec(l.x.T(), l.y)
	m.MulVec(&inverse, &moment)
	for k := range p {
		mean, sd = append(mean, m.AtVec(k)), append(sd, math.Sqrt(s2*inverse.At(k, k)))
	}
	return mean, sd
}

// regression is one of n rows and three columns, from a fixed sequence.
func regression(n int) linear {
	l := linear{x: mat.NewDense(n, 3, nil), y: mat.NewVecDense(n, nil), sigma: 1.2}
	for i := range n {
		u, v := math.Sin(1.7*float64(i)+0.3), math.Cos(2.9*float64(i))
		l.x.SetRow(i, []float64{1, u, v})
		l.y.SetVec(i, 0.8-1.1*u+0.6*v+1.2*math.Sin(11.3*float64(i)*float64(i)))
	}
	return l
}

// Without Monte Carlo error the error covers the truth, and is near it: the polynomial is off by less than a
// tenth of it where rho√J is small beside sigma.
func TestClosedFormOfANormalLikelihood(t *testing.T) {
	l, sds := regression(30), DefaultSDs()
	var variances []float64
	means, spreads := make([][]float64, 3), make([][]float64, 3)
	for _, sd := range sds {
		variances = append(variances, sd*sd)
		m, s := l.moments(sd * sd)
		for k := range m {
			means[k], spreads[k] = append(means[k], m[k]), append(spreads[k], s[k])
		}
	}
	trueMean, trueSD := l.moments(0)
	none := make([]float64, 3)
	for k := range means {
		for _, c := range []struct {
			truth  float64
			values []float64
		}{{trueMean[k], means[k]}, {trueSD[k], spreads[k]}} {
			e := atZero(variances, c.values, none)
			off, bound := math.Abs(float64(e.Value)-c.truth), float64(e.Error)
			if off > bound || bound > 0.05*trueSD[k] || bound <= 0 {
				t.Errorf("coordinate %d: %v for %v, with an error of %v", k, e.Value, c.truth, bound)
			}
			if plain := math.Abs(c.values[2] - c.truth); off > plain/5 {
				t.Errorf("coordinate %d: off by %v, the smallest rho by %v", k, off, plain)
			}
		}
	}
}

// Three Monte Carlo standard errors of the weighted sum are in the error.
func TestMonteCarloError(t *testing.T) {
	x, se := []float64{1, 0.49, 0.1225}, []float64{0.1, 0.2, 0.3}
	want := 0.0
	for i, w := range weights(x) {
		want += w * w * se[i] * se[i]
	}
	if got := float64(atZero(x, []float64{2, 2, 2}, se).Error); math.Abs(got-3*math.Sqrt(want)) > 1e-12 {
		t.Errorf("%v, want %v", got, 3*math.Sqrt(want))
	}
}

// Values that cannot be extrapolated from are refused.
func TestExtrapolable(t *testing.T) {
	for _, c := range []struct {
		rhos    []float64
		clients int
		ok      bool
	}{
		{[]float64{1, 0.7, 0.35}, 2, true}, {[]float64{0.35, 1, 0.7}, 9, true}, {[]float64{1, 0.5}, 2, false},
		{[]float64{1.01, 0.7, 0.35}, 9, false},
		{[]float64{1, 0.9, 0.35}, 2, false}, {[]float64{1, 1, 0.35}, 2, false},
		{[]float64{3, 1, 0.5}, 1, true},
	} {
		if err := Extrapolable(c.rhos, c.clients); (err == nil) != c.ok {
			t.Errorf("%v with %d clients: %v", c.rhos, c.clients, err)
		}
	}
}
