package repl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/repl/term"
)

// A LineReader reads from a person: *term.Editor, but for tests.
type LineReader interface {
	// Line shows a prompt and returns a line, or several that belong together. The error is term.ErrInterrupt
	// for a line that was given up, and io.EOF at the end.
	Line(prompt string) (string, error)
}

// The prompts: for a unit, and for its further lines.
const (
	Prompt = "vfl> "
	Goes   = "...> "
)

// Talk reads units from a person and answers them until the end. Errors are shown, and end nothing.
func (s *Session) Talk(r LineReader, page func(text string) error) error {
	idle := make(chan os.Signal, 1) // an interrupt between two units ends nothing
	signal.Notify(idle, os.Interrupt)
	defer signal.Stop(idle)
	out := &paper{w: s.Out, page: page, s: s}
	s.Out = out
	defer func() { s.Out = out.w }()
	for !s.done {
		unit, err := s.unit(r)
		switch {
		case errors.Is(err, term.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if strings.TrimSpace(unit) == "" {
			continue
		}
		if s.History != nil && !data.Secret(unit) {
			// a history that cannot be written ends no session
			_ = s.History.Add(strings.TrimRight(unit, "\n"))
		}
		s.answer(r, out, unit)
	}
	return nil
}

// An earlyReader knows of a Ctrl-C that came after a line had been entered and before an interrupt could
// reach its answer.
type earlyReader interface{ Interrupted() bool }

func (s *Session) answer(r LineReader, out *paper, unit string) {
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx, release := Interruptible(parent)
	defer release()
	defer out.Flush()
	if early, ok := r.(earlyReader); ok && !readsTerminal(unit) && early.Interrupted() {
		cancel()
	}
	if err := s.Eval(ctx, unit); err != nil {
		s.Show(out, err)
	}
}

// readsTerminal reports whether the answer of a unit reads what is typed: another program does.
func readsTerminal(unit string) bool {
	for line := range strings.Lines(unit) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "!") || strings.HasPrefix(line, ":edit") {
			return true
		}
	}
	return false
}

// unit reads lines until a unit is whole. A blank line ends one that seems to go on.
func (s *Session) unit(r LineReader) (string, error) {
	unit, err := r.Line(Prompt)
	if err != nil {
		return "", err
	}
	for More(unit) {
		line, err := r.Line(Goes)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(line) == "" {
			break
		}
		unit = strings.TrimSuffix(unit, "\n") + "\n" + line
	}
	return unit, nil
}

// Interruptible returns a context that ends with the first interrupt (Ctrl-C), which does not end the process
// then.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-got:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel()
		<-done
	}
}

// paper holds an answer until it is whole, since only then it is known whether it fits on the screen.
type paper struct {
	w    io.Writer
	page func(text string) error // nil: none
	s    *Session
	text bytes.Buffer
}

func (p *paper) Write(b []byte) (int, error) { return p.text.Write(b) }

// Flush shows what was written.
func (p *paper) Flush() {
	text := p.text.String()
	p.text.Reset()
	if text == "" {
		return
	}
	if p.page != nil && p.s.Paged() && p.page(text) == nil {
		return
	}
	io.WriteString(p.w, text)
}
