package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
)

// clusters binds y ~ student_t(3, mu + b * x, 1) with so many rows around each centre, at normal quantiles of
// it, where x is small. It returns the log density of mu at b = 0 too.
func clusters(t *testing.T, prior string, rows map[float64]int) (*compile.BoundModel,
	func(mu float64) float64) {
	t.Helper()
	var y []float64
	server, a := "id,y\n", "id,x\n"
	for _, centre := range []float64{-6, 2, 6} {
		for k := range rows[centre] {
			v := centre + math.Sqrt2*math.Erfinv(2*(float64(k)+0.5)/float64(rows[centre])-1)
			server, a = server+fmt.Sprintf("%d,%.6f\n", len(y), v),
				a+fmt.Sprintf("%d,%g\n", len(y), 0.2*float64(k%2)-0.1)
			y = append(y, v)
		}
	}
	text := "client a\ndata y : real[N]\ndata x : real[N] @ a\nparam mu ~ normal(0, 10)\nparam b ~ " + prior +
		" @ a\ny ~ student_t(3, mu + b * x, 1)\n"
	return bindFiles(t, text, stdlib.Exact, 0, map[string]string{"server.csv": server, "a.csv": a}),
		func(mu float64) float64 {
			lp := -mu * mu / 200
			for _, v := range y {
				lp -= 2 * math.Log1p((v-mu)*(v-mu)/3)
			}
			return lp
		}
}

// Where the density of mu has two modes, one of nine tenths of the mass and one of a tenth or less, fits from
// several starting points say so whatever the seed; where a cluster of a tenth of the rows makes no mode of
// its own, as 27 rows against 3 do not at a scale of 1, they say nothing.
func TestModesAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		rows  map[float64]int
		modes int
	}{
		"two modes": {map[float64]int{-6: 10, 2: 1, 6: 10}, 2},
		"one mode":  {map[float64]int{-6: 3, 6: 27}, 1},
	} {
		b, density := clusters(t, "normal(0, 1)", c.rows)
		modes, low, all := 0, 0.0, 0.0
		for mu, top := -30.0, density(6); mu < 30; mu += 0.01 {
			if density(mu) > density(mu-0.01) && density(mu) > density(mu+0.01) {
				modes++
			}
			p := math.Exp(density(mu) - top)
			if all += p; mu < 0 {
				low += p
			}
		}
		if modes != c.modes || c.modes == 2 && !(low > 0.02*all && low < 0.2*all) {
			t.Fatalf("%s: the density has %d, the lower of them with %.3f of the mass", name, modes, low/all)
		}
		for seed := uint64(1); seed <= 5; seed++ {
			p, diags, err := OpenBound(b,
				Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{}, Seed: seed + 1})
			good(t, diags, err)
			r, err := p.Sample(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(r.Diagnose(), func(f posterior.Finding) bool {
				return f.Check == "modes" || f.Check == "search"
			})
			if (at >= 0) != (c.modes > 1) || at >= 0 && r.Diagnose()[at].Value != 2 {
				t.Errorf("%s, seed %d: the findings are %v", name, seed, r.Diagnose())
			}
		}
	}
}

// A misplaced Env puts party a elsewhere in every fit but the first.
type misplaced struct {
	density.Env
	at   float64
	fits map[int]int // by block
}

func (m misplaced) Unwrap() density.Env { return m.Env }

func (m misplaced) Starts(b int) []density.Init {
	m.fits[b]++
	if m.fits[b] == 1 || m.Blocks()[b].Party() != "a" {
		return nil
	}
	return []density.Init{{Values: []float64{m.at}}}
}

// Fits that cannot go on, at the server (where what a client sends is not finite) or at a client (whose flat
// prior and convex likelihood leave its parameter free), fail alone: the run goes on with the same draws, in
// one process and with a process for each party, and says how many failed. A first fit that cannot go on ends
// the run with the reason.
func TestFitsFailAlone(t *testing.T) {
	b, _ := clusters(t, "flat()", map[float64]int{-6: 10, 2: 2, 6: 10})
	algorithm := backend(t, "sfvi")
	settings, err := algorithm.Resolve(stdlib.Exact, map[string]string{"estimator": "quadrature",
		"theta-guide": "fullrank"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(mode session.Execution, at float64, first int) (draws map[string][]float64,
		found backends.Search, err error) {
		var lock sync.Mutex
		draws = map[string][]float64{}
		err = session.Run(t.Context(), b.Plan, mode, 7, func(ctx context.Context, env density.Env) error {
			fits := map[int]int{}
			for i := range env.Blocks() {
				fits[i] = first
			}
			k, err := algorithm.New(misplaced{env, at, fits}, settings)
			if err != nil {
				return err
			}
			if err := k.Init(ctx); err != nil {
				return err
			}
			for info := (backends.StepInfo{}); !info.Done; {
				if info, err = k.Step(ctx); err != nil {
					return err
				}
			}
			lock.Lock()
			defer lock.Unlock()
			s := k.(backends.Restarted).Search()
			if found.Fits > 0 && (s.Fits != found.Fits || s.Failed != found.Failed) {
				t.Errorf("parties found %v and %v", found, s)
			}
			found = s
			drawAll(env, k, draws)
			return nil
		})
		return draws, found, err
	}
	for what, at := range map[string]float64{"server": math.NaN(), "client": 1e6} {
		var all []map[string][]float64
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			draws, found, err := run(mode, at, 0)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			all = append(all, draws)
			if found.Fits != 9 || found.Failed != 8 || found.Converged() != 1 || len(found.Modes) != 1 ||
				found.Places != 1 {
				t.Errorf("%s: found %+v", what, found)
			}
			said := searched(&found)
			if len(said) != 1 || said[0].Check != "search" ||
				!strings.HasPrefix(said[0].Text,
					"of 9 fits from different starting points 8 did not converge (8 of them failed") {
				t.Errorf("%s: said %v", what, said)
			}
		}
		for party, want := range all[0] {
			if !sameBits(want, all[1][party]) || !(math.Abs(want[0]) < 1e3) {
				t.Errorf("%s: %s draws %v, in a process of its own %v", what, party, want[:2],
					all[1][party][:2])
			}
		}
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			if _, _, err := run(mode, at, 1); err == nil || !strings.Contains(err.Error(), "sfvi: ") {
				t.Errorf("%s: a first fit that cannot go on ends with %v", what, err)
			}
		}
	}
}

