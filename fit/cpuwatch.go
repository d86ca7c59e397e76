package fit

import (
	"sync/atomic"
	"time"

	"github.com/vflc/vflc/posterior"
)

// A cpuWatch divides the CPU time of the process between the warm-up and what follows it. Chains run side by
// side, so the warm-up is over when the last of them has left its own.
type cpuWatch struct {
	begun, middle time.Duration
	known         bool
	warming       atomic.Int32 // chains
}

func newCPUWatch(chains int) *cpuWatch {
	w := &cpuWatch{}
	w.begun, w.known = processCPU()
	w.warming.Store(int32(chains))
	return w
}

// warm counts a chain that has left its warm-up.
func (w *cpuWatch) warm() {
	if w.warming.Add(-1) == 0 {
		w.middle, _ = processCPU()
	}
}

// note checks whether a chain has left its warm-up.
func (w *cpuWatch) note(c *chain) {
	if !c.drew && c.info.Draws > 0 {
		c.drew = true
		w.warm()
	}
}

// end returns the seconds of both parts; nil where the system does not count them.
func (w *cpuWatch) end() (warmup, sampling *posterior.Number) {
	if !w.known {
		return nil, nil
	}
	now, _ := processCPU()
	if w.warming.Load() > 0 {
		w.middle = now
	}
	first, second := seconds(w.middle-w.begun), seconds(now-w.middle)
	return &first, &second
}
