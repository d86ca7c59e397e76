package vector_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/runtime/vector"
)

// A journal has the parts that were computed, in the order of their computing.
type journal struct {
	lock    sync.Mutex
	entries []entry
}

type entry struct{ member, part int }

// A walker is the pass of one member. It has state of its own that only the right order leaves as it should
// be.
type walker struct {
	member int
	next   int
	wrong  bool
	*journal
}

func (w *walker) Part(k int) {
	w.wrong = w.wrong || k != w.next
	w.next++
	if w.journal != nil {
		w.lock.Lock()
		defer w.lock.Unlock()
		w.entries = append(w.entries, entry{w.member, k})
	}
}

// walk makes a pass and reports whether it was whole and in order.
func (w *walker) walk(g *vector.Team, data any, parts int) bool {
	w.next, w.wrong = 0, false
	g.Pass(data, w, parts)
	return w.next == parts && !w.wrong
}

// travel has n members on so many cores, each of which does what member says between Begin and End.
func travel(n, cores int, member func(c *vector.Convoy, k int)) {
	c := vector.NewConvoy(n, cores)
	for k := range n {
		c.Begin(k)
	}
	var wait sync.WaitGroup
	for k := range n {
		wait.Go(func() {
			defer c.End(k)
			member(c, k)
		})
	}
	wait.Wait()
}

// TestPassesAreMade checks that every pass is whole and in order when Pass returns, for members that pass
// over several data in orders of their own and end at different times.
func TestPassesAreMade(t *testing.T) {
	data := [3]int{}
	for _, n := range []int{1, 2, 3, 5, 9} {
		for _, cores := range []int{1, 2, 4} {
			travel(n, cores, func(c *vector.Convoy, k int) {
				w := &walker{member: k}
				for round := range 200 + 37*k {
					of := (round*(k+1) + round/10) % 3
					if !w.walk(c.Group(k), &data[of], 3+of) {
						t.Errorf("%d members on %d cores: member %d, pass %d is not whole", n, cores, k,
							round)
						return
					}
				}
			})
		}
	}
}

// TestMembersOfOneCorePassTogether checks the order of parts: on one core those of all members follow one
// another, as long as all are under way.
func TestMembersOfOneCorePassTogether(t *testing.T) {
	const n, parts, rounds = 4, 5, 30
	j := &journal{}
	data := 0
	travel(n, 1, func(c *vector.Convoy, k int) {
		w := &walker{member: k, journal: j}
		for range rounds {
			w.walk(c.Group(k), &data, parts)
		}
	})
	if len(j.entries) != n*parts*rounds {
		t.Fatalf("%d parts, not %d", len(j.entries), n*parts*rounds)
	}
	for i, e := range j.entries {
		if want := i / n % parts; e.part != want {
			t.Fatalf("computation %d is of part %d, where all members are at part %d", i, e.part, want)
		}
		group := j.entries[i/n*n:][:n]
		if slices.IndexFunc(group, func(o entry) bool { return o.member == e.member }) != i%n {
			t.Fatalf("computation %d: member %d twice for one part: %v", i, e.member, group)
		}
	}
}

// TestPauseHoldsNobodyUp checks that members go on while another waits for what they do, whether it has made
// passes before or not.
func TestPauseHoldsNobodyUp(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		for cores := 1; cores < n; cores++ {
			message, data := make(chan struct{}), 0
			var others sync.WaitGroup
			others.Add(n - 1)
			go func() {
				others.Wait()
				close(message)
			}()
			travel(n, cores, func(c *vector.Convoy, k int) {
				w := &walker{member: k}
				passes := func(times int) {
					for range times {
						if !w.walk(c.Group(k), &data, 4) {
							t.Errorf("a pass of member %d of %d is not whole", k, n)
						}
					}
				}
				if k > 0 {
					passes(25)
					others.Done()
					return
				}
				passes(5)
				c.Pause(k)
				<-message
				c.Resume(k)
				passes(5)
			})
		}
	}
}

// TestOutsideAPassIsMadeAlone checks that before Begin, after End, and without a convoy a pass waits for
// nobody.
func TestOutsideAPassIsMadeAlone(t *testing.T) {
	c := vector.NewConvoy(3, 1)
	data := 0
	w := &walker{}
	if vector.NewConvoy(4, 4) != nil || vector.NewConvoy(3, 4) != nil {
		t.Error("members with a core each are in a convoy")
	}
	if !w.walk(nil, &data, 5) || !w.walk(c.Group(0), &data, 5) {
		t.Error("a pass is not whole")
	}
	c.Begin(0)
	c.Begin(1)
	c.End(1)
	if !w.walk(c.Group(0), &data, 5) || !c.Group(0).Travels() || c.Group(1).Travels() {
		t.Error("a pass of the only member is not whole")
	}
	c.End(0)
	if !w.walk(c.Group(0), &data, 5) {
		t.Error("a pass after the end is not whole")
	}
	var none *vector.Convoy
	none.Begin(0)
	none.End(0)
	if none.Group(0).Travels() {
		t.Error("a member of no convoy travels")
	}
}

// TestGroupOfAConvoyHasNoHelpers checks Do of such a group.
func TestGroupOfAConvoyHasNoHelpers(t *testing.T) {
	w := &walker{}
	vector.NewConvoy(2, 1).Group(1).Do(w, 9)
	if w.next != 9 || w.wrong {
		t.Errorf("%d parts of 9", w.next)
	}
}

func TestPassAllocatesNothing(t *testing.T) {
	data := 0
	travel(2, 1, func(c *vector.Convoy, k int) {
		const runs = 100
		w := &walker{}
		pass := func() { w.walk(c.Group(k), &data, 4) }
		if k > 0 {
			for range runs + 1 { // AllocsPerRun makes one more
				pass()
			}
			return
		}
		if n := testing.AllocsPerRun(runs, pass); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// BenchmarkPass is what a pass of no work costs each member of a convoy on one core.
func BenchmarkPass(b *testing.B) {
	for _, n := range []int{2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := 0
			b.ReportAllocs()
			travel(n, 1, func(c *vector.Convoy, k int) {
				w := &walker{}
				for range (b.N + k) / n {
					w.walk(c.Group(k), &data, 1)
				}
			})
		})
	}
}
