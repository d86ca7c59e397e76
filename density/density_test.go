package density_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
)

// core is an Env that has no capability. It logs its calls.
type core struct {
	log  *[]string
	work *density.Work
}

func (e core) note(call string) { *e.log = append(*e.log, call) }

func (e core) Blocks() []density.Block                                 { return nil }
func (e core) Cause() density.Cause                                    { return density.Cause{} }
func (e core) Augmented() bool                                         { return false }
func (e core) ReadsAuxiliaries() bool                                  { return false }
func (e core) Work() *density.Work                                     { return e.work }
func (e core) Values(context.Context, density.Draw, [][]float64) error { return nil }

func (e core) Density(context.Context, [][]float64, density.Coordinates, [][]float64, []float64) error {
	e.note("density")
	return nil
}

func (e core) Sum(context.Context, [][]float64, []float64) error {
	e.note("sum")
	return nil
}

func (e core) Private(_ int, name string) density.Stream {
	e.note("private " + name)
	return nil
}

func (e core) Shared(name string) density.Stream {
	e.note("shared " + name)
	return nil
}

// full has every capability.
type full struct {
	core
	density.Pipelined
	density.LocallyStepped
	density.Windowed
}

// windows is a Windowed with two Envs.
type windows []density.Env

func (w windows) Windows() int                      { return len(w) }
func (w windows) Window(k int) (density.Env, []int) { return w[k], []int{k} }
func (w windows) Turn(int)                          {}

func newFull(log *[]string) full {
	e := core{log, new(density.Work)}
	return full{core: e, Windowed: windows{e, e}}
}

func has[T any](env density.Env) bool {
	_, ok := density.As[T](env)
	return ok
}

func capabilities(env density.Env) []bool {
	return []bool{
		has[density.Pipelined](env), has[density.LocallyStepped](env),
		has[density.Windowed](env),
	}
}

// A chain has the capabilities of the Env that it is over, neither fewer nor more; so has a chain over a
// chain.
func TestAChainHasTheCapabilitiesOfItsEnv(t *testing.T) {
	for _, env := range []density.Env{core{log: new([]string)}, newFull(new([]string))} {
		want := capabilities(env)
		chain := density.Chain(env, 3)
		if got := capabilities(chain); !slices.Equal(got, want) {
			t.Errorf("a chain over %T has the capabilities %v, want %v", env, got, want)
		}
		if got := capabilities(density.Chain(chain, 1)); !slices.Equal(got, want) {
			t.Errorf("a chain over a chain over %T has the capabilities %v, want %v", env, got, want)
		}
	}
	env := newFull(new([]string))
	density.Chain(env, 2).Work().Gradients += 5
	if got := env.Work().Gradients; got != 5 {
		t.Errorf("work of a chain counts as %d, want 5", got)
	}
}

// Streams of a chain, and those of its windows, are other streams than those of the Env, and of another
// chain.
func TestStreamsOfAChainAreItsOwn(t *testing.T) {
	var log []string
	env := newFull(&log)
	for n := 1; n <= 2; n++ {
		chain := density.Chain(env, n)
		envs := []density.Env{env, chain}
		w, ok := density.As[density.Windowed](chain)
		if !ok || w.Windows() != 2 {
			t.Fatal("the windows are gone")
		}
		for k := range w.Windows() {
			window, rows := w.Window(k)
			if again, _ := w.Window(k); again != window {
				t.Errorf("window %d is another Env each time", k)
			}
			if !slices.Equal(rows, []int{k}) {
				t.Errorf("window %d has rows %v", k, rows)
			}
			envs = append(envs, window)
		}
		for _, e := range envs {
			e.Private(0, "x")
			e.Shared("x")
		}
	}
	names := []string{"x", "chain 1: x", "chain 1: x", "chain 1: x", "x", "chain 2: x", "chain 2: x",
		"chain 2: x"}
	for i, name := range names {
		if log[2*i] != "private "+name || log[2*i+1] != "shared "+name {
			t.Errorf("streams %q and %q, want those of %q", log[2*i], log[2*i+1], name)
		}
	}
}

// failing is an Env whose sums fail.
type failing struct{ core }

var errSum = errors.New("no sum")

func (failing) Sum(context.Context, [][]float64, []float64) error { return errSum }

// An Env without a pipeline adds up, asks once, and evaluates where that is wanted.
func TestPipelineOfAnEnvWithoutOne(t *testing.T) {
	var log []string
	for _, c := range []struct {
		env    density.Env
		wanted bool
		calls  string
		err    error
	}{
		{core{log: &log}, true, "sum ask density", nil},
		{core{log: &log}, false, "sum ask", nil},
		{density.Chain(core{log: &log}, 1), true, "sum ask density", nil},
		{failing{core{log: &log}}, true, "", errSum},
	} {
		log = nil
		p := density.AsPipelined(c.env)
		if p.Apart() {
			t.Error("an Env that does not know of other processes is apart")
		}
		d := density.Decision{Wanted: func() bool { log = append(log, "ask"); return c.wanted }}
		err := p.Proceed(t.Context(), d, nil, nil, nil, nil)
		if got := strings.Join(log, " "); got != c.calls || !errors.Is(err, c.err) {
			t.Errorf("calls %q with error %v, want %q with %v", got, err, c.calls, c.err)
		}
	}
}

// block is a Block of which the party alone is known.
type block struct{ density.Block }

func (block) Party() string { return "lab[3]" }

// A capability that is missing is an error that names it and who does not have it, or a panic with the
// package's name.
func TestMissingCapabilities(t *testing.T) {
	env := density.Chain(core{log: new([]string)}, 1)
	if _, err := density.Require[density.LocallyStepped](env); err == nil ||
		!strings.Contains(err.Error(), "density.LocallyStepped") {
		t.Errorf("the error %v does not name the capability", err)
	}
	if _, err := density.Require[density.LocallyStepped](newFull(new([]string))); err != nil {
		t.Error(err)
	}
	_, err := density.RequireOf[density.LocalDensity](block{})
	if err == nil || !strings.Contains(err.Error(), "lab[3]") ||
		!strings.Contains(err.Error(), "density.LocalDensity") {
		t.Errorf("the error %v does not name party and capability", err)
	}
	defer func() {
		if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "density: ") {
			t.Errorf("panic with %v", text)
		}
	}()
	density.Must[density.LocallyStepped](env)
	t.Error("no panic")
}
