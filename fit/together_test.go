package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// near are settings of short chains that begin near an approximation.
func near(more ...string) map[string]string {
	given := map[string]string{"init": "sfvi", "chains": "6", "superchains": "3", "warmup": "8", "draws": "6"}
	for k := 0; k+1 < len(more); k += 2 {
		given[more[k]] = more[k+1]
	}
	return given
}

func nearOpen(t *testing.T, b *compile.BoundModel, o Options) *Prepared {
	t.Helper()
	o.Algorithm, o.Seed = backend(t, "nuts"), 3
	p, diags, err := OpenBound(b, o)
	good(t, diags, err)
	return p
}

func linearUnder(t *testing.T, transform def.Transform) *compile.BoundModel {
	t.Helper()
	m := testmodel.Linear(9, 20, []int{2, 1}, 0.7)
	return bindFiles(t, glmText(m), transform, 0.8, glmFiles(m))
}

// bands are the unconstrained draws of chains that warm up together, by party, chain and transition, and the
// bundles that each party has sent.
type bands struct {
	sync.Mutex
	draws   map[string][]float64 // by chain, transition and party
	bundles map[string]int
	most    int64 // round trips one after another
}

// follow is what every process of a run does: it fits, begins, warms up together and draws.
func (r *bands) follow(p *Prepared) func(context.Context, *session.Chains) error {
	return func(ctx context.Context, side *session.Chains) error {
		m := &sampling{Prepared: p, cpu: newCPUWatch(6)}
		g := &band{sampling: m, side: side, first: side.Envs[0]}
		for k := range side.Envs {
			g.chains = append(g.chains, &chain{number: k + 1})
			side.Envs[k] = density.Chain(side.Envs[k], k+1)
		}
		if err := g.make(); err != nil {
			return err
		}
		if err := g.begin(ctx); err != nil {
			return err
		}
		g.start()
		g.level()
		if err := g.warmUp(ctx, nil); err != nil {
			return err
		}
		err := side.Each(ctx, func(ctx context.Context, k int) error {
			for !g.chains[k].info.Done {
				if err := g.walks[k].step(ctx); err != nil {
					return err
				}
				r.note(g.first.Blocks(), g.kernels[k], fmt.Sprintf("%d %d ", k, g.chains[k].steps))
			}
			return nil
		})
		g.level()
		r.Lock()
		defer r.Unlock()
		r.most = max(r.most, g.chains[0].work.Sequential)
		r.bundles[g.first.Blocks()[0].Party()] = side.Flights()
		return err
	}
}

func (r *bands) note(blocks []density.Block, k backends.Kernel, at string) {
	theta := make([][]float64, len(blocks))
	for b := range theta {
		theta[b] = make([]float64, blocks[b].Dim())
	}
	k.Draw(0, theta)
	r.Lock()
	defer r.Unlock()
	for b := range theta {
		r.draws[at+blocks[b].Party()] = theta[b]
	}
}

// Chains that warm up together have the same bits in a process per party, where the messages of all chains
// travel in bundles, and as many bundles leave a client as round trips are counted.
func TestTogetherInAProcessPerParty(t *testing.T) {
	for k, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power,
		stdlib.Augmented, stdlib.Exact} {
		settings, b, params := near(), linearUnder(t, transform), 3
		switch k {
		case 3:
			settings = near("secure-sum", "on")
		case 4:
			b, params = wards(t), 2
		}
		p := nearOpen(t, b, Options{Settings: settings})
		runs := map[session.Execution]*bands{}
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			r := &bands{draws: map[string][]float64{}, bundles: map[string]int{}}
			if err := session.RunChains(t.Context(), p.Plan, mode, 3, 6, 1, r.follow(p)); err != nil {
				t.Fatalf("%s: %v", transform, err)
			}
			runs[mode] = r
		}
		one, many := runs[session.OneLoop], runs[session.PerParty]
		if len(one.draws) != 6*6*params || len(many.draws) != len(one.draws) {
			t.Fatalf("%s: %d and %d parts of draws", transform, len(one.draws), len(many.draws))
		}
		for at, want := range one.draws {
			if len(many.draws[at]) != len(want) || len(want) > 0 && !sameBits(many.draws[at], want) {
				t.Fatalf("%s: the draw %s is %v in a process per party, want %v", transform, at,
					many.draws[at], want)
			}
		}
		if one.most != many.most {
			t.Errorf("%s: %d round trips in one loop, %d in a process per party", transform, one.most,
				many.most)
		}
		for _, client := range p.Plan.Names[1:] {
			if int64(many.bundles[client]) != one.most {
				t.Errorf("%s: %s sent %d bundles in %d round trips", transform, client, many.bundles[client],
					one.most)
			}
		}
	}
}

