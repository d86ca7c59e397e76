package terminal

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
)

// played plays a run of n iterations at 100 iterations a second.
func played(live bool, n int) string {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{w: &b, live: live, width: func() int {
		return 200
	}, now: func() time.Time { clock = clock.Add(10 * time.Millisecond); return clock }}
	for i := 1; i <= n; i++ {
		p.step(backends.StepInfo{Phase: "fit", Iteration: i, Iterations: n,
			Fit: backends.VariationalFit{Smooth: backends.MonteCarloMean{Value: -203.12, SE: 0.44, N: 50}}})
	}
	p.end()
	return b.String()
}

func TestProgressOffATerminal(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(played(false, 5000)), "\n")
	if len(lines) != 10 {
		t.Fatalf("%d lines, want one per tenth", len(lines))
	}
	if diff := cmp.Diff("Iteration: 500 / 5000 [10%]  (fit)  ELBO -203.1 (0.4)", lines[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(lines[9], "Iteration: 5000 / 5000 [100%]") {
		t.Errorf("last line %q", lines[9])
	}
}

func TestProgressOnATerminal(t *testing.T) {
	text := played(true, 1000)
	shown := strings.Split(text, "\r\x1b[K")
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("a terminal's line must be redrawn and end once: %q", text[max(0, len(text)-80):])
	}
	if len(shown)-1 > 110 || len(shown)-1 < 90 { // 10 s at ten a second
		t.Errorf("drawn %d times in ten seconds", len(shown)-1)
	}
	if diff := cmp.Diff("fit 501 / 1000  ELBO -203.1 ± 0.4  100 it/s  5s left", shown[51]); diff != "" {
		t.Error(diff)
	}
}

// No line is wider than the terminal, at any width and after it has become narrower; the number of chain, of
// transitions and of iterations is always there.
func TestProgressNeverWraps(t *testing.T) {
	for _, width := range []int{200, 120, 100, 80, 60, 40, 25} {
		now := 200
		var b strings.Builder
		clock := time.Unix(0, 0)
		p := &progress{w: &b, live: true, width: func() int {
			return now
		}, now: func() time.Time { clock = clock.Add(time.Second); return clock }}
		chains := newChainProgress(p, 4, 20000)
		for i := range 200 {
			if i == 100 {
				now, b = width, strings.Builder{}
			}
			chains.step(1+i%4, backends.StepInfo{Phase: "sampling", Draws: i,
				Transition: backends.Transition{StepSize: 0.0123456, Leapfrogs: 1023, Divergent: true}})
			p.step(backends.StepInfo{Phase: "fit", Iteration: 1 + i, Iterations: 50000,
				Fit: backends.VariationalFit{Smooth: backends.MonteCarloMean{Value: -203456.12, SE: 10.44,
					N: 50}}})
		}
		for _, line := range strings.FieldsFunc(b.String(), func(r rune) bool {
			return r == '\n' || r == '\r'
		}) {
			text := escapes.ReplaceAllString(line, "")
			if n := utf8.RuneCountInString(text); n >= width {
				t.Errorf("width %d: a line of %d columns: %q", width, n, text)
			}
			if text != "" && !strings.Contains(text, "/") {
				t.Errorf("width %d: %q", width, text)
			}
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*[A-Z]")

// Where a terminal has become so narrow that lines on it take two rows, drawing begins at the first of them.
func TestResize(t *testing.T) {
	width := 120
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{w: &b, live: true, width: func() int {
		return width
	}, now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	chains := newChainProgress(p, 2, 2000)
	info := backends.StepInfo{Phase: "sampling", Draws: 1}
	chains.step(1, info)
	chains.step(2, info)
	rows := 0
	for _, n := range chains.drawn {
		rows += (n + 59) / 60
	}
	if rows < 3 {
		t.Fatal("the lines fit half the terminal, so nothing is tested")
	}
	width = 60
	b.Reset()
	chains.step(1, info)
	if want := fmt.Sprintf("\x1b[%dA", rows); !strings.HasPrefix(b.String(), want) {
		t.Errorf("%q, want it to begin with %q", b.String(), want)
	}
}

// Off a terminal a fit that is slow writes a line at least every ten seconds, as a chain does.
func TestSlowFitOffATerminal(t *testing.T) {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{w: &b, now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	for i := 1; i <= 1000; i++ {
		p.step(backends.StepInfo{Phase: "fit", Iteration: i, Iterations: 1000})
	}
	if n := strings.Count(b.String(), "\n"); n != 100 {
		t.Errorf("%d lines in 1000 seconds, want 100", n)
	}
}

// Off a terminal a chain writes a line per tenth, at most one a second, and one per ten seconds where it is
// slow.
func TestChainsOffATerminal(t *testing.T) {
	for _, c := range []struct {
		step time.Duration
		want int
	}{{500 * time.Microsecond, 0}, {5 * time.Millisecond, 5}, {100 * time.Millisecond, 10},
		{time.Second, 100}} {
		var b strings.Builder
		clock := time.Unix(0, 0)
		p := newChainProgress(&progress{w: &b, now: func() time.Time {
			clock = clock.Add(c.step)
			return clock
		}}, 1, 1000)
		for range 1000 {
			p.step(1, backends.StepInfo{Phase: "sampling", Draws: 1})
		}
		if n := strings.Count(b.String(), "\n"); n != c.want {
			t.Errorf("%v a step: %d lines, want %d", c.step, n, c.want)
		}
	}
}
