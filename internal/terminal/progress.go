package terminal

import (
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/vflc/vflc/backends"
)

// progress shows how far a fit is: one line redrawn on a terminal, elsewhere lines as due says.
type progress struct {
	w      io.Writer
	live   bool
	width  func() int // of the terminal, at present
	now    func() time.Time
	phase  string
	start  time.Time // of the phase
	from   int       // iteration at start
	shown  time.Time
	tenth  int
	drawn  bool // a line without its end is on the terminal
	length int  // its number of columns
}

// redraw is the shortest time between two changes of a terminal's line.
const redraw = 100 * time.Millisecond

func newProgress(w io.Writer, quiet bool) *progress {
	if quiet {
		w = io.Discard
	}
	return &progress{w: w, live: Is(w) && os.Getenv("CI") == "", width: Width(w), now: time.Now}
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// step shows one step of the algorithm.
func (p *progress) step(info backends.StepInfo) {
	now := p.now()
	if info.Phase != p.phase {
		p.end()
		p.phase, p.start, p.from, p.tenth, p.shown = info.Phase, now, info.Iteration-1, 0, time.Time{}
	}
	if e, ok := p.w.(*Reporter); ok {
		e.step(now, stepEvent{Phase: info.Phase, Done: info.Iteration, Total: info.Iterations,
			Text: plainLine(info)})
		return
	}
	last := info.Iteration >= info.Iterations
	if p.live {
		if last || now.Sub(p.shown) >= redraw {
			p.shown = now
			width := p.width()
			text := p.line(info, now, width-1)
			fmt.Fprintf(p.w, "%s\r\x1b[K%s", p.above(width), text)
			p.drawn, p.length = true, utf8.RuneCountInString(text)
		}
		return
	}
	if p.shown.IsZero() {
		p.shown = p.start
	}
	t := tenths * info.Iteration / max(1, info.Iterations)
	if info.Phase != backends.Evaluation && due(t > p.tenth, now.Sub(p.shown)) {
		p.tenth, p.shown = t, now
		fmt.Fprintln(p.w, plainLine(info))
	}
}

// end closes the line of a terminal.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprintln(p.w)
		p.drawn = false
	}
}

// say prints a message on a line of its own.
func (p *progress) say(format string, args ...any) {
	p.end()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// above moves to the first row of the line that is on the terminal, where that has become narrower than the
// line.
func (p *progress) above(width int) string {
	if rows := (p.length - 1) / width; p.drawn && rows > 0 {
		return fmt.Sprintf("\x1b[%dA\r\x1b[J", rows)
	}
	return ""
}

// line is what a terminal shows, in at most width columns.
func (p *progress) line(info backends.StepInfo, now time.Time, width int) string {
	elapsed := now.Sub(p.start)
	parts := []part{{text: fmt.Sprintf("%s %d / %d", info.Phase, info.Iteration, info.Iterations)}}
	if e := info.Fit.Best(); e.N > 0 {
		parts = append(parts, part{fmt.Sprintf("  ELBO %.1f ± %.1f", e.Value, e.SE), 3})
	}
	if done := info.Iteration - p.from; done > 0 && elapsed > 0 {
		rate := float64(done) / elapsed.Seconds()
		left := time.Duration(float64(info.Iterations-info.Iteration) / rate * float64(time.Second))
		parts = append(parts, part{fmt.Sprintf("  %.0f it/s", rate), 1},
			part{fmt.Sprintf("  %v left", left.Round(time.Second)), 2})
	}
	return within(parts, width)
}

// plainLine is what a log shows, in the form that readers of Stan's progress parse.
func plainLine(info backends.StepInfo) string {
	percent := 100 * info.Iteration / max(1, info.Iterations)
	text := fmt.Sprintf("Iteration: %d / %d [%d%%]  (%s)", info.Iteration, info.Iterations, percent,
		info.Phase)
	if e := info.Fit.Best(); e.N > 0 {
		text += fmt.Sprintf("  ELBO %.1f (%.1f)", e.Value, e.SE)
	}
	return text
}
