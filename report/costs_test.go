package report

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

func TestDurations(t *testing.T) {
	for s, want := range map[float64]string{2.5e-6: "2.5 µs", 0.0042: "4.2 ms", 12.34: "12.3 s", 121: "2 min 1 s", 7325: "2 h 2 min", 0: "0 µs"} {
		if got := duration(s); got != want {
			t.Errorf("%g s is %s, want %s", s, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 kB (1,000)", 1234567: "1.23 MB (1,234,567)"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}

// 20,472 rounds of 20 ms are 409 s.
func TestCostApart(t *testing.T) {
	r := &Report{run: &runs.Run{Document: &posterior.Document{Work: posterior.Work{Rounds: 30472, SequentialRounds: 20472}}}}
	got, err := r.costs()
	good(t, nil, err)
	if text := got.(costsSection).Apart; !strings.Contains(text, "20,472 rounds") || !strings.Contains(text, "6 min 49 s") {
		t.Error(text)
	}
	r.run.Document.Work.Rounds = 0
	if got, _ = r.costs(); !strings.Contains(got.(costsSection).Apart, "Nothing crosses") {
		t.Error(got)
	}
}
