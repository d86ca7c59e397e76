package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
)

// A counter shows how much of a computation is done: one line redrawn on a terminal; elsewhere a line where none was written for longestSilence.
type counter struct {
	*progress
	lock  sync.Mutex
	spoke time.Time
}

func newCounter(w io.Writer, quiet bool) *counter {
	p := newProgress(w, quiet)
	return &counter{progress: p, spoke: p.now()}
}

// of returns a function that shows the progress of one part of the computation. Several goroutines may call it.
func (c *counter) of(part string) func(done, all int) {
	return func(done, all int) {
		c.lock.Lock()
		defer c.lock.Unlock()
		if c.live {
			c.step(backends.Info{Phase: part, Iteration: done, Iterations: all})
			return
		}
		if now := c.now(); now.Sub(c.spoke) >= longestSilence {
			c.spoke = now
			fmt.Fprintf(c.w, "%s: %d / %d [%d%%]\n", part, done, all, 100*done/max(1, all))
		}
	}
}
