// Package contract tests what every inference algorithm must do, on the regressions of testmodel: an
// algorithm's own tests call Check with settings that make a run short.
package contract

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// A Run is the result of running a kernel to its end.
type Run struct {
	Last  backends.StepInfo
	Steps int
	Draws [][][]float64 // Draws[d][b] is draw d of block b, unconstrained
	Aux   [][][]float64 // its auxiliary variables
}

// Follow runs a kernel that was initialised or loaded to its end, and takes every draw after the Step that
// made it. have is the run so far: its draws are kept and not taken again.
func Follow(ctx context.Context, env density.Env, k backends.Kernel, have Run) (Run, error) {
	r := have
	values, _ := positions(env) // these models report their unconstrained parameters
	for !r.Last.Done {
		var err error
		if r.Last, err = k.Step(ctx); err != nil {
			return r, err
		}
		r.Steps++
		for id := len(r.Draws); id < r.Last.Draws; id++ {
			theta, z := positions(env)
			k.Draw(id, theta)
			if err := env.Values(ctx, density.Draw{Theta: theta}, values); err != nil {
				return r, err
			}
			if err := k.Auxiliary(ctx, id, z); err != nil {
				return r, err
			}
			r.Draws, r.Aux = append(r.Draws, theta), append(r.Aux, z)
		}
	}
	return r, nil
}

func positions(env density.Env) (theta, z [][]float64) {
	for _, b := range env.Blocks() {
		theta, z = append(theta, make([]float64, b.Dim())), append(z, make([]float64, b.AuxLen()))
	}
	return theta, z
}

// Model is the regression that Check uses: three clients, a dozen rows.
func Model(transform def.Transform) testmodel.GLM {
	m := testmodel.Linear(17, 12, []int{2, 1, 2}, 0.8)
	m.Transform, m.Rho = transform, 0.7
	return m
}

