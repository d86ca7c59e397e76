package terminal

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vflc/vflc/backends"
)

// chainProgress shows the progress of several chains: on a terminal a line for each, redrawn; elsewhere lines
// in the form of Stan's progress. Chains report at the same time.
type chainProgress struct {
	*progress
	lock  sync.Mutex
	total int // transitions of a chain
	begun time.Time
	lines []chainLine
	drawn []int  // lengths of the lines on the terminal
	free  func() // undoes Keep
}

// A chainLine is the progress of one chain.
type chainLine struct {
	info        backends.StepInfo
	done        int // transitions
	skipped     int // transitions of an earlier process
	steps       int // of the phase, in this process
	leapfrogs   int // of these steps
	divergences int // of the draws
	tenth       int // that the last line written showed
	written     time.Time
}

// Off a terminal a chain or fit writes a line at every tenth of its way where leastSilence has passed since
// the one before, and between them where it has written none for longestSilence. A fit of less than a second
// writes none.
const (
	tenths         = 10
	leastSilence   = time.Second
	longestSilence = 10 * time.Second
)

// due reports whether a line is to be written, so long after the one before.
func due(tenth bool, silence time.Duration) bool {
	return tenth && silence >= leastSilence || silence >= longestSilence
}

func newChainProgress(p *progress, chains, total int) *chainProgress {
	out := &chainProgress{progress: p, total: max(1, total), begun: p.now(), lines: make([]chainLine, chains),
		free: func() {}}
	if p.live {
		out.free = Keep(p.w)
	}
	return out
}

// step shows one transition of a chain.
func (p *chainProgress) step(chain int, info backends.StepInfo) {
	p.lock.Lock()
	defer p.lock.Unlock()
	l := &p.lines[chain-1]
	l.take(info)
	now := p.now()
	if e, ok := p.w.(*Reporter); ok {
		e.step(now, stepEvent{Chain: chain, Phase: info.Phase, Done: l.done, Total: p.total,
			Text: l.plain(chain, p.total)})
		return
	}
	if p.live {
		if now.Sub(p.shown) >= redraw {
			p.shown = now
			p.draw(now)
		}
		return
	}
	if l.written.IsZero() {
		l.written = p.begun
	}
	if tenth := tenths * l.done / p.total; due(tenth > l.tenth, now.Sub(l.written)) {
		l.tenth, l.written = tenth, now
		fmt.Fprintln(p.w, l.plain(chain, p.total))
	}
}

// skip counts transitions that an earlier process has made.
func (p *chainProgress) skip(chain, done int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	l := &p.lines[chain-1]
	l.done, l.skipped, l.tenth = done, done, tenths*done/p.total
}

func (l *chainLine) take(info backends.StepInfo) {
	if info.Phase != l.info.Phase {
		l.leapfrogs, l.steps = 0, 0
	}
	l.info = info
	l.done++
	l.steps++
	l.leapfrogs += info.Transition.Leapfrogs
	if info.Draws > 0 && info.Transition.Divergent {
		l.divergences++
	}
}

// end leaves the last state on the terminal.
func (p *chainProgress) end() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.live {
		p.draw(p.now())
	}
	p.free()
}

// above leaves the lines on the terminal as they are, so that a text can follow them; the next ones are drawn
// below it. Until the function that it returns is called, no line is drawn.
func (p *chainProgress) above() func() {
	p.lock.Lock()
	p.drawn = p.drawn[:0]
	return p.lock.Unlock
}

// draw writes all lines over the previous ones. Where the terminal has become narrower, these may take
// several rows each.
func (p *chainProgress) draw(now time.Time) {
	width := p.width()
	rows := 0
	for _, n := range p.drawn {
		rows += max(1, (n+width-1)/width)
	}
	var b strings.Builder
	if rows > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", rows)
	}
	p.drawn = p.drawn[:0]
	for c := range p.lines {
		text := p.lines[c].line(c+1, p.total, now.Sub(p.begun), width-1)
		p.drawn = append(p.drawn, utf8.RuneCountInString(text))
		fmt.Fprintf(&b, "\r\x1b[K%s\n", text)
	}
	fmt.Fprint(p.w, b.String())
}

// barCells is the width of a bar where there is room.
const barCells = 24

// line is what a terminal shows of a chain, in at most width columns.
func (l *chainLine) line(chain, total int, elapsed time.Duration, width int) string {
	parts := []part{
		{text: fmt.Sprintf("chain %d ", chain)},
		{text: l.bar(barCells, total), drop: 4},
		{text: fmt.Sprintf("%*d/%d", len(fmt.Sprint(total)), l.done, total)},
		{text: fmt.Sprintf(" %-8s", l.info.Phase), drop: 6},
	}
	if l.steps > 0 {
		parts = append(parts,
			part{fmt.Sprintf("  %d divergent", l.divergences), 5},
			part{fmt.Sprintf("  step %.3g", l.info.Transition.StepSize), 2},
			part{fmt.Sprintf("  %.1f leapfrogs/draw", float64(l.leapfrogs)/float64(l.steps)), 1},
			part{fmt.Sprintf("  %v", elapsed.Round(time.Second)), 3})
		if l.done < total && l.done > l.skipped {
			left := time.Duration(float64(elapsed) * float64(total-l.done) / float64(l.done-l.skipped))
			parts = append(parts, part{fmt.Sprintf(", %v left", left.Round(time.Second)), 3})
		}
	}
	return within(parts, width)
}

func (l *chainLine) bar(cells, total int) string {
	full := min(cells, cells*l.done/total)
	return strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " "
}

// plain is what a log shows of a chain.
func (l *chainLine) plain(chain, total int) string {
	phase := "Warmup"
	if l.info.Draws > 0 {
		phase = "Sampling"
	}
	return fmt.Sprintf("Chain %d Iteration: %d / %d [%d%%] (%s)", chain, l.done, total, 100*l.done/total,
		phase)
}
