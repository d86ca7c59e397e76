package polynomial

import (
	"math"
	"math/rand/v2"
	"testing"
)

const seed = 43

func must(t *testing.T, term LikelihoodTerm) *PolynomialForm {
	t.Helper()
	f, err := Of(term)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// T·A + m·B is the log density of a row less that at the centre, and T·A' + m·B' its derivative, at values
// drawn from the distribution.
func TestForms(t *testing.T) {
	for _, c := range families() {
		t.Run(c.Dist.Name, func(t *testing.T) {
			f, r := must(t, c.LikelihoodTerm), rand.New(rand.NewPCG(seed, 1))
			if f.Residual {
				t.Fatal("it has a statistic")
			}
			value := f.relative(0.3)
			for range 200 {
				eta, trials := 6*r.Float64()-3, float64(1+r.IntN(20))
				theta := append([]float64(nil), f.term.Theta...)
				theta[f.term.Param], _ = f.term.Link.at(eta)
				if f.Trials < 0 {
					trials = 1
				} else {
					theta[f.Trials] = trials
				}
				x := f.term.Dist.Sample(r, theta)
				stat := f.Statistic.Of(x, theta)
				lp, slope := c.density(x, eta, trials)
				zero, _ := c.density(x, 0.3, trials)
				if got := value(eta); !near(stat*got.a+trials*got.b, lp-zero, 1e-9*(1+math.Abs(stat*got.a))) {
					t.Errorf("at %v, value %v: %v, want %v", eta, x, stat*got.a+trials*got.b, lp-zero)
				}
				if got := f.slope(eta); !near(stat*got.a+trials*got.b, slope, 1e-7*(1+math.Abs(stat*got.a))) {
					t.Errorf("at %v, value %v: slope %v, want %v", eta, x, stat*got.a+trials*got.b, slope)
				}
			}
		})
	}
}

// What a residual has is the log density of the difference.
func TestResiduals(t *testing.T) {
	for _, c := range residuals() {
		t.Run(c.Dist.Name, func(t *testing.T) {
			f, r := must(t, c), rand.New(rand.NewPCG(seed, 2))
			if !f.Residual || f.Statistic != nil {
				t.Fatal("it has residuals")
			}
			value := f.relative(0)
			for range 100 {
				x, eta := 3*r.NormFloat64(), 3*r.NormFloat64()
				lp, slope := c.density(x, eta, 1)
				zero, _ := c.density(0, 0, 1)
				if got := value(eta - x); got.a != 0 || !near(got.b, lp-zero, 1e-10) {
					t.Errorf("at %v, value %v: %v, want %v", eta, x, got, lp-zero)
				}
				if got := f.slope(eta - x); got.a != 0 || !near(got.b, slope, 1e-7) {
					t.Errorf("at %v, value %v: slope %v, want %v", eta, x, got, slope)
				}
			}
		})
	}
}

// The mean of the statistic and the expected curvature follow from A and B alone.
func TestCurve(t *testing.T) {
	for _, c := range families() {
		t.Run(c.Dist.Name, func(t *testing.T) {
			f, r := must(t, c.LikelihoodTerm), rand.New(rand.NewPCG(seed, 3))
			curve, ok := f.curve(Interval{-1, 2.5})
			if !ok {
				t.Fatal("it is smooth")
			}
			for range 100 {
				at := 2*r.Float64() - 1
				eta := -1 + float64(2.5*at)
				mean, w := curve.at(at)
				if !near(mean, c.mean(eta), 1e-7) || !near(w, c.information(eta), 1e-6) {
					t.Errorf("at %v: mean %v, want %v; curvature %v, want %v", eta, mean, c.mean(eta), w,
						c.information(eta))
				}
			}
		})
	}
}
