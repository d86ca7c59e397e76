package vector

import (
	"slices"
	"sync"
)

// A Convoy is several goroutines on fewer cores, each of which passes over the same long data again and
// again, as the chains of a run do. One that comes to such a pass waits while the others keep the cores busy.
// When a core would be idle, one of those that wait for the same data makes the pass for all of them, part by
// part, so that a part comes from memory once and is in the cache for the others. What each computes, and in
// which order, does not depend on it.
//
// Between Begin and End a member must wait for no other but between Pause and Resume: whoever computes then
// comes to a pass, or to its end, so that those who wait go on.
type Convoy struct {
	lock    sync.Mutex
	cores   int
	all     []*Team
	members int // that have begun and not ended
	// those of them that compute and do not pause; of some that one makes a pass for, this one
	busy    int
	waiting []*Team // for a pass, in the order of their coming
}

// A traveller is the part of a Group that is a member of a Convoy.
type traveller struct {
	convoy *Convoy
	begun  bool
	pass   pass
	makes  []*Team // the pass is for these, of which it is one; none: another has made it
	wake   chan struct{}
}

// A pass is a Task whose parts are in the order of some data.
type pass struct {
	data  any
	task  Job
	parts int
}

// NewConvoy makes a convoy of n members on so many cores; nil where every member has a core of its own.
func NewConvoy(n, cores int) *Convoy {
	if n <= cores {
		return nil
	}
	c := &Convoy{cores: cores, waiting: make([]*Team, 0, n)}
	for range n {
		g := &Team{}
		g.convoy, g.makes, g.wake = c, make([]*Team, 0, n), make(chan struct{}, 1)
		c.all = append(c.all, g)
	}
	return c
}

// Group is what member k calls Pass of. It has no helpers. That of no convoy is nil.
func (c *Convoy) Group(k int) *Team {
	if c == nil {
		return nil
	}
	return c.all[k]
}

// Begin makes k a member from now on.
func (c *Convoy) Begin(k int) {
	if c == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.all[k].begun = true
	c.members++
	c.busy++
}

// End ends what Begin began: nobody waits for k any more.
func (c *Convoy) End(k int) {
	if c == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.all[k].begun = false
	c.members--
	c.busy--
	c.depart(nil)
}

// Pause says that a member begins to wait for something else than a pass, such as a message, and Resume that
// it goes on.
func (c *Convoy) Pause(int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.busy--
	c.depart(nil)
}

// Resume ends a Pause.
func (c *Convoy) Resume(int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.busy++
}

// atOnce is for how many members a pass is made at most: as many as share a core, rounded, since there may be
// fewer that wait and no core must be idle.
func (c *Convoy) atOnce() int { return (2*c.members + c.cores) / (2 * c.cores) }

// Travels reports whether others may want to pass over the same data.
func (g *Team) Travels() bool { return g != nil && g.convoy != nil && g.begun }

// Pass calls t.Part for 0 ≤ k < n, in this order, and returns when all calls have. Passes with the same data,
// an identity that is compared, have the same number of parts, and read the same in each: one goroutine may
// make them for several members of a convoy. It allocates nothing.
func (g *Team) Pass(data any, t Job, n int) {
	if !g.Travels() || !g.convoy.wait(g, pass{data, t, n}) {
		for k := range n {
			t.Part(k)
		}
		return
	}
	<-g.wake
	if len(g.makes) == 0 {
		return
	}
	for k := range n {
		for _, other := range g.makes {
			other.pass.task.Part(k)
		}
	}
	g.convoy.arrive(g)
}

// wait lets a member wait for a pass; false where it should not.
func (c *Convoy) wait(g *Team, p pass) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.atOnce() < 2 {
		return false
	}
	g.pass, g.makes = p, g.makes[:0]
	c.waiting = append(c.waiting, g)
	c.busy--
	c.depart(g)
	return true
}

// depart has passes begin while there are idle cores. The goroutine of by, where that is among those that
// wait, computes already, and need not be woken.
func (c *Convoy) depart(by *Team) {
	for c.busy < c.cores && len(c.waiting) > 0 {
		first, rest := c.waiting[0], c.waiting[:0]
		makes := first.makes
		for _, g := range c.waiting {
			if g.pass.data == first.pass.data && len(makes) < c.atOnce() {
				makes = append(makes, g)
			} else {
				rest = append(rest, g)
			}
		}
		c.waiting = rest
		if slices.Contains(makes, by) {
			first.makes, by.makes = by.makes, makes
			by.wake <- struct{}{}
		} else {
			first.makes = makes
			first.wake <- struct{}{}
		}
		c.busy++
	}
}

// arrive ends a pass that g has made.
func (c *Convoy) arrive(g *Team) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.busy += len(g.makes) - 1
	for _, other := range g.makes {
		if other != g {
			other.wake <- struct{}{}
		}
	}
}
