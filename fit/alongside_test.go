package fit

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

// Fits beside the first share round trips, whether the posterior has one mode or two: the messages are those
// that the audit lists, and in one loop, with a process for each party, and where every step is made by a
// kernel that another has saved, in an Env of its own, the draws and the number of round trips are the same.
func TestFitsTogether(t *testing.T) {
	a := backend(t, "sfvi")
	for _, c := range []struct {
		rows  map[float64]int
		given map[string]string
		modes int
		trips int64 // at most
	}{
		{map[float64]int{6: 30}, map[string]string{}, 1, 25},
		{map[float64]int{6: 30}, map[string]string{"secure-sum": "on", "draws": "4000"}, 1, 25},
		{map[float64]int{-6: 10, 2: 1, 6: 10}, map[string]string{"wire": "fixed"}, 2, 35},
	} {
		b, _ := clusters(t, "normal(0, 1)", c.rows)
		parts, diags := b.Bundle()
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if c.given["estimator"] = "quadrature"; c.given["draws"] == "" {
			c.given["draws"] = "60"
		}
		list, err := Audit(parts, a, c.given)
		if err != nil {
			t.Fatal(err)
		}
		messages := follow(t, b, a, c.given)
		compare(t, b, list, messages)
		if messages["a → server: sum part: scalars"] == nil {
			t.Errorf("%v: there was one fit", c.given)
		}
		settings, err := a.Resolve(stdlib.Exact, c.given)
		if err != nil {
			t.Fatal(err)
		}
		want, trips, modes := resumedFits(t, b, a, settings)
		if trips > c.trips || modes != c.modes {
			t.Errorf("%v: %d round trips, at most %d; %d modes of %d", c.given, trips, c.trips,
				modes, c.modes)
		}
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			var lock sync.Mutex
			got := map[string][]float64{}
			part := func(ctx context.Context, env density.Env) error {
				w := &fitWatcher{t, map[int]int{}}
				if mode == session.OneLoop && c.given["secure-sum"] == "" {
					env.(session.Watchable).Watch(w)
					defer func() {
						if len(w.shown) != 5 || w.shown[4] < 3 {
							t.Errorf("%v: the iterations shown are %v", c.given, w.shown)
						}
					}()
				}
				k, err := a.New(env, settings)
				if err == nil {
					err = k.Init(ctx)
				}
				for info := (backends.StepInfo{}); err == nil && !info.Done; {
					info, err = k.Step(ctx)
				}
				lock.Lock()
				defer lock.Unlock()
				if n := env.Work().Sequential; n != trips {
					t.Errorf("%v: %d round trips, resumed %d", c.given, n, trips)
				}
				drawAll(env, k, got)
				return err
			}
			if err := session.Run(t.Context(), b.Plan, mode, 7, part); err != nil {
				t.Fatal(err)
			}
			for party, draws := range want {
				if !sameBits(draws, got[party]) {
					t.Errorf("%v: %s draws %v, resumed %v", c.given, party, got[party][:2],
						draws[:2])
				}
			}
		}
	}
}

// A fitWatcher counts the iterations that it is shown of each fit.
type fitWatcher struct {
	t     *testing.T
	shown map[int]int
}

func (*fitWatcher) Sent(int, [][][]float64, [][]float64) {}
func (*fitWatcher) Answered([][]float64, [][][]float64)  {}
func (w *fitWatcher) Relayed(x *density.Exchange, fit, columns int, _ [][][]float64, sum, down [][]float64) {
	if x.Name != "moments" {
		return
	}
	n := len(sum[0])
	if columns != 2 || n != len(down[0]) || n%2 != 0 || slices.Min(sum[0][n/2:]) <= 0 {
		w.t.Errorf("fit %d is shown with %d columns, and variances that are none", fit, columns)
	}
	w.shown[fit]++
}

// resumedFits makes each step in an Env and a kernel of its own.
func resumedFits(t *testing.T, b *compile.BoundModel, a backends.Algorithm, s backends.Settings) (
	draws map[string][]float64, trips int64, modes int) {
	t.Helper()
	var saved []byte
	for info := (backends.StepInfo{}); !info.Done; {
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(7, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.New(env, s)
		if err != nil {
			t.Fatal(err)
		}
		if saved == nil {
			err = k.Init(t.Context())
		} else {
			err = k.Load(bytes.NewReader(saved))
		}
		if err == nil {
			info, err = k.Step(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := k.Save(&out); err != nil {
			t.Fatal(err)
		}
		saved, draws = out.Bytes(), map[string][]float64{}
		trips += env.Work().Sequential
		if drawAll(env, k, draws); info.Done {
			modes = len(k.(backends.Restarted).Search().Modes)
		}
	}
	return draws, trips, modes
}

func drawAll(env density.Env, k backends.Kernel, to map[string][]float64) {
	theta := make([][]float64, len(env.Blocks()))
	for i, block := range env.Blocks() {
		theta[i] = make([]float64, block.Dim())
	}
	for id := range 20 {
		k.Draw(id, theta)
		for i, block := range env.Blocks() {
			to[block.Party()] = append(to[block.Party()], theta[i]...)
		}
	}
}
