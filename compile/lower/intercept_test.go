package lower_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// interceptFixture has two clients with covariates and a server with the rest of a model.
func interceptFixture(server string) fixture {
	return fixture{
		Text: `client a, b
data y : real[N]
data g : level(G)[N]
data XA : real[N, PA] @ a
data XB : real[N, PB] @ b
param u : real[PA] ~ normal(0, 1) @ a
param v : real[PB] ~ normal(0, 1) @ b
` + server + "\n",
		Tables: map[string]string{
			"server": "y,g\n0.3,1\n-0.2,2\n0.5,1\n1,2\n0.7,1\n", "a": "x1,x2\n1,2\n0.3,4\n-1,3\n0.4,3\n2,1\n",
			"b": "x3\n5\n4\n5.5\n6\n4.2\n",
		},
	}
}

// An intercept is one number on the real line that is added, with the plus sign, to a whole sum of
// contributions and that nobody else needs, or the location of effects that are added so, with these.
func TestIntercepts(t *testing.T) {
	for text, want := range map[string][][]int{
		"param m ~ normal(0, 1)\ny ~ normal(m + XA * u + XB * v, 1)": {{0}},
		"param s ~ half_normal(1)\nparam m ~ normal(0, s)\nparam c ~ normal(0, 1)\ny ~ " +
			"normal(c + XA * u + XB * v, s)": {{2}},
		"param m ~ normal(0, 1)\ny ~ normal(2 * (m + XA * u + XB * v), 1)":                                    {{0}},
		"param m ~ normal(0, 1)\ny ~ normal(exp(XA * u + m + XB * v), 1)":                                     {{0}},
		"param m ~ normal(0, 1)\nparam c ~ normal(0, 1)\ny ~ normal(c * y + m + XA * u + XB * v, 1)":          {{0}},
		"param c ~ normal(0, 1)\ny ~ normal(c * y + XA * u + XB * v, 1)":                                      nil,
		"param m ~ normal(0, 1)\ny ~ normal(XA * u + XB * v - m, 1)":                                          nil,
		"param m ~ half_normal(1)\ny ~ normal(m + XA * u + XB * v, 1)":                                        nil,
		"param m : real[G] ~ normal(0, 1)\ny ~ normal(m[g] + XA * u + XB * v, 1)":                             nil,
		"param m ~ normal(0, 1) @ shared\nparam w ~ normal(m, 1) @ a\ny ~ normal(m + w + XA * u + XB * v, 1)": nil,
		"param m ~ normal(0, 1) @ a\ny ~ normal(m + XA * u + XB * v, 1)":                                      nil,
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s)\ny ~ " +
			"normal(w[g] + XA * u + XB * v, 1)": {{0, 2, 3}},
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s) noncentered\ny " +
			"~ normal(w[g] + XA * u + XB * v, 1)": {{0}},
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(2 * m, s)\ny ~ " +
			"normal(w[g] + XA * u + XB * v, 1)": nil,
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s)\ny ~ normal(m " +
			"+ w[g] + XA * u + XB * v, 1)": nil,
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(0, s)\ny ~ normal(m " +
			"+ w[g] + XA * u + XB * v, 1)": {{0}},
		"param m ~ normal(0, 1)\nparam w : real[G] ~ normal(0, exp(m))\ny ~ normal(m + " +
			"w[g] + XA * u + XB * v, 1)": nil,
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s)\nparam o : " +
			"real[G] ~ normal(w, s)\ny ~ normal(o[g] + XA * u + XB * v, 1)": {{0, 2, 3, 4, 5}},
	} {
		plan := interceptFixture(text).Bind(t, check.Options{Transform: stdlib.Exact}).Plan
		for k := range plan.Parties {
			p := model.NewParty(plan, k)
			if k > 0 && p.Intercepts() != nil {
				t.Errorf("%s: an intercept at a client", text)
			}
			if k == 0 && !reflect.DeepEqual(p.Intercepts(), want) {
				t.Errorf("%s: intercepts %v, want %v", text, p.Intercepts(), want)
			}
		}
	}
}

// Of an intercept of whose predictor the server has other terms, the mean follows: each has the derivative of
// the predictor's mean by its coordinate, in which intercepts and what is not affine have no part.
func TestTermsOfTheServer(t *testing.T) {
	for text, want := range map[string][]float64{
		"param m ~ normal(0, 1)\nparam c ~ normal(0, 1)\ny ~ normal(m - c * y + XA * u + XB * v, 1)": {0,
			-0.46},
		"param m ~ normal(0, 1)\nparam w : real[G] ~ normal(0, 1)\ny ~ normal(exp(XA * u + m " +
			"+ 2 * w[g] + XB * v), 1)": {0, 1.2, 0.8},
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(0, s) noncentered\ny " +
			"~ normal(m + w[g] + XA * u + XB * v, 1)": {0, 0, 0, 0},
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s)\nparam c ~ " +
			"normal(0, 1)\ny ~ normal(c + w[g] + XA * u, 1)": {0, 0, 0, 0, 1},
		"param m ~ normal(0, 1)\nparam c ~ normal(0, 1)\ny ~ normal(m + c + XA * u, 1)\ny ~ " +
			"normal(c - m + XB * v, 1)": {0, 0},
	} {
		spec := interceptFixture(text).Bind(t, check.Options{Transform: stdlib.Exact}).Plan.Parties[0]
		for _, intercept := range spec.Intercepts {
			for i, own := range intercept.Own {
				if math.Abs(own-want[i]) > 1e-12 {
					t.Errorf("%s: derivatives %v, want %v", text, intercept.Own, want)
				}
			}
		}
		if len(spec.Intercepts) == 0 {
			t.Errorf("%s: no intercept", text)
		}
	}
}

