package stretch_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/fit/stretch"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
	"github.com/vflc/vflc/tests/densities"
)

// rows are 200 rows whose predictor has a normal distribution.
func rows(mean, sd, y float64, theta ...float64) []stretch.Row {
	out := make([]stretch.Row, 200)
	for i := range out {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/200-1)
		out[i] = stretch.Row{Y: y, Eta: mean + sd*z, Theta: theta}
	}
	return out
}

func of(t *testing.T, l stretch.PredictedRows, n stretch.Noise) stretch.Forecast {
	t.Helper()
	f, err := stretch.Of(l, n)
	if err != nil {
		t.Fatalf("%s, %+v: %v", l.Dist.Name, n, err)
	}
	return f
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %.6g, want %.6g within %g", what, got, want, relative)
	}
}

// augmented is noise of variance v at the server, of three clients.
func augmented(v float64) stretch.Noise { return stretch.Noise{Rho: math.Sqrt(v / 3), Clients: 3} }

// powerOf is noise of variance v at each of J clients.
func powerOf(v float64, j int) stretch.Noise {
	return stretch.Noise{Rho: math.Sqrt(v / float64(j-1)), Clients: j, Power: true}
}

// probit is a likelihood of 0 and 1 with probability Φ(η), written apart from the library.
func probit() def.Dist {
	return def.Dist{
		Name: "probit", Params: []def.Param{{Name: "eta"}}, Support: def.ZeroOne, Discrete: true,
		LocationAt: -1, ScaleAt: -1,
		LogDensity: func(b *def.Batch) float64 {
			sum := 0.0
			for i := range b.N {
				sign := 2*b.X.At(i) - 1
				z := sign * b.Theta[0].At(i)
				p := math.Erfc(-z/math.Sqrt2) / 2
				sum += math.Log(p)
				if b.LP != nil {
					b.LP[i] = math.Log(p)
				}
				if b.DTheta != nil {
					b.DTheta[0][i] = sign * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / p
				}
			}
			return sum
		},
	}
}

// E Φ(η + u) = Φ(η/√(1+v)): the noisy likelihood is the true one at η/√(1+v), so that coefficients and their
// standard deviations grow by √(1+v).
func TestProbitIsExact(t *testing.T) {
	for _, d := range []def.Dist{probit(), dist.BernoulliProbit()} {
		for _, v := range []float64{0.1225, 1, 3} {
			for _, mean := range []float64{0, 0.7} {
				f := of(t, stretch.PredictedRows{Dist: &d, Rows: rows(mean, 0.8, 1, 0)}, augmented(v))
				near(t, "slope", f.Slope, math.Sqrt(1+v), 1e-4)
				near(t, "sd", f.SD, math.Sqrt(1+v), 1e-3)
				if math.Abs(f.Shift) > 1e-4 {
					t.Errorf("shift %g", f.Shift)
				}
			}
		}
	}
}

// √(1 + 0.42v) within 3 %, also under power with v = (J-1)ρ².
func TestLogit(t *testing.T) {
	d := dist.BernoulliLogit()
	for _, sd := range []float64{0.5, 1} {
		for _, v := range []float64{0.1225, 0.5, 1, 2} {
			l := stretch.PredictedRows{Dist: &d, Rows: rows(0, sd, 1, 0)}
			want := math.Sqrt(1 + 0.42*v)
			near(t, fmt.Sprintf("augmented, sd %g, v %g", sd, v), of(t, l, augmented(v)).Slope, want, 0.03)
			for _, j := range []int{2, 5, 10} {
				near(t, fmt.Sprintf("power, J %d, sd %g, v %g", j, sd, v), of(t, l, powerOf(v, j)).Slope,
					want, 0.03)
			}
		}
	}
}