// stopping is a Progress that stops the run at a step of all chains together.
type stopping struct {
	Quiet
	at      int64
	steps   atomic.Int64
	channel chan struct{}
}

func (s *stopping) Step(int, backends.StepInfo) {
	if s.steps.Add(1) == s.at {
		close(s.channel)
	}
}

// A run that is interrupted, in the warm-up or later, and resumed has the draws and the work of one that was
// not.
func TestTogetherResumed(t *testing.T) {
	for name, b := range map[string]*compile.BoundModel{"linear": linearUnder(t, stdlib.Augmented),
		"wards": wards(t)} {
		t.Run(name, func(t *testing.T) { resumesTogether(t, b) })
	}
}

func resumesTogether(t *testing.T, b *compile.BoundModel) {
	whole := sampled(t, nearOpen(t, b, Options{Settings: near("wire", "fixed")}), nil)
	for _, at := range []int64{1, 20, 35, 60} {
		dir := t.TempDir() + "/run"
		first := nearOpen(t, b, Options{Settings: near("wire", "fixed"), Dir: dir})
		stop := &stopping{at: at, channel: make(chan struct{})}
		first.options.Progress = stop
		part := sampled(t, first, stop.channel)
		first.lock.Release()
		if !part.interrupted {
			t.Fatalf("%d: not interrupted", at)
		}
		second := nearOpen(t, b, Options{Settings: near("wire", "fixed"), Dir: dir, Resume: true})
		got := sampled(t, second, nil)
		second.lock.Release()
		if got.work != whole.work {
			t.Errorf("interrupted at %d: work %+v, want %+v", at, got.work, whole.work)
		}
		for k := range whole.draws.Columns() {
			for c, want := range whole.draws.Column(k) {
				if !sameBits(got.draws.Column(k)[c], want) {
					t.Fatalf("interrupted at %d: chain %d has other draws", at, c+1)
				}
			}
		}
	}
}

// With a normal likelihood the posterior is known: means within 4 standard errors, and few round trips. The
// approximation may be that of an earlier run.
func TestTogetherFindsThePosterior(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{2, 1}, 0.7)
	m.Transform = stdlib.Exact
	b := linearUnder(t, stdlib.Exact)
	known := m.Optimum(testmodel.Noncentered)
	dir := t.TempDir() + "/q"
	fitting, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Seed: 3, Dir: dir})
	good(t, diags, err)
	r, err := fitting.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, init := range []string{"sfvi", dir} {
		r, err := nearOpen(t, b, Options{Settings: map[string]string{"init": init}}).Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range r.Summary() {
			if d := math.Abs(float64(row.Mean)-known.Mean[k]) / float64(row.MCSE); d > 4 {
				t.Errorf("%s: mean of %s is %.1f standard errors off", init, row.Name, d)
			}
			if row.ESSBulk < 400 || row.ESSTail < 400 || !(row.RHat <= posterior.NestedRHatBound) {
				t.Errorf("%s: %s has R-hat %.3f and %.0f, %.0f effective draws", init, row.Name, row.RHat,
					row.ESSBulk, row.ESSTail)
			}
		}
		if n := r.Document.Work.Sequential; n > 300 || r.Document.Diagnostics.Superchains != 4 {
			t.Errorf("%s: %d round trips, %d superchains", init, n, r.Document.Diagnostics.Superchains)
		}
	}
}

// wards are the patients of six wards, nine of each, whose mean differs much more between wards than patients
// do, in the coordinates that suit wards of few patients: the predictor is known, but neither the mean and
// the scale of the wards nor their standardised effects are.
func wards(t *testing.T) *compile.BoundModel {
	t.Helper()
	server, ward := "id,y\n", "id,w\n"
	for i := range 54 {
		server += fmt.Sprintf("%d,%g\n", i, groups[i%6]+0.3*math.Sin(float64(3*i)))
		ward += fmt.Sprintf("%d,w%d\n", i, i%6)
	}
	text := "client a\ndata y : real[N] @ shared\ndata w : level(R)[N] @ a\nparam mu ~ normal(0, 3) @ " +
		"a\nparam tau ~ half_normal(2) @ a\n" +
		"param u : real[R] ~ normal(mu, tau) noncentered @ a\ny ~ normal(u[w], 0.3)\n"
	return bindFiles(t, text, stdlib.Exact, 0, map[string]string{"server.csv": server, "a.csv": ward})
}

