package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// briefly are settings of short runs of every backend and estimator, by a name.
func briefly(on def.Transform) map[string]map[string]string {
	sampled := map[string]string{"backend": "sfvi", "estimator": "sampled", "iterations": "120",
		"draws": "20", "elbo-every": "30", "elbo-draws": "100"}
	with := func(more ...string) map[string]string {
		out := maps.Clone(sampled)
		for k := 0; k < len(more); k += 2 {
			out[more[k]] = more[k+1]
		}
		return out
	}
	out := map[string]map[string]string{
		"nuts":        {"backend": "nuts", "warmup": "60", "draws": "20", "max-depth": "4"},
		"nuts, dense": {"backend": "nuts", "warmup": "60", "draws": "20", "max-depth": "4", "metric": "dense"},
		"sampled":     sampled,
		"minibatch":   with("minibatch", "12"),
		"quadrature":  {"backend": "sfvi", "estimator": "quadrature", "draws": "40", "tolerance": "1e-6"},
	}
	if !on.AtClients() {
		out["local steps"] = with("local-steps", "3")
	}
	if on.CutsCross() {
		out["fixed draws"] = map[string]string{"backend": "sfvi", "estimator": "fixed",
			"draws-per-step": "16", "draws": "40"}
		out["last layer"] = map[string]string{"backend": "sfvi", "estimator": "last-layer", "draws": "40"}
		out["nested"] = map[string]string{"backend": "sfvi", "estimator": "nested", "draws": "40"}
		out["fixed draws, meanfield"] = map[string]string{"backend": "sfvi", "estimator": "fixed",
			"draws-per-step": "8", "theta-guide": "meanfield", "draws": "40"}
		return out
	}
	for _, guide := range []string{"meanfield", "noncentered", "amortized"} {
		out[guide] = with("guide", guide)
	}
	out["amortized, y"] = with("guide", "amortized", "guide-inputs", "y")
	out["soul"] = map[string]string{"backend": "soul", "iterations": "300", "draws": "20",
		"inner-chains": "2"}
	return out
}

// wired prepares a short run over a wire.
func wired(t *testing.T, b *compile.BoundModel, given map[string]string, wire map[string]string) *Prepared {
	t.Helper()
	settings := maps.Clone(given)
	a := backend(t, settings["backend"])
	delete(settings, "backend")
	maps.Copy(settings, wire)
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: settings, Seed: 7})
	good(t, diags, err)
	return p
}

