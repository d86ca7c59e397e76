package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/transforms"
)

// grouped draws a response of rows in groups at a client, whose effects have the scale tau, with a covariate at that
// client and at another, and binds a model of it. In the text @scale is the party of the scale and @effects that of effects.
func groupedEffects(t *testing.T, rows, groups int, tau float64, seed uint64, kind, text string, response func(r *rand.Rand, eta float64) float64) *compile.Bound {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	effects := make([]float64, groups)
	for g := range effects {
		effects[g] = tau * r.NormFloat64()
	}
	y, a, b := []string{"id,y,h"}, []string{"id,g,x"}, []string{"id,z"}
	for i := range rows {
		g, x, z := r.IntN(groups), r.NormFloat64(), r.NormFloat64()
		eta := -0.4 + effects[g] + 0.3*x - 0.2*z
		y = append(y, fmt.Sprintf("%d,%v,h%d", i, response(r, eta), g))
		a = append(a, fmt.Sprintf("%d,g%d,%.4f", i, g, x))
		b = append(b, fmt.Sprintf("%d,%.4f", i, z))
	}
	all := "client left, right\ndata y : " + kind + "[N]\ndata x : real[N] @ left\ndata z : real[N] @ right\nparam u ~ normal(0, 2) @ left\nparam v ~ normal(0, 2) @ right\nparam b ~ normal(0, 5)\n" + text + "\n"
	files := map[string]string{"server.csv": strings.Join(y, "\n") + "\n", "left.csv": strings.Join(a, "\n") + "\n", "right.csv": strings.Join(b, "\n") + "\n"}
	return bound(t, besideModel(t, all, files), check.Options{Transform: transforms.Exact, Accept: accept.Set{"few-rows"}})
}

const (
	scaleAtClient = "data g : level(G)[N] @ left\nparam tau ~ half_normal(1) @ left\nparam a : real[G] ~ normal(0, tau) @ left\n"
	scaleAtServer = "data g : level(G)[N] @ left\nparam tau ~ half_normal(1) @ shared\nparam a : real[G] ~ normal(0, tau) @ left\n"
	allAtServer   = "data h : level(G)[N]\nparam tau ~ half_normal(1)\nparam a : real[G] ~ normal(0, tau)\n"
)

func TestExperiment(t *testing.T) {
	logistic := func(r *rand.Rand, eta float64) float64 { return indicator(r.Float64() < 1/(1+math.Exp(-eta))) }
	for name, text := range map[string]string{"client": scaleAtClient, "server": scaleAtServer, "all": allAtServer} {
		for _, tau := range []float64{.5, .05} {
			of := "g"
			if name == "all" {
				of = "h"
			}
			b := groupedEffects(t, 3000, 10, tau, 3, "binary", text+"y ~ bernoulli_logit(b + a["+of+"] + x * u + z * v)", logistic)
			plainEnv, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
			if err != nil {
				t.Fatal(err)
			}
			pk := encryptedFit(t, b, plainEnv, map[string]string{"estimator": "nested", "draws": "20000"})
			pids := Correct(plainEnv, pk, 20000)
			wmean, wsd := drawMoments(plainEnv, pk, pids)
			hub, env := clearing(t, b)
			hub.Budget = 0
			k := encryptedFit(t, b, env, map[string]string{"estimator": "nested", "wire": "encrypted", "correct": "false", "draws": "20000"})
			mean, sd := drawMoments(env, k, firstIDs(20000))
			hub, env = clearing(t, b)
			k = encryptedFit(t, b, env, map[string]string{"estimator": "nested", "wire": "encrypted", "draws": "20000"})
			f := &fitted{ratios: k.(backends.Weighted).Ratios()}
			ids := Correct(env, k, 20000)
			cmean, csd := drawMoments(env, k, ids)
			t.Log(name, tau, hub.Evaluations, hub.Trips, float64(f.khat()), len(ids))
			for i := range wmean {
				t.Logf("%d: %.3f %.3f; off %.3f %.3f; corrected %.3f %.3f", i, wmean[i], wsd[i], (mean[i]-wmean[i])/wsd[i], sd[i]/wsd[i]-1, (cmean[i]-wmean[i])/wsd[i], csd[i]/wsd[i]-1)
			}
			t.Log(mean, sd)
			t.Log(cmean, csd)
		}
	}
}
