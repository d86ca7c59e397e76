package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A regression is a model of one location parameter and one response: θ ~ prior, y_i ~ likelihood(θ·x_i + Σ_k
// ρ_k e_ki, …).
type regression struct {
	prior      string
	priorArgs  []float64
	lower      float64
	upper      float64
	likelihood string
	args       []float64 // after the location
	x, y       []float64
	rho        []float64
}

func dist(t *testing.T, name string) *def.Dist {
	t.Helper()
	d, ok := stdlib.New().Dist(name)
	if !ok {
		t.Fatalf("no distribution %s", name)
	}
	return d
}

func (r regression) model(t *testing.T) *model.SimulatedModel {
	t.Helper()
	b := graph.New("test")
	must := func(id graph.ID, err error) graph.ID {
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	shape, reports := graph.Shape{len(r.y)}, 0
	report := func(id graph.ID, n graph.Shape) int {
		b.Report("r", must(b.Apply("add", graph.Attr{}, id, b.Const("", n, make([]float64, n.Len())))))
		reports++
		return reports - 1
	}
	m := &model.SimulatedModel{}
	law := model.Law{Dist: dist(t, r.prior)}
	for _, a := range r.priorArgs {
		law.Args = append(law.Args, report(b.Scalar(a), graph.Shape{}))
	}
	theta := b.Param("theta", graph.Shape{})
	m.Params = []model.Param{{Name: "theta", Law: law, Lower: r.lower, Upper: r.upper}}
	at := must(b.Apply("mul", graph.Attr{}, theta, b.Const("x", shape, r.x)))
	y := model.Response{Name: "y", Shape: shape, Values: r.y,
		Law: model.Law{Dist: dist(t, r.likelihood)}}
	for k, rho := range r.rho {
		e := must(b.Apply("mul", graph.Attr{}, b.Scalar(rho), b.Input("e", shape)))
		at = must(b.Apply("add", graph.Attr{}, at, e))
		m.Noise = append(m.Noise, model.Noise{Cut: "z", Party: "a", Rho: rho, Input: k})
		y.Noise = append(y.Noise, k)
	}
	args := []graph.ID{at}
	for _, a := range r.args {
		args = append(args, b.Scalar(a))
	}
	for _, id := range args {
		y.Args = append(y.Args, report(id, shape))
	}
	values := b.Const("y", shape, r.y)
	y.LogDensity = report(must(b.LogDensityByVectors(y.Dist, values, args, graph.NoID)), shape)
	y.Rowwise = report(must(b.LogDensity(y.Dist, values, args, graph.NoID)), shape)
	m.Responses = []model.Response{y}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m.Graph = g
	return m
}

func logNormal(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return -0.5*z*z - math.Log(sd) - 0.5*math.Log(2*math.Pi)
}

func normal(rho ...float64) regression {
	return regression{prior: "normal", priorArgs: []float64{2, 3}, lower: math.Inf(-1), upper: math.Inf(1),
		likelihood: "normal", args: []float64{0.5},
		x: []float64{1, -1, 0.5}, y: []float64{0.3, -0.2, 4}, rho: rho}
}

func logDensity(t *testing.T, r regression, theta float64) []float64 {
	t.Helper()
	out := make([]float64, len(r.y))
	if err := r.model(t).NewSimulator().LogDensity(0, []float64{theta}, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Without noise the pointwise density is the likelihood's; with it, of a normal likelihood, the variances add
// up.
func TestPointwiseDensitiesOfNormals(t *testing.T) {
	for _, rho := range [][]float64{nil, {0.7}, {0.7, 2}, {0.01, 0.02, 3}} {
		sd := 0.5
		for _, v := range rho {
			sd = math.Hypot(sd, v)
		}
		r := normal(rho...)
		for i, got := range logDensity(t, r, 0.8) {
			if want := logNormal(r.y[i], 0.8*r.x[i], sd); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("rho %v, element %d: %v, want %v", rho, i, got, want)
			}
		}
	}
}

// The log likelihood is the sum of log densities at the predictor without noise, also after an evaluation
// with noise.
func TestLogLikelihoodIsWithoutNoise(t *testing.T) {
	for _, r := range []regression{normal(), normal(0.7, 0.4)} {
		s, want := r.model(t).NewSimulator(), 0.0
		for i, y := range r.y {
			want += logNormal(y, 0.8*r.x[i], r.args[0])
		}
		s.At([]float64{-1}, s.Deviations(rand.New(rand.NewPCG(1, 1))))
		if got := s.LogLikelihood([]float64{0.8}); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("rho %v: %.16g, want %.16g", r.rho, got, want)
		}
	}
}

// Without a closed form, the integral over the noise agrees with Simpson's rule on 4,000 intervals; the
// deviations of several clients act as one with the sum of their variances.
func TestNoiseIsIntegratedOut(t *testing.T) {
	with := func(likelihood string, y []float64, args ...float64) regression {
		r := normal()
		r.likelihood, r.y, r.args = likelihood, y, args
		return r
	}
	for _, c := range []struct {
		model      regression
		logDensity func(y, location float64) float64
	}{
		{with("bernoulli_logit", []float64{0, 1, 1}), func(y, at float64) float64 {
			return -math.Log1p(math.Exp((1 - 2*y) * at))
		}},
		{with("poisson_log", []float64{0, 3, 7}), func(y, at float64) float64 {
			g, _ := math.Lgamma(y + 1)
			return y*at - math.Exp(at) - g
		}},
		{with("cauchy", []float64{0.3, -0.2, 4}, 0.4), func(y, at float64) float64 {
			z := (y - at) / 0.4
			return -math.Log(0.4 * math.Pi * (1 + z*z))
		}},
	} {
		r := c.model
		for _, rho := range [][]float64{{0.3}, {1}, {0.6, 0.8}} {
			r.rho = rho
			total := 0.0
			for _, v := range rho {
				total = math.Hypot(total, v)
			}
			for i, got := range logDensity(t, r, 0.8) {
				integrand := func(e float64) float64 {
					return math.Exp(c.logDensity(r.y[i], 0.8*r.x[i]+total*e) + logNormal(e, 0, 1))
				}
				if want := math.Log(simpson(integrand, -10, 10, 4000)); math.Abs(got-want) > 1e-7 {
					t.Errorf("%s, rho %v, element %d: %v, want %v", r.likelihood, rho, i, got, want)
				}
			}
		}
	}
}

func simpson(f func(float64) float64, a, b float64, n int) float64 {
	h, sum := (b-a)/float64(n), f(a)+f(b)
	for i := 1; i < n; i++ {
		sum += float64(2+2*(i%2)) * f(a+float64(i)*h)
	}
	return sum * h / 3
}

// The marginal probabilities of all values of a discrete response sum to 1.
func TestMarginalProbabilitiesSumToOne(t *testing.T) {
	r := normal(1.3)
	r.likelihood, r.args, r.x, r.y = "bernoulli_logit", nil, []float64{2, 2}, []float64{0, 1}
	p := logDensity(t, r, -0.7)
	if got := math.Exp(p[0]) + math.Exp(p[1]); math.Abs(got-1) > 1e-8 {
		t.Errorf("probabilities sum to %v", got)
	}
}

// moments draws and returns mean and variance of each element.
func moments(draws int, draw func() []float64) (mean, variance []float64) {
	for k := range draws {
		x := draw()
		if mean == nil {
			mean, variance = make([]float64, len(x)), make([]float64, len(x))
		}
		for i, v := range x {
			d := v - mean[i]
			mean[i] += d / float64(k+1)
			variance[i] += d * (v - mean[i]) / float64(draws-1)
		}
	}
	return mean, variance
}

// Simulated responses have the mean of the likelihood and its variance plus that of the noise: 20,000 draws,
// five standard errors.
func TestMomentsOfResponses(t *testing.T) {
	const draws = 20000
	for _, rho := range [][]float64{nil, {2}, {1, 0.5}} {
		m, variance := normal(rho...), 0.25
		for _, v := range rho {
			variance += v * v
		}
		s, r := m.model(t).NewSimulator(), rand.New(rand.NewPCG(3, 4))
		mean, v := moments(draws, func() []float64 {
			y, err := s.Responses(r, []float64{0.8})
			if err != nil {
				t.Fatal(err)
			}
			return y[0]
		})
		for i := range mean {
			if want := 0.8 * m.x[i]; math.Abs(mean[i]-want) > 5*math.Sqrt(variance/draws) {
				t.Errorf("rho %v: the mean of element %d is %v, want %v", rho, i, mean[i], want)
			}
			if math.Abs(v[i]-variance) > 5*variance*math.Sqrt(2.0/draws) {
				t.Errorf("rho %v: the variance of element %d is %v, want %v", rho, i, v[i], variance)
			}
		}
	}
}

// Draws from priors have the right moments: of a normal, of one truncated at its mean (mean + sd √(2/π),
// variance sd² (1 − 2/π)), and of one whose scale is changed.
func TestMomentsOfPriors(t *testing.T) {
	const draws = 20000
	half := normal()
	half.lower = 2
	for name, c := range map[string]struct {
		model          regression
		factor         float64
		mean, variance float64
	}{
		"normal":     {normal(), 1, 2, 9},
		"cut off":    {half, 1, 2 + 3*math.Sqrt(2/math.Pi), 9 * (1 - 2/math.Pi)},
		"twice wide": {normal(), 2, 2, 36},
	} {
		s, r, x := c.model.model(t).NewSimulator(), rand.New(rand.NewPCG(5, 6)), make([]float64, 1)
		mean, variance := moments(draws, func() []float64 {
			if err := s.Prior(r, x, func(string) float64 { return c.factor }); err != nil {
				t.Fatal(err)
			}
			if x[0] < c.model.lower {
				t.Fatalf("%s: drew %v below %v", name, x[0], c.model.lower)
			}
			return x
		})
		if math.Abs(mean[0]-c.mean) > 5*math.Sqrt(c.variance/draws) ||
			math.Abs(variance[0]-c.variance) > 5*c.variance*math.Sqrt(3.0/draws) {
			t.Errorf("%s: mean %v and variance %v, want %v and %v", name, mean[0], variance[0], c.mean,
				c.variance)
		}
	}
}

// A parameter or response that cannot be drawn or integrated gives an error that names it, never a number.
func TestErrorsNameTheirCause(t *testing.T) {
	far, jump := normal(), normal(1)
	far.lower, far.upper = 90, 91
	jump.likelihood, jump.args = "uniform", []float64{10}
	improper, dependent := normal().model(t), normal(1).model(t)
	improper.Params[0].Improper = "has no proper prior"
	dependent.Responses[0].Dependent = "rows meet"
	r, x, out := rand.New(rand.NewPCG(1, 2)), make([]float64, 1), make([]float64, 3)
	for want, err := range map[string]error{
		"theta: 10000 draws":                   far.model(t).NewSimulator().Prior(r, x, nil),
		"theta has no proper prior":            improper.NewSimulator().Prior(r, x, nil),
		"y has no pointwise density: rows mee": dependent.NewSimulator().LogDensity(0, x, out),
		"did not converge":                     jump.model(t).NewSimulator().LogDensity(0, x, out),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
