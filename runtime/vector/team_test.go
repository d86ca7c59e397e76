package vector_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/tests/await"
)

// count counts how often each part was computed.
type count struct {
	parts []atomic.Int32
	slow  int // how often a part lets others run
}

func (c *count) Part(k int) {
	c.parts[k].Add(1)
	yield(c.slow)
}

// yield lets other goroutines run, so often that helpers with nothing to do fall asleep.
func yield(times int) {
	for range times {
		runtime.Gosched()
	}
}

// TestEveryPartOnce checks that Do computes each part once and returns after the last, with any number of
// helpers, also while these sleep and where there are more of them than parts.
func TestEveryPartOnce(t *testing.T) {
	for helpers := range 5 {
		g := vector.NewTeam(helpers)
		for round := range 300 {
			n := round % 20
			c := &count{parts: make([]atomic.Int32, n)}
			if round%100 == 99 {
				yield(100_000)
				c.slow = 3000
			}
			g.Do(c, n)
			for k := range c.parts {
				if got := c.parts[k].Load(); got != 1 {
					t.Fatalf("%d helpers, round %d: part %d of %d was computed %d times", helpers, round, k,
						n, got)
				}
			}
		}
		g.Close()
	}
}

// A group leaves what it has computed to the collector: the arrays of a task may be dropped before the next.
func TestTasksAreLeft(t *testing.T) {
	for _, helpers := range []int{0, 2} {
		g := vector.NewTeam(helpers)
		c := &count{parts: make([]atomic.Int32, 8)}
		left := weak.Make(c)
		g.Do(c, len(c.parts))
		c = nil
		if runtime.GC(); left.Value() != nil {
			t.Errorf("%d helpers: a group holds its last task", helpers)
		}
		g.Close()
	}
}

// A nest is a task whose parts have tasks of their own.
type nest struct {
	inner []*vector.Team
	parts []*count
}

func (n *nest) Part(k int) { n.inner[k].Do(n.parts[k], len(n.parts[k].parts)) }

// TestPartsOfParts checks that each part of the tasks of parts is computed once, whatever their sizes, also
// by groups that are used between tasks of the outer one.
func TestPartsOfParts(t *testing.T) {
	for helpers := range 5 {
		g := vector.NewTeam(helpers)
		for round := range 100 {
			n := &nest{inner: g.Inner(1 + round%6)}
			for k := range n.inner {
				c := &count{parts: make([]atomic.Int32, k*round%23)}
				if round%50 == 49 {
					c.slow = 2000
				}
				n.parts = append(n.parts, c)
			}
			g.Do(n, len(n.inner))
			alone := &count{parts: make([]atomic.Int32, 7)}
			n.inner[0].Do(alone, 7)
			for j, c := range append(n.parts, alone) {
				for k := range c.parts {
					if got := c.parts[k].Load(); got != 1 {
						t.Fatalf("%d helpers, round %d: part %d of %d was computed %d times", helpers, round,
							k, j, got)
					}
				}
			}
		}
		g.Close()
	}
}

// TestCloseEndsHelpers checks that no goroutine is left.
func TestCloseEndsHelpers(t *testing.T) {
	before := await.Goroutines()
	g := vector.NewTeam(3)
	g.Do(&count{parts: make([]atomic.Int32, 8)}, 8)
	if !await.Until(func() bool { return runtime.NumGoroutine() == before+3 }) {
		t.Errorf("%d goroutines with three helpers, %d before", runtime.NumGoroutine(), before)
	}
	g.Close()
	// one that has said that it is done may still be there for a moment
	if !await.Until(func() bool { return runtime.NumGoroutine() == before }) {
		t.Errorf("%d goroutines after the end, %d before", runtime.NumGoroutine(), before)
	}
}

func TestDoAllocatesNothing(t *testing.T) {
	g := vector.NewTeam(2)
	defer g.Close()
	c := &count{parts: make([]atomic.Int32, 8)}
	if n := testing.AllocsPerRun(100, func() { g.Do(c, 8) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSpare checks that chains and helpers fill the cores and no more.
func TestSpare(t *testing.T) {
	for cores := range 10 {
		for chains := 1; chains < 10; chains++ {
			all := chains
			for k := range chains {
				all += vector.Spare(cores, chains, k)
			}
			if all != max(cores, chains) {
				t.Errorf("%d chains on %d cores: %d goroutines", chains, cores, all)
			}
		}
	}
}