// In coordinates in which an intercept follows, the density is that of the model at the intercept less the
// share of the mean of what is added to it, and the gradients of all parties are those of finite differences.
func TestInterceptsThatFollow(t *testing.T) {
	for _, text := range []string{
		"param s ~ half_normal(1)\nparam m ~ normal(0, 1)\ny ~ student_t(4, exp(m + XA * u + XB * v), s)",
		"param m ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ normal(m, s)\ny ~ " +
			"normal(w[g] + XA * u + XB * v, 1)",
		"param m ~ normal(0, 1)\nparam c ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam w : real[G] ~ " +
			"normal(c, s)\ny ~ normal(exp(c * y + m + w[g] + XA * u + XB * v), 1)",
	} {
		for _, transform := range []check.Options{{Transform: stdlib.NoTransform}, {Transform: stdlib.Exact},
			{Transform: stdlib.Augmented}, {Transform: stdlib.Power}} {
			f := interceptFixture(text)
			if transform.Transform == stdlib.Power {
				f.Text = strings.NewReplacer("data y : real[N]", "data y : real[N] @ shared",
					"data g : level(G)[N]", "data g : level(G)[N] @ shared").Replace(f.Text)
			}
			j := newJoint(t, f.Bind(t, transform).Plan, 1)
			server := j.env.Blocks()[0].(interface {
				Intercepts() [][]int
				Follow([]float64)
				Means([]float64)
				Contributed() bool
			})
			if server.Contributed() == (transform.Transform == stdlib.NoTransform) {
				t.Errorf("%s, %v: contributions: %v", text, transform.Transform, server.Contributed())
			}
			const share = 0.7
			evaluate := func() (sum float64) {
				if err := j.env.Density(t.Context(), j.theta, j.c, j.grad, j.lp); err != nil {
					t.Fatal(err)
				}
				for _, lp := range j.lp {
					sum += lp
				}
				return sum
			}
			server.Follow([]float64{share})
			got, mean := evaluate(), make([]float64, 1)
			server.Means(mean)
			var by [][]float64
			for _, g := range j.grad {
				by = append(by, append([]float64(nil), g...))
			}
			for b, theta := range j.theta {
				for i := range theta {
					const h = 1e-5
					at := theta[i]
					theta[i] = at + h
					above := evaluate()
					theta[i] = at - h
					slope := (above - evaluate()) / (2 * h)
					if theta[i] = at; math.Abs(slope-by[b][i]) > 1e-6*(1+math.Abs(slope)) {
						t.Errorf("%s, %v: party %d, coordinate %d: gradient %v, finite difference %v", text,
							transform.Transform, b, i, by[b][i], slope)
					}
				}
			}
			server.Follow([]float64{0})
			for _, i := range server.Intercepts()[0] {
				j.theta[0][i] -= share * mean[0]
			}
			if want := evaluate(); math.Abs(got-want) > 1e-11*math.Abs(want) || !(math.Abs(mean[0]) > 0.1) {
				t.Errorf("%s, %v: log density %v, want %v; mean %v", text, transform.Transform, got, want,
					mean[0])
			}
		}
	}
}

// For a normal likelihood the share is n/sigma² of n/sigma² + 1/tau², whatever the point: of a weak prior
// nearly 1, of a strong one little.
func TestSharesOfANormal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		tau  string
		want float64
	}{{"5", 20 / (20 + 1.0/25)}, {"0.5", 20.0 / 24}, {"0.01", 20.0 / 10020}} {
		j := newJoint(t,
			interceptFixture("param m ~ normal(0, "+c.tau+")\ny ~ normal(m + XA * u + XB * v, 0.5)").Bind(t,
				check.Options{Transform: stdlib.Exact}).Plan, 1)
		server := j.env.Blocks()[0].(interface {
			Follow([]float64)
			Shares([]float64)
		})
		for range 3 {
			server.Follow([]float64{r.Float64()})
			j.theta[0][0] = 10 * r.NormFloat64()
			if err := j.env.Density(t.Context(), j.theta, j.c, j.grad, j.lp); err != nil {
				t.Fatal(err)
			}
			got := make([]float64, 1)
			if server.Shares(got); math.Abs(got[0]-c.want) > 1e-6 {
				t.Errorf("tau %s: share %v, want %v", c.tau, got[0], c.want)
			}
		}
	}
}
