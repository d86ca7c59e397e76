package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
)

// chainProgress shows the progress of several chains: on a terminal a line for each, redrawn; elsewhere lines in the form of Stan's progress.
// Chains report at the same time.
type chainProgress struct {
	*progress
	lock  sync.Mutex
	total int // transitions of a chain
	begun time.Time
	lines []chainLine
	drawn int // lines on the terminal
}

// A chainLine is the progress of one chain.
type chainLine struct {
	info        backends.Info
	done        int // transitions
	skipped     int // transitions of an earlier process
	steps       int // of the phase, in this process
	leapfrogs   int // of these steps
	divergences int // of the draws
	written     int // lines written
}

// linesOfChain is how many lines a chain writes off a terminal.
const linesOfChain = 20

func newChainProgress(p *progress, chains, total int) *chainProgress {
	return &chainProgress{progress: p, total: max(1, total), begun: p.now(), lines: make([]chainLine, chains)}
}

// step shows one transition of a chain.
func (p *chainProgress) step(chain int, info backends.Info) {
	p.lock.Lock()
	defer p.lock.Unlock()
	l := &p.lines[chain-1]
	l.take(info)
	if p.live {
		if now := p.now(); now.Sub(p.shown) >= redraw {
			p.shown = now
			p.draw(now)
		}
		return
	}
	if part := linesOfChain * l.done / p.total; part > l.written {
		l.written = part
		fmt.Fprintln(p.w, l.plain(chain, p.total))
	}
}

// skip counts transitions that an earlier process has made.
func (p *chainProgress) skip(chain, done int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	l := &p.lines[chain-1]
	l.done, l.skipped, l.written = done, done, linesOfChain*done/p.total
}

func (l *chainLine) take(info backends.Info) {
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
}

// draw writes all lines over the previous ones.
func (p *chainProgress) draw(now time.Time) {
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.drawn)
	}
	for c := range p.lines {
		fmt.Fprintf(&b, "\r\x1b[K%s\n", p.lines[c].line(c+1, p.total, now.Sub(p.begun)))
	}
	p.drawn = len(p.lines)
	fmt.Fprint(p.w, b.String())
}

// barCells is the width of a bar.
const barCells = 24

// line is what a terminal shows of a chain.
func (l *chainLine) line(chain, total int, elapsed time.Duration) string {
	full := barCells * l.done / total
	bar := strings.Repeat("━", full) + strings.Repeat("─", barCells-full)
	text := fmt.Sprintf("chain %d %s %*d/%d %-8s", chain, bar, len(fmt.Sprint(total)), l.done, total, l.info.Phase)
	if l.steps == 0 {
		return text
	}
	text += fmt.Sprintf("  %d divergent  step %.3g  %.1f leapfrogs/draw  %v", l.divergences, l.info.Transition.StepSize,
		float64(l.leapfrogs)/float64(l.steps), elapsed.Round(time.Second))
	if l.done < total {
		left := time.Duration(float64(elapsed) * float64(total-l.done) / float64(l.done-l.skipped))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

// plain is what a log shows of a chain.
func (l *chainLine) plain(chain, total int) string {
	phase := "Warmup"
	if l.info.Draws > 0 {
		phase = "Sampling"
	}
	return fmt.Sprintf("Chain %d Iteration: %d / %d [%d%%] (%s)", chain, l.done, total, 100*l.done/total, phase)
}
