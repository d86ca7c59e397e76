package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/vflc/vflc/spill"
)

const (
	// slack is how much memory a run may allocate before garbage is collected. With a small heap the
	// collector would otherwise run after every few megabytes of draws, which takes an eighth of the time of
	// a short run.
	slack = 64 << 20
	// A heap that is larger than slack is of arrays of numbers, in which the collector has nothing to look
	// for: it may run the more often the larger the heap is.
	leastGarbage = 10 // percent of what is in use
	// The heap that the collector leaves alone is 4 MB at 100 percent.
	mostGarbage = 100 * slack / (4 << 20)
)

// A collector lets the heap grow by slack, or where more than that is in use, by as much less, but by a tenth
// at least: after each collection it looks how much that is.
type collector struct{ ended atomic.Bool }

// collectLater makes one. GOGC in the environment takes precedence.
func collectLater() *collector {
	c := &collector{}
	if os.Getenv("GOGC") != "" {
		return c
	}
	debug.SetGCPercent(mostGarbage)
	if limit := spill.Limited(); limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(limit * 4 / 5)) // near that garbage is collected sooner
	}
	c.await()
	return c
}

// await sets the growth after the next collection, and so on.
func (c *collector) await() {
	gone := new([lane]byte) // nobody has it: it is gone with the next collection
	runtime.AddCleanup(gone, func(c *collector) {
		if c.ended.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(garbage(live[0].Value.Uint64()))
		c.await()
	}, c)
}

// lane is a size of objects that share no memory with others.
const lane = 64

// garbage is how far the heap may grow, in percent of the bytes that are in use.
func garbage(live uint64) int {
	live = max(1, live)
	return int(min(max(leastGarbage, 100*slack/live*slack/max(slack, live)), mostGarbage))
}

// end leaves the rest to others.
func (c *collector) end() { c.ended.Store(true) }
