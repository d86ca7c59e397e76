package graph_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/workers"
)

// passing has some goroutines on so many cores evaluate graphs of theirs at the same time, each as often as it wants.
func passing(execs []*graph.Exec, cores int, evaluate func(k int, e *graph.Exec)) {
	c := workers.NewConvoy(len(execs), cores)
	for k, e := range execs {
		e.Use(c.Group(k))
		c.Begin(k)
	}
	var wait sync.WaitGroup
	for k, e := range execs {
		wait.Go(func() {
			defer c.End(k)
			evaluate(k, e)
		})
	}
	wait.Wait()
}

// BenchmarkPasses is a gradient of a wide or a long regression, by the number of chains on one core.
func BenchmarkPasses(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, size := range [][2]int{{10_000, 50}, {10_000, 100}, {10_000, 500}, {10_000, 2000}, {100_000, 20}, {100_000, 50}} {
		d := newLogisticData(size[0], size[1])
		g := d.graph(b)
		for _, chains := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("%dx%d/chains=%d", size[0], size[1], chains), func(b *testing.B) {
				var execs []*graph.Exec
				for range chains {
					execs = append(execs, g.NewExec())
				}
				b.ReportAllocs()
				b.ResetTimer()
				passing(execs, 1, func(k int, e *graph.Exec) {
					for range (b.N + k) / chains {
						e.Forward(d.theta)
						e.Target()
					}
				})
			})
		}
	}
}

var _ = slices.Equal[[]int]
