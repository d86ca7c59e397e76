// Package terminal shows the progress of a run, live on a terminal and as lines of text elsewhere, and knows
// the width of terminals.
package terminal

import (
	"fmt"
	"io"

	"github.com/vflc/vflc/backends"
)

// A Screen shows the progress of a run: a line for each chain where several run side by side, else one line.
type Screen struct {
	*progress
	chains *chainProgress // nil: one line
	quiet  bool
	loud   io.Writer // also where quiet
}

// NewScreen returns a Screen that writes to w; nothing where quiet.
func NewScreen(w io.Writer, quiet bool) *Screen {
	return &Screen{progress: newProgress(w, quiet), quiet: quiet, loud: w}
}

// Say prints a message on a line of its own.
func (s *Screen) Say(format string, args ...any) { s.say(format, args...) }

// Message prints a line.
func (s *Screen) Message(text string) { s.say("%s", text) }

// Warning prints a line, also where the screen is quiet. Chains may report at the same time.
func (s *Screen) Warning(text string) {
	if s.chains != nil {
		defer s.chains.above()()
	} else {
		s.end()
	}
	fmt.Fprintf(s.loud, "warning: %s\n", text)
}

// Begin chooses how the run is shown.
func (s *Screen) Begin(chains, steps int) {
	if steps > 0 || chains > 1 {
		s.chains = newChainProgress(s.progress, chains, steps)
	}
}

// Step shows one step.
func (s *Screen) Step(chain int, info backends.StepInfo) {
	switch {
	case s.quiet:
	case s.chains != nil:
		s.chains.step(chain, info)
	default:
		s.step(info)
	}
}

// Skip counts steps of an earlier process.
func (s *Screen) Skip(chain, steps int) {
	if s.chains != nil {
		s.chains.skip(chain, steps)
	}
}

// End leaves the last state on the terminal.
func (s *Screen) End() {
	if s.chains != nil {
		s.chains.end()
		return
	}
	s.end()
}