// all is what a run gives, by party: every draw as it is reported; under a name of its own what the server
// counts.
func all(t *testing.T, p *Prepared, mode session.Execution, hop int) map[string][]float64 {
	t.Helper()
	var lock sync.Mutex
	out := map[string][]float64{}
	err := session.Run(t.Context(), p.Plan, mode, 7, func(ctx context.Context, env density.Env) error {
		env = density.Chain(env, 1)
		k, err := p.Algorithm.New(env, p.Settings)
		if err != nil {
			return err
		}
		if err := k.Init(ctx); err != nil {
			return err
		}
		var info backends.StepInfo
		taker, taken := NewTaker(env, true), 0
		for step := 1; !info.Done; step++ {
			if info, err = k.Step(ctx); err != nil {
				return err
			}
			for ; taken < info.Draws; taken++ {
				row, err := taker.Take(ctx, k, taken)
				if err != nil {
					return err
				}
				lock.Lock()
				out[env.Blocks()[0].Party()] = append(out[env.Blocks()[0].Party()], row...)
				lock.Unlock()
			}
			if step%max(hop, 1) == 0 && hop > 0 && !info.Done {
				if env, k, err = again(p, k); err != nil {
					return err
				}
				taker = NewTaker(env, true)
			}
		}
		if env.Blocks()[0].Index() == 0 && hop == 0 {
			lock.Lock()
			defer lock.Unlock()
			out["work"] = []float64{float64(env.Work().Bytes), float64(env.Work().Rounds),
				float64(env.Work().Sequential)}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// again is a kernel that goes on from what another has saved, over a new Env, as in a new process.
func again(p *Prepared, k backends.Kernel) (density.Env, backends.Kernel, error) {
	var saved bytes.Buffer
	if err := k.Save(&saved); err != nil {
		return nil, nil, err
	}
	env, err := session.NewLocal(p.Plan, session.SimulatedKeys(7, p.Plan.Names))
	if err != nil {
		return nil, nil, err
	}
	env = density.Chain(env, 1)
	next, err := p.Algorithm.New(env, p.Settings)
	if err == nil {
		err = next.Load(&saved)
	}
	return env, next, err
}

// Over the fixed wire, and the short one, a run of every backend, estimator and guide has the same bits in
// one loop, with a goroutine per party, with masks, and when it is saved and goes on in a new process every
// few steps. It costs the bytes of the plain wire and those of the first messages, which have two words a
// number, as scalars have.
func TestFixedWireOfEveryBackend(t *testing.T) {
	t.Parallel()
	for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		m := testmodel.Linear(9, 30, []int{2, 1, 2}, 0.7)
		b := bindFiles(t, glmText(m), kind, 0.8, glmFiles(m))
		networks := bindFiles(t, networked(glmText(m)), kind, 0.8, glmFiles(m))
		for name, given := range briefly(kind) {
			b := b
			if given["estimator"] == "last-layer" {
				b = networks
			}
			t.Run(kind.Name+"/"+name, func(t *testing.T) {
				words := "fixed" // of masked sums
				if given["backend"] == "nuts" {
					words = "short"
				}
				fixed, masked := wired(t, b, given, map[string]string{"wire": words}),
					wired(t, b, given, map[string]string{"secure-sum": "on"})
				want := all(t, fixed, session.OneLoop, 0)
				if len(want["server"]) == 0 {
					t.Fatal("no draws")
				}
				apart := all(t, fixed, session.PerParty, 0)
				for of, got := range map[string]map[string][]float64{"masked": all(t, masked, session.OneLoop,
					0), "saved": all(t, fixed, session.OneLoop, 7),
					"saved and masked": all(t, masked, session.OneLoop, 11)} {
					if !sameBits(got["server"], want["server"]) {
						t.Errorf("%s: other draws", of)
					}
				}
				hidden := all(t, masked, session.PerParty, 0)
				for _, party := range fixed.Plan.Names {
					if len(apart[party]) == 0 || !sameBits(apart[party], hidden[party]) {
						t.Errorf("%s draws otherwise with masks", party)
					}
				}
				reported(t, want, apart, fixed.Plan)
				// apart, a trajectory ends with an evaluation in vain
				if given["backend"] != "nuts" && !sameBits(want["work"], apart["work"]) {
					t.Errorf("bytes, rounds and round trips one after another: %v in one loop, %v apart",
						want["work"], apart["work"])
				}
			})
		}
	}
}

// reported wants the draws of parties that are apart to be among those of one loop.
func reported(t *testing.T, whole, apart map[string][]float64, plan *model.Plan) {
	t.Helper()
	seen := map[float64]bool{}
	for _, v := range whole["server"] {
		seen[v] = true
	}
	for _, party := range plan.Names {
		for i, v := range apart[party] {
			if !seen[v] {
				t.Fatalf("%s: number %d of its draws, %v, is not among those of one loop", party, i, v)
			}
		}
	}
}

// The posterior over the fixed wire is that of the reference: exact NUTS within Monte Carlo error and a tenth
// of a posterior deviation, and quadrature with the ELBO of the plain wire.
func TestFixedWirePosterior(t *testing.T) {
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
		var ends []float64
		for _, wire := range []model.Wire{{}, {Fixed: true}} {
			on := *b
			on.Plan = b.Plan.On(wire)
			_, _, trace := quadratureFit(t, &on, map[string]string{"tolerance": "1e-5", "correct": "false"})
			ends = append(ends, trace[len(trace)-1])
		}
		if !(math.Abs(ends[0]-ends[1]) < 1e-7) {
			t.Errorf("J = %d: the ELBO is %v on the plain wire and %v on the fixed one", clients, ends[0],
				ends[1])
		}
	}
	p := wired(t, paperLogistic(t, folder, 2, stdlib.Exact, 0),
		map[string]string{"backend": "nuts", "chains": "4", "warmup": "300", "draws": "500"},
		map[string]string{"secure-sum": "on"})
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Summary() {
		name := "b"
		if i > 0 {
			name = fmt.Sprintf("beta[%d]", i)
		}
		want := reference.Parameters[name]
		if d := math.Abs(float64(row.Mean) - want.Mean); !(d < 4*float64(row.MCSE)+0.02*want.SD) ||
			!(math.Abs(float64(row.SD)/want.SD-1) < 0.1) {
			t.Errorf("%s: %v ± %v, the reference has %v ± %v", row.Name, row.Mean, row.SD, want.Mean, want.SD)
		}
	}
}

// Of a masked run the attack has the sums alone, and says so.
func TestAttackOnMaskedRun(t *testing.T) {
	m := testmodel.Linear(9, 60, []int{2, 1, 2}, 0.7)
	for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		b := bindFiles(t, glmText(m), kind, 0.8, glmFiles(m))
		for views, given := range map[int]map[string]string{
			2: {"backend": "nuts", "chains": "2", "warmup": "150", "draws": "150"},
			1: {"backend": "sfvi", "estimator": "quadrature", "draws": "100"},
		} {
			attackMasked(t, wired(t, b, given, map[string]string{"secure-sum": "on"}), views)
		}
	}
}

func attackMasked(t *testing.T, p *Prepared, chains int) {
	t.Helper()
	b, kind := p.BoundModel, p.Settings.Transform
	p.options.watch = true
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	views := r.views()
	if len(views) != chains {
		t.Fatalf("%d views", len(views))
	}
	truth, err := trueCuts(b, r.Draws)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := p.bareRounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report := p.report(&posterior.Run{Record: &posterior.Record{}}, views, truth, bare, false)
	if len(report.Cuts) != 1 || !report.Cuts[0].Sum || len(report.Cuts[0].Parties) != 3 {
		t.Fatalf("%s: %+v", kind, report.Cuts)
	}
	if c := float64(report.Cuts[0].Correlation); !(c > 0.9) {
		t.Errorf("%s: the sum is known with correlation %v", kind, c)
	}
	if !strings.Contains(strings.Join(report.Notes, " "), "the sums alone") {
		t.Errorf("%s: notes %q", kind, report.Notes)
	}
}
