package main

import (
	"io"

	"github.com/vflc/vflc/backends"
)

// A screen shows the progress of a run: a line for each chain where several run side by side, else one line.
type screen struct {
	*progress
	chains *chainProgress // nil: one line
}

func newScreen(w io.Writer, quiet bool) *screen { return &screen{progress: newProgress(w, quiet)} }

// Message prints a line.
func (s *screen) Message(text string) { s.say("%s", text) }

// Begin chooses how the run is shown.
func (s *screen) Begin(chains, steps int) {
	if steps > 0 || chains > 1 {
		s.chains = newChainProgress(s.progress, chains, steps)
	}
}

// Step shows one step.
func (s *screen) Step(chain int, info backends.Info) {
	if s.chains != nil {
		s.chains.step(chain, info)
		return
	}
	s.step(info)
}

// Skip counts steps of an earlier process.
func (s *screen) Skip(chain, steps int) {
	if s.chains != nil {
		s.chains.skip(chain, steps)
	}
}

// End leaves the last state on the terminal.
func (s *screen) End() {
	if s.chains != nil {
		s.chains.end()
		return
	}
	s.end()
}
