package fit

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
	timing "github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// BenchmarkSFVI times one iteration of SFVI over all parties of a compiled model, by number of clients,
// transform and guide: "us/iteration" is the median of many short rounds in CPU time, "least" the fastest of
// them. It does not depend on -benchtime.
//
//	go test ./fit -run '^$' -bench SFVI
func BenchmarkSFVI(b *testing.B) {
	for _, model := range []struct {
		clients int
		path    string
	}{{2, "../examples/logistic.vfl"}, {10, "../examples/logistic_family.vfl"}} {
		for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
			for _, guide := range []string{"noncentered", "structured", "meanfield", "amortized"} {
				b.Run(fmt.Sprintf("J=%d/%s/%s", model.clients, transform, guide), func(b *testing.B) {
					k := fitting(b, model.path, transform, guide)
					t := timing.Measure([]timing.Task{{Run: func() {
						if _, err := k.Step(context.Background()); err != nil {
							b.Fatal(err)
						}
					}}}, 41)[0]
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(t.Median/1000, "us/iteration")
					b.ReportMetric(t.Least/1000, "least")
				})
			}
		}
	}
}

// BenchmarkMinibatches times one iteration over 256 of n rows with the amortized guide, for the numbers of
// rows in turn, in rounds of 200 iterations: "us/n=…" is the median of the rounds in CPU time. Loading a
// million rows takes seconds.
//
//	go test ./fit -run '^$' -bench Minibatches -benchtime 1x
func BenchmarkMinibatches(b *testing.B) {
	const rounds, iterations = 15, 200
	sizes := []int{1e3, 1e5, 1e6}
	var steps []func()
	for _, n := range sizes {
		m := testmodel.Linear(2, n, []int{2, 3}, 0.8)
		for i := range m.Y {
			m.Y[i] = float64(i * i % 3 % 2)
		}
		m.Sigma = 0
		v := bindFiles(b, glmText(m), stdlib.Power, 1, glmFiles(m))
		if _, err := (&division{"N", partition(n, 256, 1), float64((n + 255) / 256)}).apply(v.Plan,
			v.Lowered); err != nil {
			b.Fatal(err)
		}
		k := begunWith(b, v, stdlib.Power, map[string]string{"guide": "amortized", "minibatch": "256"})
		steps = append(steps, func() {
			if _, err := k.Step(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
	took := make([][]float64, len(sizes))
	for range rounds {
		for i, step := range steps {
			took[i] = append(took[i], timing.Once(step, iterations)/1000)
		}
	}
	for i, v := range took {
		slices.Sort(v)
		b.ReportMetric(v[rounds/2], fmt.Sprintf("us/n=%d", sizes[i]))
	}
	b.ReportMetric(0, "ns/op")
}

// TestLocalStepsAllocateNothing: nor do several steps between two round trips.
func TestLocalStepsAllocateNothing(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		k := begunWith(t, bindModel(t, "../examples/logistic.vfl", transform), transform,
			map[string]string{"local-steps": "3"})
		step := func() {
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		step()
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("%s: %v allocations an iteration", transform, n)
		}
	}
}

// fitting returns a fit of a model that is in its iterations.
func fitting(b testing.TB, path string, transform def.Transform, guide string) backends.Kernel {
	b.Helper()
	return begunWith(b, bindModel(b, path, transform), transform, map[string]string{"guide": guide})
}

// begunWith returns a fit of a model by draws that is in its iterations.
func begunWith(b testing.TB, v *compile.BoundModel, transform def.Transform,
	given map[string]string) backends.Kernel {
	b.Helper()
	given["iterations"], given["elbo-every"] = "100000000", "100000000"
	env, err := session.NewLocal(v.Plan, session.SimulatedKeys(1, v.Plan.Names))
	if err != nil {
		b.Fatal(err)
	}
	a := sfvi.Algorithm()
	s, err := a.Resolve(transform, given)
	if err != nil {
		b.Fatal(err)
	}
	k, err := a.New(env, s)
	if err != nil {
		b.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		b.Fatal(err)
	}
	return k
}

// TestSFVIAllocatesNothing runs every guide and transform over compiled models.
func TestSFVIAllocatesNothing(t *testing.T) {
	for _, path := range []string{"../examples/logistic.vfl", "../examples/logistic_family.vfl"} {
		for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
			for _, guide := range []string{"noncentered", "structured", "meanfield", "amortized"} {
				k := fitting(t, path, transform, guide)
				step := func() {
					if _, err := k.Step(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				step()
				if n := testing.AllocsPerRun(20, step); n != 0 {
					t.Errorf("%s %s %s: %v allocations an iteration", path, transform, guide, n)
				}
			}
		}
	}
}