// What fits from several starting points found, as it is said.
func TestSearchIsSaid(t *testing.T) {
	at := func(v ...float64) (out []backends.MonteCarloMean) {
		for _, e := range v {
			out = append(out, backends.MonteCarloMean{Value: e, N: 1})
		}
		return out
	}
	const unknown = ": whether the posterior has several modes is not known"
	for _, c := range []struct {
		search backends.Search
		check  string
		value  float64
		text   string
	}{
		{backends.Search{}, "", 0, ""},
		{backends.Search{Wanted: 5, Fits: 5, Places: 1, Modes: at(-3)}, "", 0, ""},
		// others took their places
		{backends.Search{Wanted: 5, Fits: 7, Failed: 2, Places: 1, Modes: at(-3)}, "", 0, ""},
		{backends.Search{Wanted: 5, Fits: 9, Failed: 8, Places: 1, Modes: at(-3)}, "search", 8,
			"of 9 fits from different starting points 8 did not converge (8 of them failed or had " +
				"draws that are not finite)" + unknown},
		{backends.Search{Wanted: 3, Fits: 3, Unconverged: 2, Places: 3, Modes: at(-3)}, "search", 2,
			"of 3 fits from different starting points 2 did not converge" + unknown},
		{backends.Search{Wanted: 3, Fits: 3, Unconverged: 3, Places: 1}, "search", 3,
			"of 3 fits from different starting points 3 did not converge" + unknown},
		{backends.Search{Wanted: 5, Fits: 5, Places: 2, Modes: at(-3, -4.5)}, "modes", 2,
			"fits from several starting points converged at 2 places, with ELBOs -3, -4.5: the posterior " +
				"has as many modes, whose masses are about in the ratio of e to the ELBOs, and draws near " +
				"one say nothing of another"},
		{backends.Search{Wanted: 5, Fits: 6, Failed: 1, Unconverged: 1, Places: 3, Modes: at(-3, -4.5)},
			"modes", 2,
			"fits from several starting points converged at 2 places, with ELBOs -3, -4.5: the posterior " +
				"has as many modes, whose masses are about in the ratio of e to the ELBOs, and draws near " +
				"one say nothing of another; " +
				"of 6 fits from different starting points 2 did not converge (1 of them failed or had " +
				"draws that are not finite)"},
	} {
		got := searched(&c.search)
		if c.check == "" {
			if got != nil {
				t.Errorf("%+v: said %v", c.search, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Check != c.check || float64(got[0].Value) != c.value ||
			got[0].Text != c.text || got[0].Try == "" {
			t.Errorf("%+v: said %+v", c.search, got)
		}
	}
}

// The same without clients: two modes are said whatever the seed, and a logistic regression, whose posterior
// has one, is one fit.
func TestModesAreSaidWithoutClients(t *testing.T) {
	rows := "y,x\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%.2f\n", i*7%5%2, math.Sin(float64(i)))
	}
	for _, c := range []struct {
		text  string
		files map[string]string
		modes int
	}{
		{"param m ~ mixture(0.9, normal(-6, 1), normal(6, 1))\n", nil, 2},
		{"data y : binary[N]\ndata x : real[N]\nparam a ~ normal(0, 2)\nparam b ~ normal(0, 2)\ny ~ " +
			"bernoulli_logit(a + x * b)\n", map[string]string{"data.csv": rows}, 1},
	} {
		for seed := range uint64(brief.Draws(3, 6)) {
			p, diags, err := OpenBound(bindFiles(t, c.text, stdlib.NoTransform, 0, c.files),
				Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{}, Seed: seed + 1})
			good(t, diags, err)
			r, err := p.Sample(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(r.Diagnose(), func(f posterior.Finding) bool {
				return f.Check == "modes" || f.Check == "search"
			})
			if (at >= 0) != (c.modes > 1) || at >= 0 && r.Diagnose()[at].Value != 2 ||
				len(r.Document.Restarts) > 0 != (c.modes > 1) {
				t.Errorf("%d modes, seed %d: the findings are %v, of %d fits", c.modes, seed, r.Diagnose(),
					len(r.Document.Restarts))
			}
		}
	}
}