// wardMoments integrates the posterior of mu and tau on a grid: given them the means of wards are independent
// with the variance tau² + 0.3²/9.
func wardMoments() (mu, tau moment) {
	means := make([]float64, 6)
	for i := range 54 {
		means[i%6] += (groups[i%6] + 0.3*math.Sin(float64(3*i))) / 9
	}
	total := 0.0
	for s := 0.005; s < 12; s += 0.01 {
		v := s*s + 0.01
		for m := -8.0; m < 9; m += 0.02 {
			lp := -m*m/18 - s*s/8 - 3*math.Log(v)
			for _, y := range means {
				lp -= (y - m) * (y - m) / (2 * v)
			}
			w := math.Exp(lp)
			total += w
			mu.mean, mu.square = mu.mean+w*m, mu.square+w*m*m
			tau.mean, tau.square = tau.mean+w*s, tau.square+w*s*s
		}
	}
	for _, m := range []*moment{&mu, &tau} {
		m.mean /= total
		m.square /= total
	}
	return mu, tau
}

// Chains that begin near an approximation choose the coordinates of effects as others do, by its draws and
// then by those of all chains: the posterior is that of a grid, in a fraction of the leapfrogs that the
// declared coordinates take.
func TestTogetherChoosesCoordinates(t *testing.T) {
	b := wards(t)
	mu, tau := wardMoments()
	leapfrogs := map[string]int64{}
	for _, word := range []string{"auto", "declared"} {
		given := map[string]string{"init": "sfvi", "chains": "32", "draws": "30", "coordinates": word}
		if word == "declared" {
			given["draws"] = "4"
		}
		r, err := nearOpen(t, b, Options{Settings: given}).Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		leapfrogs[word] = r.Document.Work.Sequential / int64(8+len(r.Draws.Column(0)[0]))
		if word == "declared" {
			continue
		}
		for k, want := range []moment{mu, tau} {
			x := r.Draws.Column(k)
			squares := make([][]float64, len(x))
			for c, chain := range x {
				for _, v := range chain {
					squares[c] = append(squares[c], v*v)
				}
			}
			for what, m := range map[string]struct {
				x    [][]float64
				want float64
			}{"mean": {x, want.mean}, "mean square": {squares, want.square}} {
				if got, mcse := mean(m.x), posterior.MCSEMean(m.x); !(math.Abs(got-m.want) < 4*mcse) ||
					!(mcse < 0.15*want.square) {
					t.Errorf("%s of parameter %d is %.4f ± %.4f, want %.4f", what, k, got, mcse, m.want)
				}
			}
		}
	}
	if !(3*leapfrogs["auto"] < leapfrogs["declared"]) {
		t.Errorf("%d round trips a transition, and %d in the declared coordinates", leapfrogs["auto"],
			leapfrogs["declared"])
	}
}

// What does not fit is an error that names the way out.
func TestTogetherRefuses(t *testing.T) {
	b := linearUnder(t, stdlib.Augmented)
	for want, given := range map[string]map[string]string{
		"share 4 starting points evenly": {"init": "sfvi", "chains": "6"},
		"a backend that fits":            {"init": "nowhere"},
		"set --init":                     {"superchains": "2"},
	} {
		p, _, err := OpenBound(b, Options{Algorithm: backend(t, "nuts"), Settings: given, Seed: 3})
		if err == nil {
			_, err = p.Sample(t.Context(), nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", given, err, want)
		}
	}
}

// The audit of chains that begin near an approximation lists what crosses in its fit and in theirs; where an
// earlier run has fitted it, in theirs alone.
func TestTogetherIsAudited(t *testing.T) {
	bundle, diags := linearUnder(t, stdlib.Exact).Bundle()
	good(t, diags, nil)
	whats := func(name string, given map[string]string) map[string]bool {
		list, err := Audit(bundle, backend(t, name), given)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, d := range list {
			for _, often := range strings.Split(d.Often, ", ") {
				out[d.From+d.To+d.What+often] = true
			}
		}
		return out
	}
	alone, first := whats("nuts", nil), whats("sfvi", nil)
	both, later := whats("nuts", map[string]string{"init": "sfvi"}),
		whats("nuts", map[string]string{"init": "a folder"})
	if len(both) <= len(alone) || len(later) != len(alone) {
		t.Errorf("%d kinds of content with the fit, %d after it, %d without one", len(both), len(later),
			len(alone))
	}
	for what := range alone {
		if !both[what] || !later[what] {
			t.Errorf("not listed: %s", what)
		}
	}
	for what := range first {
		if !both[what] {
			t.Errorf("not listed, of the fit: %s", what)
		}
	}
}