// Check runs the contract on every transform of the algorithm, with the given settings, which are refused
// where they concern auxiliary variables and there are none.
func Check(t *testing.T, a backends.Algorithm, given map[string]string) {
	t.Helper()
	checkDescription(t, a)
	for _, transform := range a.Transforms {
		t.Run(transform.Name, func(t *testing.T) {
			s, err := a.Resolve(transform, given)
			if transform.CutsCross() && aboutAuxiliaries(a, given) {
				if err == nil {
					t.Error("a setting about auxiliary variables is taken where there are none")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c := &check{a, s, Model(transform)}
			whole := c.whole(t)
			c.finite(t, whole)
			c.repeats(t, whole)
			c.resumes(t, whole)
			c.parties(t, whole)
			c.core(t, whole)
			c.refuses(t)
			c.stops(t)
			c.allocates(t)
			c.auxiliaries(t)
		})
	}
}

// aboutAuxiliaries reports whether one of the settings given concerns auxiliary variables.
func aboutAuxiliaries(a backends.Algorithm, given map[string]string) bool {
	return slices.ContainsFunc(a.Settings, func(s backends.Setting) bool {
		return s.Auxiliary && given[s.Name] != ""
	})
}

func checkDescription(t *testing.T, a backends.Algorithm) {
	checkMessages(t, a)
	t.Helper()
	if a.Name == "" || a.Doc == "" || len(a.Transforms) == 0 {
		t.Error("the algorithm has no name, text or transforms")
	}
	seen := map[string]bool{}
	for _, d := range a.Settings {
		if d.Name == "" || d.Doc == "" || seen[d.Name] {
			t.Errorf("setting %q: no name or text, or there are two", d.Name)
		}
		seen[d.Name] = true
		if text, ok := d.Default.(string); ok && d.Choices != nil && !slices.Contains(d.Choices, text) {
			t.Errorf("setting %q: the default is not one of the choices", d.Name)
		}
	}
	checkRoles(t, a)
}

type check struct {
	algorithm backends.Algorithm
	settings  backends.Settings
	model     testmodel.GLM
}

func (c *check) kernel(t *testing.T, env density.Env) backends.Kernel {
	t.Helper()
	k, err := c.algorithm.New(env, c.settings)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (c *check) env() density.Env { return &remembering{Env: c.model.Env(5)} }

func (c *check) begin(t *testing.T) (density.Env, backends.Kernel) {
	t.Helper()
	env := c.env()
	k := c.kernel(t, env)
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return env, k
}

// whole is a run over all blocks in one kernel.
func (c *check) whole(t *testing.T) Run {
	t.Helper()
	env, k := c.begin(t)
	r, err := Follow(context.Background(), env, k, Run{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (c *check) finite(t *testing.T, r Run) {
	if len(r.Draws) == 0 {
		t.Error("no draws")
	}
	for d := range r.Draws {
		for _, x := range slices.Concat(slices.Concat(r.Draws[d]...), slices.Concat(r.Aux[d]...)) {
			if x-x != 0 {
				t.Fatalf("draw %d has an element %g", d, x)
			}
		}
	}
}

// repeats: the same seed gives the same bits, whatever the number of threads.
func (c *check) repeats(t *testing.T, want Run) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	same(t, "a second run on one thread", c.whole(t), want)
}

// resumes: a run that was saved half way and loaded into a new kernel continues with the same bits, also
// where an evaluation takes something from earlier ones (density.Remember).
func (c *check) resumes(t *testing.T, want Run) {
	t.Helper()
	_, k := c.begin(t)
	var saved bytes.Buffer
	kept := 0
	for step := range want.Steps / 2 {
		info, err := k.Step(context.Background())
		if err != nil {
			t.Fatal(step, err)
		}
		kept = info.Draws
	}
	if err := k.Save(&saved); err != nil {
		t.Fatal(err)
	}
	env := c.env()
	k = c.kernel(t, env)
	if err := k.Load(&saved); err != nil {
		t.Fatal(err)
	}
	got, err := Follow(context.Background(), env, k, Run{Draws: slices.Clone(want.Draws[:kept]),
		Aux: slices.Clone(want.Aux[:kept])})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a resumed run over an Env that remembers (density.Remember)", got, want)
}

// parties: one goroutine per party, each with its own block, gives the same bits as one loop over the blocks.
func (c *check) parties(t *testing.T, want Run) {
	t.Helper()
	envs := testmodel.Split(c.env())
	runs, errs := make([]Run, len(envs)), make([]error, len(envs))
	var wait sync.WaitGroup
	for p, env := range envs {
		k := c.kernel(t, env)
		wait.Go(func() {
			if errs[p] = k.Init(context.Background()); errs[p] == nil {
				runs[p], errs[p] = Follow(context.Background(), env, k, Run{})
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for p := range runs { // what each party sees by its own draws, and of which the whole has the second most
		runs[p].Last.Across = want.Last.Across
	}
	joined := Run{Last: runs[0].Last}
	for d := range runs[0].Draws {
		var blocks, z [][]float64
		for p := range runs {
			if runs[p].Last != runs[0].Last {
				t.Fatalf("party %d ends with %+v, party 0 with %+v", p, runs[p].Last, runs[0].Last)
			}
			blocks, z = append(blocks, runs[p].Draws[d]...), append(z, runs[p].Aux[d]...)
		}
		joined.Draws, joined.Aux = append(joined.Draws, blocks), append(joined.Aux, z)
	}
	same(t, "one goroutine per party", joined, want)
}

// Core returns an Env that hides every capability of another and of its blocks.
func Core(env density.Env) density.Env {
	e := coreOnly{Env: env}
	for _, b := range env.Blocks() {
		e.blocks = append(e.blocks, struct{ density.Block }{b})
	}
	return e
}

type coreOnly struct {
	density.Env
	blocks []density.Block
}

func (e coreOnly) Blocks() []density.Block { return e.blocks }

// core: over an Env that has no capability the algorithm gives the same bits, or New has an error that names
// the capability that it needs.
func (c *check) core(t *testing.T, want Run) {
	t.Helper()
	env := c.env()
	k, err := c.algorithm.New(Core(env), c.settings)
	if err != nil {
		if !strings.Contains(err.Error(), "does not implement density.") {
			t.Errorf("New over an Env without capabilities: %v", err)
		}
		return
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := Follow(context.Background(), env, k, Run{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a run over the core of an Env", got, want)
}

func same(t *testing.T, what string, got, want Run) {
	t.Helper()
	if got.Last != want.Last {
		t.Errorf("%s ends with %+v, want %+v", what, got.Last, want.Last)
	}
	if len(got.Draws) != len(want.Draws) {
		t.Errorf("%s made %d draws, want %d", what, len(got.Draws), len(want.Draws))
		return
	}
	equal(t, what+": draw", got.Draws, want.Draws)
	equal(t, what+": auxiliary variables of draw", got.Aux, want.Aux)
}

// equal checks that the bits are the same.
func equal(t *testing.T, what string, got, want [][][]float64) {
	t.Helper()
	for d := range want {
		for b := range want[d] {
			for i, v := range want[d][b] {
				if math.Float64bits(got[d][b][i]) != math.Float64bits(v) {
					t.Errorf("%s %d of block %d, element %d, is %v, want %v", what, d, b, i, got[d][b][i], v)
					return
				}
			}
		}
	}
}

// refuses: loading a truncated checkpoint, or one of other blocks, is an error.
func (c *check) refuses(t *testing.T) {
	t.Helper()
	_, k := c.begin(t)
	var saved bytes.Buffer
	if err := k.Save(&saved); err != nil {
		t.Fatal(err)
	}
	text := saved.Bytes()
	for _, n := range []int{0, 1, len(text) / 2, len(text) - 1} {
		if c.kernel(t, c.model.Env(5)).Load(bytes.NewReader(text[:n])) == nil {
			t.Errorf("a checkpoint cut to %d of %d bytes was loaded", n, len(text))
		}
	}
	other := c.model
	other.X = other.X[:2]
	if c.kernel(t, other.Env(5)).Load(bytes.NewReader(text)) == nil {
		t.Error("a checkpoint of another model was loaded")
	}
}

// stops: a cancelled context ends Init and Step with its error.
func (c *check) stops(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.kernel(t, c.model.Env(5)).Init(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Init of a cancelled run: %v", err)
	}
	_, k := c.begin(t)
	if _, err := k.Step(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Step of a cancelled run: %v", err)
	}
}

func (c *check) allocates(t *testing.T) {
	t.Helper()
	_, k := c.begin(t)
	n := testing.AllocsPerRun(20, func() {
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("a Step allocates %g times", n)
	}
}
