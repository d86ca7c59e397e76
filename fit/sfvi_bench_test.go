package fit

import (
	"context"
	"fmt"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
	timing "github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
)

// BenchmarkSFVI times one iteration of SFVI over all parties of a compiled model, by number of clients, transform and guide: "us/iteration" is the median
// of many short rounds in CPU time, "least" the fastest of them. It does not depend on -benchtime.
//
//	go test ./fit -run '^$' -bench SFVI
func BenchmarkSFVI(b *testing.B) {
	for _, model := range []struct {
		clients int
		path    string
	}{{2, "../examples/logistic.vfl"}, {10, "../examples/logistic_family.vfl"}} {
		for _, transform := range []def.Transform{transforms.Augmented, transforms.Power} {
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

// fitting returns a fit of a model that is in its iterations.
func fitting(b testing.TB, path string, transform def.Transform, guide string) backends.Kernel {
	b.Helper()
	v := bindModel(b, path, transform)
	env, err := session.NewLocal(v.Plan, session.SimulatedKeys(1, v.Plan.Names))
	if err != nil {
		b.Fatal(err)
	}
	a := sfvi.Algorithm()
	s, err := a.Resolve(transform, map[string]string{"guide": guide, "iterations": "100000000", "elbo-every": "100000000"})
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
		for _, transform := range []def.Transform{transforms.Augmented, transforms.Power} {
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