// Of a normal likelihood coefficients do not move. With sigma fixed they get √(1 + v/σ²) times their sd, v
// the variance of the noise that all copies share; where it is estimated, it is σ² - v, and their sd does not
// change.
func TestNormal(t *testing.T) {
	d := dist.Normal()
	const sigma = 0.7
	for _, n := range []stretch.Noise{{Rho: 0.25, Clients: 2}, {Rho: 0.5, Clients: 5},
		{Rho: 0.25, Clients: 2, Power: true}, {Rho: 0.25, Clients: 5, Power: true},
		{Rho: 0.7, Clients: 2, Power: true}} {
		j := float64(n.Clients)
		v := n.Rho * n.Rho * j
		if n.Power {
			v = n.Rho * n.Rho * (j - 1) * (j - 1) / j
		}
		l := stretch.PredictedRows{Dist: &d, Rows: rows(3, 2, 1, 0, sigma)}
		f := of(t, l, n)
		near(t, "slope", f.Slope, 1, 1e-4)
		near(t, "sd", f.SD, math.Sqrt(1+v/(sigma*sigma)), 1e-3)
		if math.Abs(f.Shift) > 1e-4 {
			t.Errorf("shift %g", f.Shift)
		}
		l.Free = []int{1}
		free := of(t, l, n)
		near(t, "slope with sigma estimated", free.Slope, 1, 1e-4)
		if n.Power { // the true sigma is that from which the fit leads to 0.7
			s := sigma / free.Free[0]
			near(t, "sigma under power", powerSigma(s, n), sigma, 0.01)
			continue
		}
		near(t, "sigma", free.Free[0]*math.Hypot(sigma, math.Sqrt(v)), sigma, 1e-4)
		near(t, "sd with sigma estimated", free.SD, 1, 1e-3)
	}
}

// powerSigma maximises the power model's row likelihood of residuals of standard deviation s over sigma, in
// closed form except for a search. Over the copies, the squares of the residuals split into their mean, which
// has variance σ² + (J-1)²ρ²/J, and J-1 deviations of variance ρ² each, whose weight integrates to (1 +
// ρ²/(Jσ²))^(-(J-1)/2).
func powerSigma(s float64, n stretch.Noise) float64 {
	j, r := float64(n.Clients), n.Rho*n.Rho
	best, at := math.Inf(-1), 0.0
	for sigma := 0.3 * s; sigma < 2*s; sigma += 1e-4 * s {
		v := sigma*sigma + r*(j-1)*(j-1)/j
		// normal of the mean, times the deviations' share; 1/σ to the power 1 is that of the geometric mean
		// of J densities
		lp := -math.Log(sigma) - 0.5*math.Log(v/(sigma*sigma)) - s*s/(2*v) -
			(j-1)/2*math.Log1p(r/(j*sigma*sigma))
		if lp > best {
			best, at = lp, sigma
		}
	}
	return at
}

// The log mean of a Poisson response falls by v/2 only where it is observed one by one, mean·v ≪ 1; elsewhere
// overdispersion is the larger effect, and standard deviations grow by √(1 + μv): 1.27 and 2.69.
func TestPoisson(t *testing.T) {
	d := dist.PoissonLog()
	const v = 0.125
	of := func(mean float64) stretch.Forecast {
		return of(t, stretch.PredictedRows{Dist: &d, Rows: rows(math.Log(mean), 0, math.Round(mean), 0)},
			augmented(v))
	}
	near(t, "shift at mean 0.01", of(0.01).Shift, -v/2, 0.01)
	if s := of(50).Shift; s < -0.3*v/2 || s > 0 {
		t.Errorf("shift at mean 50: %g", s)
	}
	near(t, "sd at mean 5", of(5).SD, 1.27, 0.015)
	near(t, "sd at mean 50", of(50).SD, 2.69, 0.01)
	near(t, "sd at mean 5000", of(5000).SD, math.Sqrt(1+5000*v), 0.005)
}

// exp in front of the rate is the log link: what enters through a function is what enters without it.
func TestThroughFunctions(t *testing.T) {
	rate, log := dist.Poisson(), dist.PoissonLog()
	var exp def.Func
	for _, f := range fn.Elementwise() {
		if f.Name == "exp" {
			exp = f
		}
	}
	r := rows(1, 0.5, 3, 0)
	want := of(t, stretch.PredictedRows{Dist: &log, Rows: r}, augmented(0.2))
	got := of(t, stretch.PredictedRows{Dist: &rate, Through: []*def.Func{&exp}, Rows: r}, augmented(0.2))
	for _, c := range [][2]float64{{got.Slope, want.Slope}, {got.Shift, want.Shift}, {got.SD, want.SD}} {
		near(t, "through exp", c[0], c[1], 1e-6)
	}
}

