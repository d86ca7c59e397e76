package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
)

// A Counter shows how much of a computation is done: one line redrawn on a terminal; elsewhere a line where
// none was written for longestSilence.
type Counter struct {
	*progress
	lock  sync.Mutex
	spoke time.Time
}

// NewCounter returns a Counter that writes to w; nothing where quiet.
func NewCounter(w io.Writer, quiet bool) *Counter {
	p := newProgress(w, quiet)
	return &Counter{progress: p, spoke: p.now()}
}

// Of returns a function that shows the progress of one part of the computation. Several goroutines may call
// it.
func (c *Counter) Of(part string) func(done, all int) {
	return func(done, all int) {
		c.lock.Lock()
		defer c.lock.Unlock()
		if c.live {
			c.step(backends.StepInfo{Phase: part, Iteration: done, Iterations: all})
			return
		}
		if now := c.now(); now.Sub(c.spoke) >= longestSilence {
			c.spoke = now
			fmt.Fprintf(c.w, "%s: %d / %d [%d%%]\n", part, done, all, 100*done/max(1, all))
		}
	}
}

// Message prints a line.
func (c *Counter) Message(text string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.say("%s", text)
}

// End leaves the last state on the terminal.
func (c *Counter) End() { c.end() }
