package attack

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// An increasing, a decreasing and a steep function are solved to rounding, each element for its own value.
func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shift := []float64{0, -3, 700}
	for name, f := range map[string]func(x float64) float64{
		"logistic": func(x float64) float64 { return 1/(1+math.Exp(-x/300)) - 1 },
		"line":     func(x float64) float64 { return 5 - 3*x },
		"poisson":  func(x float64) float64 { return 4 - math.Exp(x/100) },
	} {
		want, a := make([]float64, len(shift)), make([]float64, len(shift))
		for i := range want {
			want[i] = 10 * random.NormFloat64()
			a[i] = f(want[i] + shift[i])
		}
		got := Solve(func(x, out []float64) {
			for i := range x {
				out[i] = f(x[i] + shift[i])
			}
		}, a)
		for i, w := range want {
			if !(math.Abs(got[i]-w) < 1e-9*(1+math.Abs(w+shift[i]))) {
				t.Errorf("%s, element %d: %v, want %v", name, i, got[i], w)
			}
		}
	}
}

// Where a function takes a value twice, never, all along, or by other elements too, nothing is claimed.
func TestSolveRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		f func(x []float64, i int) float64
		a float64
	}{
		"a redescending score": {func(x []float64, i int) float64 { return x[i] / (1 + x[i]*x[i]) }, 0.3},
		"out of range":         {func(x []float64, i int) float64 { return math.Tanh(x[i]) }, 2},
		"flat":                 {func(x []float64, i int) float64 { return math.Max(0, x[i]) }, 0},
		"the sum of elements": {func(x []float64, i int) float64 {
			return x[0] + x[1] + float64(i)*x[0]
		}, 1.7},
		"not a number": {func(x []float64, i int) float64 { return math.NaN() }, 1},
	} {
		got := Solve(func(x, out []float64) {
			for i := range x {
				out[i] = c.f(x, i)
			}
		}, []float64{c.a, 2*c.a - 0.1})
		if !math.IsNaN(got[0]) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Scores in a predictor that are one to one are known as such from the descriptor: that of a canonical link
// is y less a mean. A Cauchy score redescends, one of an angle is periodic, and a normal one through exp, (y
// - m)m, turns back.
func TestSolvable(t *testing.T) {
	exp := def.Func{Forward: func(y, x []float64) {
		y[0] = math.Exp(x[0])
	}, Backward: func(dx, dy, _, y []float64) { dx[0] += dy[0] * y[0] }}
	for _, c := range []struct {
		name, param string
		through     []*def.Func
		want        bool
	}{
		{"bernoulli_logit", "alpha", nil, true}, {"bernoulli_probit", "alpha", nil, true},
		{"binomial_logit", "alpha", nil, true}, {"poisson_log", "alpha", nil, true},
		{"normal", "mu", nil, true}, {"poisson", "lambda", []*def.Func{&exp}, true},
		{"cauchy", "mu", nil, false}, {"student_t", "mu", nil, false}, {"von_mises", "mu", nil, false},
		{"normal", "mu", []*def.Func{&exp}, false},
	} {
		for _, d := range dist.All() {
			for k, p := range d.Params {
				if d.Name == c.name && p.Name == c.param {
					if got := Solvable(&d, k, c.through); got != c.want {
						t.Errorf("%s in %s: %t", c.name, c.param, got)
					}
					c.name = ""
				}
			}
		}
		if c.name != "" {
			t.Errorf("there is no parameter %s of %s", c.param, c.name)
		}
	}
}
