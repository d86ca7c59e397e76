package vector

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Job is a computation in parts that do not depend on each other. Part is called once for each, from
// several goroutines.
type Job interface{ Part(k int) }

// A Team is a goroutine that calls Do, with helpers; that of a Convoy has none. A nil Group has no helpers.
// It belongs to one goroutine at a time; end it with Close.
type Team struct {
	task   Job
	shares []share // of the caller, then of the helpers
	left   atomic.Int64
	round  atomic.Uint64 // calls of Do
	closed atomic.Bool
	caller sleeper
	helper []sleeper
	ended  sync.WaitGroup
	inner  atomic.Pointer[[]*Team]
	outer  *Team // of an inner group, which has no helpers of its own
	traveller
}

// A share is the range of parts that one goroutine begins with: the first in the high half of a word, the end
// in the low one. Its owner takes from the front, so that it meets the same data in every round; others take
// from the back when theirs are done.
type share struct {
	parts atomic.Uint64
	_     [56]byte // its own line of the cache
}

// A sleeper is what one goroutine waits with: it looks for some time, since what it waits for is often near,
// and then sleeps.
type sleeper struct {
	asleep atomic.Bool
	wake   chan struct{}
}

// looking is for how long a goroutine looks before it sleeps: about the cost of being woken.
const looking = 30 * time.Microsecond

// NewTeam starts a group of a caller and so many helpers; nil where there are none.
func NewTeam(helpers int) *Team {
	if helpers < 1 {
		return nil
	}
	g := &Team{shares: make([]share, helpers+1), helper: make([]sleeper, helpers)}
	g.caller.wake = make(chan struct{}, 1)
	for k := range g.helper {
		g.helper[k].wake = make(chan struct{}, 1)
		g.ended.Go(func() { g.help(k) })
	}
	return g
}

// Spare is how many helpers chain k of so many chains has on so many cores: cores that no chain needs are
// shared out from the first chain on.
func Spare(cores, chains, k int) int {
	if cores <= chains {
		return 0
	}
	own := cores / chains
	if k < cores%chains {
		own++
	}
	return own - 1
}

// Close ends the helpers and returns when they have ended.
func (g *Team) Close() {
	if g == nil {
		return
	}
	g.closed.Store(true)
	g.round.Add(1)
	for k := range g.helper {
		g.helper[k].rouse()
	}
	g.ended.Wait()
}

// Inner returns groups for the parts of tasks of g, of which there are n: what a part does with a group of
// its own is shared with goroutines of g that have no part to compute. Part k of every task has the same
// group. It must not be called during Do.
func (g *Team) Inner(n int) []*Team {
	if g == nil {
		return make([]*Team, n)
	}
	var inner []*Team
	if had := g.inner.Load(); had != nil {
		inner = slices.Clone(*had)
	}
	for len(inner) < n {
		in := &Team{outer: g, shares: make([]share, 1)}
		in.caller.wake = make(chan struct{}, 1)
		inner = append(inner, in)
	}
	g.inner.Store(&inner)
	return inner[:n]
}

// assist computes what parts of the tasks of inner groups are left.
func (g *Team) assist() {
	inner := g.inner.Load()
	if inner == nil {
		return
	}
	for _, in := range *inner {
		for {
			k, ok := in.shares[0].take(false)
			if !ok {
				break
			}
			in.compute(k)
		}
	}
}

// compute computes a part that was taken.
func (g *Team) compute(k int) {
	g.task.Part(k)
	if g.left.Add(-1) == 0 {
		g.caller.rouse()
	}
}

// Do calls t.Part for 0 ≤ k < n and returns when all calls have. It allocates nothing.
func (g *Team) Do(t Job, n int) {
	if g == nil || n < 2 || g.convoy != nil {
		for k := range n {
			t.Part(k)
		}
		return
	}
	g.task = t
	g.left.Store(int64(n))
	for k := range g.shares {
		from, to := k*n/len(g.shares), (k+1)*n/len(g.shares)
		g.shares[k].parts.Store(uint64(from)<<32 | uint64(to))
	}
	g.round.Add(1)
	of := g
	if g.outer != nil {
		of = g.outer
		of.caller.rouse()
	}
	for k := range of.helper {
		of.helper[k].rouse()
	}
	g.work(0)
	g.caller.wait(func() bool {
		g.assist()
		return g.left.Load() == 0
	})
	g.task = nil // whose arrays may be dropped before the next
}

func (g *Team) help(k int) {
	seen := uint64(0)
	for {
		g.helper[k].wait(func() bool {
			g.assist()
			return g.round.Load() != seen
		})
		if g.closed.Load() {
			return
		}
		seen = g.round.Load()
		g.work(k + 1)
	}
}

// work computes the parts of a share, and then what is left of the others.
func (g *Team) work(own int) {
	for i := range g.shares {
		s := &g.shares[(own+i)%len(g.shares)]
		for {
			k, ok := s.take(i == 0)
			if !ok {
				break
			}
			g.compute(k)
		}
	}
}

// take takes a part from the front or from the back; false if there is none.
func (s *share) take(front bool) (int, bool) {
	for {
		was := s.parts.Load()
		from, to := was>>32, was&(1<<32-1)
		if from >= to {
			return 0, false
		}
		next, k := was-1, to-1
		if front {
			next, k = was+1<<32, from
		}
		if s.parts.CompareAndSwap(was, next) {
			return int(k), true
		}
	}
}

// wait returns when done holds. Whoever makes it hold calls rouse then.
func (s *sleeper) wait(done func() bool) {
	for !done() {
		for began := time.Now(); time.Since(began) < looking; {
			for range 32 {
				if done() {
					return
				}
			}
			runtime.Gosched()
		}
		s.asleep.Store(true)
		if done() {
			if !s.asleep.CompareAndSwap(true, false) {
				<-s.wake // it is being roused
			}
			return
		}
		<-s.wake
	}
}

// rouse wakes a goroutine that sleeps.
func (s *sleeper) rouse() {
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}
