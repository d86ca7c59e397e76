package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
)

// played plays a run of n iterations at 100 iterations a second.
func played(live bool, n int) string {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := &progress{w: &b, live: live, now: func() time.Time { clock = clock.Add(10 * time.Millisecond); return clock }}
	for i := 1; i <= n; i++ {
		p.step(backends.Info{Phase: "fit", Iteration: i, Iterations: n, Fit: backends.Fit{Smooth: backends.Estimate{Value: -203.12, SE: 0.44, N: 50}}})
	}
	p.end()
	return b.String()
}

func TestProgressOffATerminal(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(played(false, 50000)), "\n")
	if len(lines) != 10 {
		t.Fatalf("%d lines, want one per tenth", len(lines))
	}
	if diff := cmp.Diff("Iteration: 5000 / 50000 [10%]  (fit)  ELBO -203.1 (0.4)", lines[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(lines[9], "Iteration: 50000 / 50000 [100%]") {
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