// A forecast follows the density: of a student_t likelihood with many degrees of freedom it is that of a
// normal one, of a lognormal likelihood that of log y.
func TestOtherDensities(t *testing.T) {
	normal, student, lognormal := dist.Normal(), dist.StudentT(), dist.LogNormal()
	want := of(t, stretch.PredictedRows{Dist: &normal, Rows: rows(1, 1, 1, 0, 0.5)}, augmented(0.1))
	near(t, "student_t",
		of(t, stretch.PredictedRows{Dist: &student, Param: 1, Rows: rows(1, 1, 1, 1e6, 0, 0.5)},
			augmented(0.1)).SD, want.SD, 1e-3)
	near(t, "lognormal", of(t, stretch.PredictedRows{Dist: &lognormal, Rows: rows(1, 1, 1, 0, 0.5)},
		augmented(0.1)).SD, want.SD, 1e-3)
	counts, binomial := dist.BernoulliLogit(), dist.BinomialLogit()
	near(t, "binomial of 1",
		of(t, stretch.PredictedRows{Dist: &binomial, Param: 1, Rows: rows(0, 1, 1, 1, 0)},
			augmented(0.5)).Slope,
		of(t, stretch.PredictedRows{Dist: &counts, Rows: rows(0, 1, 1, 0)}, augmented(0.5)).Slope, 1e-6)
}

// The dispersion of counts takes up the noise where it is estimated.
func TestFreeDispersion(t *testing.T) {
	d := dist.NegBinomial2Log()
	l := stretch.PredictedRows{Dist: &d, Rows: rows(3, 0.5, 20, 0, 5)}
	fixed := of(t, l, augmented(0.1225))
	l.Free = []int{1}
	if f := of(t, l, augmented(0.1225)); !(f.Free[0] > 1.3 && f.SD < fixed.SD && f.SD < 1.1) {
		t.Errorf("%+v; with phi fixed %+v", f, fixed)
	}
}

func TestNoNoise(t *testing.T) {
	d := dist.PoissonLog()
	if f := of(t, stretch.PredictedRows{Dist: &d, Rows: rows(1, 1, 1, 0)},
		stretch.Noise{Rho: 1, Clients: 1, Power: true}); f.Slope != 1 || f.SD != 1 || f.Shift != 0 {
		t.Errorf("power of one client: %+v", f)
	}
}

// There is no forecast where it could not be right.
func TestReasons(t *testing.T) {
	d := dist.Exponential()
	if f, err := stretch.Of(stretch.PredictedRows{Dist: &d, Rows: rows(0, 1, 1, 0)},
		augmented(1)); err == nil {
		t.Errorf("a forecast where the rate is negative: %+v", f)
	}
	kinked := dist.Laplace()
	if f, err := stretch.Of(stretch.PredictedRows{Dist: &kinked, Rows: rows(0, 1, 1, 0, 0.5)},
		augmented(0.1)); err == nil {
		t.Errorf("a forecast by derivatives of a density with a kink: %+v", f)
	}
	// of a fitted sigma of 0.2 under noise of variance 1 the true one may be anything up to 1
	normal := dist.Normal()
	if f, err := stretch.Of(stretch.PredictedRows{Dist: &normal, Free: []int{1}, Rows: rows(0, 1, 1, 0, 0.2)},
		augmented(1)); err == nil {
		t.Errorf("a forecast where the noise takes up the residual variance: %+v", f)
	}
	logit := dist.BernoulliLogit()
	if f, err := stretch.Of(stretch.PredictedRows{Dist: &logit, Rows: rows(0.7, 200, 1, 0)},
		augmented(0.0025)); err == nil {
		t.Errorf("a forecast by the few rows whose responses a predictor does not settle: %+v", f)
	}
}

// Every distribution with a parameter for a linear predictor and a smooth density has a forecast: at the
// first of its test vectors with parameters of about 1.
func TestEveryLink(t *testing.T) {
	moderate := func(d *def.Dist, c densities.Number) bool {
		ok := d.Inside(c.X, c.Theta) && math.Abs(c.X) < 50
		for _, v := range c.Theta {
			ok = ok && math.Abs(v) < 6 && math.Abs(v) > 0.05
		}
		return ok
	}
	values := densities.Numbers()
	kinked := []string{dist.Laplace().Name, dist.AsymmetricLaplace().Name}
	for _, d := range dist.All() {
		at := slices.IndexFunc(values[d.Name], func(c densities.Number) bool {
			return d.Link.Scale != def.NoLink && !slices.Contains(kinked, d.Name) && moderate(&d, c)
		})
		if at < 0 {
			continue
		}
		c := values[d.Name][at]
		f := of(t, stretch.PredictedRows{Dist: &d, Param: d.Link.Param,
			Rows: rows(c.Theta[d.Link.Param], 0.5, c.X, c.Theta...)}, augmented(0.1))
		if !(f.Slope > 0.9 && f.Slope < 1.1 && f.SD > 0.99 && f.SD < 2 && math.Abs(f.Shift) < 0.1) {
			t.Errorf("%s at %v: %+v", d.Name, c.Theta, f)
		}
	}
}
