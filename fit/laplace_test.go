package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// clearing is where the parties of a bound model meet whose rows are encrypted, and their Env.
func clearing(t *testing.T, b *compile.BoundModel) (*testmodel.Clearing, density.Env) {
	t.Helper()
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	hub, err := testmodel.NewClearing(3, env.Blocks())
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for i := range env.Blocks() {
		all = append(all, i)
	}
	return hub, hub.Env(all...)
}

// encryptedFit runs sfvi there to its end.
func encryptedFit(t *testing.T, b *compile.BoundModel, env density.Env,
	given map[string]string) backends.Kernel {
	t.Helper()
	a := backend(t, "sfvi")
	settings, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.New(env, settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		if info, err := k.Step(t.Context()); err != nil {
			t.Fatal(err)
		} else if info.Done {
			return k
		}
	}
}

// drawMoments are means and standard deviations of some draws.
func drawMoments(env density.Env, k backends.Kernel, ids []int) (mean, sd []float64) {
	var theta [][]float64
	for _, b := range env.Blocks() {
		theta = append(theta, make([]float64, b.Dim()))
	}
	n := float64(len(ids))
	for _, id := range ids {
		k.Draw(id, theta)
		i := 0
		for _, v := range theta {
			for _, x := range v {
				if i == len(mean) {
					mean, sd = append(mean, 0), append(sd, 0)
				}
				mean[i], sd[i] = mean[i]+x/n, sd[i]+x*x/n
				i++
			}
		}
	}
	for i, m := range mean {
		sd[i] = math.Sqrt(sd[i] - m*m)
	}
	return mean, sd
}

func firstIDs(n int) (ids []int) {
	for id := range n {
		ids = append(ids, id)
	}
	return ids
}

// Of encrypted rows the Gaussian is the joint one of the plain wire: means within a 20th of its standard
// deviations, and these within a tenth.
func TestTheGaussianOfEncryptedRows(t *testing.T) {
	t.Parallel()
	const rows, columns = 3000, 3
	for name, c := range map[string]struct {
		kind, model string
		response    func(r *rand.Rand, eta, exposure float64) float64
	}{
		"logistic": {"binary", "y ~ bernoulli_logit(%s)", func(r *rand.Rand, eta, _ float64) float64 {
			return indicator(r.Float64() < 1/(1+math.Exp(1-eta)))
		}},
		"probit": {"binary", "y ~ bernoulli_probit(%s)", func(r *rand.Rand, eta, _ float64) float64 {
			return indicator(r.NormFloat64() < eta-1)
		}},
		"poisson": {"count", "y ~ poisson_log(log(e) + %s)",
			func(r *rand.Rand, eta, exposure float64) float64 {
				return counts(r, exposure*math.Exp(eta))
			}},
		"normal": {"real", "y ~ normal(%s, 1.5)", func(r *rand.Rand, eta, _ float64) float64 {
			return eta + 1.5*r.NormFloat64()
		}},
		"normal, sigma unknown": {"real", "param s ~ half_normal(5)\ny ~ normal(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return eta + 1.5*r.NormFloat64()
			}},
		"large units": {"real", "param s ~ half_normal(5000)\ny ~ normal(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return 1000 * (eta + 1.5*r.NormFloat64())
			}},
		"negative binomial": {"count", "param s ~ half_normal(5)\ny ~ neg_binomial_2_log(%s, s)",
			func(r *rand.Rand, eta, _ float64) float64 {
				return counts(r, math.Exp(eta)*(r.ExpFloat64()+r.ExpFloat64())/2)
			}},
	} {
		bound := regress(t, rows, columns, c.kind, c.model, c.response)
		plain, plainEnv, _ := quadratureFit(t, bound, map[string]string{"draws": "500", "correct": "false",
			"tolerance": "1e-7", "theta-guide": "joint"})
		mean, sd := drawMoments(plainEnv, plain, firstIDs(500))
		hub, env := clearing(t, bound)
		got, spread := drawMoments(env, encryptedFit(t, bound, env, map[string]string{"correct": "false"}),
			firstIDs(10000))
		for i := range mean {
			if off, wider := math.Abs(got[i]-mean[i])/sd[i], math.Abs(spread[i]/sd[i]-1); off > 0.05 ||
				wider > 0.1 {
				t.Errorf("%s: mean %d is %.3f standard deviations off, its standard deviation by %.3f", name,
					i, off, wider)
			}
		}
		if hub.Evaluations > 15 || hub.LogLiks != 1 {
			t.Errorf("%s: %d evaluations, %d log likelihoods", name, hub.Evaluations, hub.LogLiks)
		}
		t.Log(name, hub.Evaluations, hub.Openings)
	}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// On the paper's logistic design, with as many log likelihoods decrypted as a fit wants, the corrected draws
// are of the posterior that Stan samples, in few trips.
func TestEncryptedRowsAreCorrected(t *testing.T) {
	const folder = "../tests/reference"
	text, err := os.ReadFile(filepath.Join(folder, "reference/logistic_true.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Parameters map[string]struct{ Mean, SD float64 }
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, clients := range []int{2, 10} {
		b := paperLogistic(t, folder, clients, stdlib.Exact, 0)
		hub, env := clearing(t, b)
		k := encryptedFit(t, b, env, map[string]string{})
		f := &fitted{ratios: k.(backends.Weighted).Ratios()}
		ids := Correct(env, k, 10000)
		if khat := float64(f.khat()); ids == nil || khat > 0.7 || hub.Trips > 20 {
			t.Errorf("J = %d: k̂ %.2f, %d draws, %d trips", clients, khat, len(ids), hub.Trips)
		}
		mean, sd := drawMoments(env, k, ids)
		for i := range mean {
			name := "b"
			if i > 0 {
				name = fmt.Sprintf("beta[%d]", i)
			}
			want := reference.Parameters[name]
			if shift, wider := math.Abs(mean[i]-want.Mean)/want.SD,
				math.Abs(sd[i]/want.SD-1); !(shift <= 0.08) || !(wider <= 0.07) {
				t.Errorf("J = %d: %s is %.3f standard deviations off, its sd by %.1f %%", clients, name,
					shift, 100*wider)
			}
		}
		t.Logf("J = %d: k̂ %.2f, %d evaluations, %d trips", clients, float64(f.khat()), hub.Evaluations,
			hub.Trips)
	}
}

// Settings that would have more decrypted than the joint Gaussian at the mode are refused by name.
func TestSettingsOfEncryptedRows(t *testing.T) {
	b := paperLogistic(t, "../tests/reference", 2, stdlib.Exact, 0)
	_, env := clearing(t, b)
	for name, value := range map[string]string{"estimator": "fixed", "theta-guide": "fullrank",
		"minibatch": "100", "lr": "0.5"} {
		a := backend(t, "sfvi")
		settings, err := a.Resolve(b.Checked.Transform.Kind, map[string]string{name: value})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.New(env, settings); err == nil || !strings.Contains(err.Error(), "--"+name) {
			t.Errorf("--%s %s: %v", name, value, err)
		}
	}
}
