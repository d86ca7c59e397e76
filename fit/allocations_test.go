package fit

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

// boundExamples binds every model of examples/ under every transform, and those of posteriordb if their data
// are present.
func boundExamples(t *testing.T) map[string]*compile.BoundModel {
	t.Helper()
	paths, err := filepath.Glob("../examples/*.vfl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	all := map[string]*compile.BoundModel{}
	for _, path := range paths {
		for _, transform := range stdlib.Transforms() {
			all[filepath.Base(path)+" "+transform.Name] = bindModel(t, path, transform)
		}
	}
	paths, err = filepath.Glob("../examples/posteriordb/*.vfl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples of posteriordb (%v)", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".vfl")
		table := filepath.Join("../tests/reference/posteriordb", name, "data.json")
		all[name] = bound(t, path, check.Options{}, table)
	}
	return all
}

// TestEvaluationsAllocateNothing: the density with its gradient over all parties, of every example.
func TestEvaluationsAllocateNothing(t *testing.T) {
	for name, b := range boundExamples(t) {
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		var theta, grad [][]float64
		for _, block := range env.Blocks() {
			theta, grad = append(theta, make([]float64, block.Dim())),
				append(grad, make([]float64, block.Dim()))
		}
		lp, ctx := make([]float64, len(theta)), context.Background()
		var coords density.Coordinates = noNoise{}
		if n := testing.AllocsPerRun(5, func() {
			if err := env.Density(ctx, theta, coords, grad, lp); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations an evaluation", name, n)
		}
	}
}

// TestTransitionsAllocateNothing: transitions of NUTS after warm-up, with the short trees of logistic
// regression.
func TestTransitionsAllocateNothing(t *testing.T) {
	for _, transform := range stdlib.Transforms() {
		b := bindModel(t, "../examples/logistic.vfl", transform)
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		a := backend(t, "nuts")
		s, err := a.Resolve(transform, map[string]string{"warmup": "60", "draws": "1000000"})
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.New(env, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Init(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		step := func() {
			if _, err := k.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for range 60 {
			step()
		}
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("%s: %v allocations a transition", transform, n)
		}
	}
}
