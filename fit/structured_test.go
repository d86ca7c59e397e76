package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// csv writes columns of numbers, with a key.
func csv(names string, columns ...[]float64) string {
	var b strings.Builder
	b.WriteString("id," + names + "\n")
	for i := range columns[0] {
		fmt.Fprint(&b, i)
		for _, c := range columns {
			fmt.Fprintf(&b, ",%v", c[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func normal(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func logistic(r *rand.Rand) float64 { u := r.Float64(); return math.Log(u) - math.Log1p(-u) }

// recovers checks that the truth is within five posterior standard deviations of the posterior mean, and that
// these are narrow.
func recovers(t *testing.T, draws map[string][]float64, widest float64, truth map[string]float64) {
	t.Helper()
	for name, want := range truth {
		v := draws[name]
		if len(v) == 0 {
			t.Fatalf("no %s", name)
		}
		mean, square := 0.0, 0.0
		for i, x := range v {
			d := x - mean
			mean += d / float64(i+1)
			square += d * (x - mean)
		}
		if sd := math.Sqrt(square / float64(len(v)-1)); math.Abs(mean-want) > 5*sd || sd > widest {
			t.Errorf("%s: %v ± %v, the truth is %v", name, mean, sd, want)
		}
	}
}

// scalars runs a short chain and returns the draws of every element of every parameter, as "L[2,1]".
func scalars(t *testing.T, plan *model.Plan) map[string][]float64 {
	t.Helper()
	kind := stdlib.Augmented
	if plan.Exact {
		kind = stdlib.Exact
	}
	a := backend(t, "nuts")
	settings, err := a.Resolve(kind, shortChain)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	err = session.Run(context.Background(), plan, session.OneLoop, 7,
		func(ctx context.Context, env density.Env) error {
			k, err := a.New(env, settings)
			if err != nil {
				return err
			}
			if err := k.Init(ctx); err != nil {
				return err
			}
			taker := NewTaker(env, true)
			for have, done := 0, false; !done; {
				info, err := k.Step(ctx)
				if err != nil {
					return err
				}
				for done = info.Done; have < info.Draws; have++ {
					if _, err := taker.Take(ctx, k, have); err != nil {
						return err
					}
					for b, block := range env.Blocks() {
						for _, p := range block.Params() {
							for i, c := range posterior.Columns([]posterior.Variable{{Name: p.Name,
								Dims: p.Dims}}) {
								out[c.Name] = append(out[c.Name], taker.values[b][p.Offset+i])
							}
						}
					}
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var shortChain = map[string]string{"warmup": "300", "draws": "300", "chains": "1"}

// An ordinal regression whose predictors are split over two clients recovers its coefficients and cutpoints.
func TestOrdinalRegression(t *testing.T) {
	const text = `client a, b
data y : level(4)[N]
data XA : real[N, 2] @ a
data XB : real[N, 1] @ b
param ba : real[2] ~ normal(0, 1) @ a
param bb : real[1] ~ normal(0, 1) @ b
param c : ordered[3] ~ normal(0, 3)
y ~ %s(XA * ba + XB * bb, c)
`
	for name, latent := range map[string]func(*rand.Rand) float64{
		"ordered_logistic": logistic,
		"ordered_probit":   func(r *rand.Rand) float64 { return r.NormFloat64() },
	} {
		const n = 400
		r := rand.New(rand.NewPCG(71, 72))
		a1, a2, b1, y := normal(r, n), normal(r, n), normal(r, n), make([]float64, n)
		for i := range y {
			y[i] = 1
			for v, c := a1[i]-0.5*a2[i]+0.7*b1[i]+latent(r), []float64{-1, 0.5, 2}; y[i] < 4 &&
				v > c[int(y[i])-1]; {
				y[i]++
			}
		}
		files := map[string]string{"server.csv": csv("y", y), "a.csv": csv("a1,a2", a1, a2),
			"b.csv": csv("b1", b1)}
		for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
			b := bindFiles(t, fmt.Sprintf(text, name), transform, 0.2, files)
			recovers(t, scalars(t, b.Plan), 0.3,
				map[string]float64{"ba[1]": 1, "ba[2]": -0.5, "bb[1]": 0.7, "c[1]": -1, "c[2]": 0.5,
					"c[3]": 2})
		}
	}
}

// A multinomial logit whose N×K predictor is split over two clients recovers its contrasts; the softmax in
// the model is the same model.
func TestMultinomialLogit(t *testing.T) {
	const text = `client a, b
data y : level(3)[N]
data XA : real[N, 1] @ a
data XB : real[N, 1] @ b
param ba : real[1, 2] ~ normal(0, 2) @ a
param bb : real[1, 2] ~ normal(0, 2) @ b
y ~ %s
`
	const n = 500
	r := rand.New(rand.NewPCG(73, 74))
	xa, xb, y := normal(r, n), normal(r, n), make([]float64, n)
	for i := range y {
		best := math.Inf(-1)
		for k, eta := range []float64{xa[i], -0.5*xa[i] + 0.8*xb[i], 0} {
			if g := eta - math.Log(r.ExpFloat64()); g > best {
				best, y[i] = g, float64(k+1)
			}
		}
	}
	files := map[string]string{"server.csv": csv("y", y), "a.csv": csv("x", xa), "b.csv": csv("x", xb)}
	const pad = " * [[1, 0, 0], [0, 1, 0]]"
	eta := "XA * ba" + pad + " + XB * bb" + pad
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		for _, response := range []string{"categorical_logit(" + eta + ")",
			"categorical(softmax(" + eta + "))"} {
			b := bindFiles(t, fmt.Sprintf(text, response), transform, 0.2, files)
			recovers(t, scalars(t, b.Plan), 0.3,
				map[string]float64{"ba[1,1]": 1, "ba[1,2]": -0.5, "bb[1,1]": 0, "bb[1,2]": 0.8})
		}
	}
}

// Intercepts and slopes of groups, correlated by an LKJ prior, at a client: their standard deviations and
// correlation are recovered.
func TestCorrelatedEffects(t *testing.T) {
	const text = `client a, b
data y : real[N]
data x : real[N] @ a
data g : level(50)[N] @ a
data z : real[N] @ b
param s ~ half_normal(1)
param k ~ normal(0, 1) @ b
param tau : real[2] ~ half_normal(1) @ a
param L : corr_cholesky[2] ~ lkj_corr_cholesky(2) @ a
param u : real[50, 2] ~ normal(0, 1) @ a
let e = u * (col(tau) .* L)' @ a
y ~ normal(e[g, 1] + e[g, 2] .* x + k * z, s)
`
	const n, groups = 1000, 50
	r := rand.New(rand.NewPCG(75, 76))
	x, z, g, y := normal(r, n), normal(r, n), make([]float64, n), make([]float64, n)
	var u, v [groups]float64
	for j := range groups {
		a, b := r.NormFloat64(), r.NormFloat64()
		u[j], v[j] = a, 0.5*(0.6*a+0.8*b)
	}
	for i := range y {
		j := i % groups
		g[i] = float64(j + 1)
		y[i] = u[j] + v[j]*x[i] - 0.4*z[i] + 0.5*r.NormFloat64()
	}
	b := bindFiles(t, text, stdlib.Exact, 0, map[string]string{"server.csv": csv("y", y),
		"a.csv": csv("x,g", x, g), "b.csv": csv("z", z)})
	recovers(t, scalars(t, b.Plan), 0.2,
		map[string]float64{"tau[1]": 1, "tau[2]": 0.5, "L[2,1]": 0.6, "k": -0.4, "s": 0.5})
}
