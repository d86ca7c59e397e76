package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/bench/stopwatch"
)

// measure types a comment into a random line, and makes a request there or waits for the diagnostics. It
// reports the median and the 99th percentile of the time that takes, by the clock and of the CPU.
func measure(b *testing.B, e *editor, method, text string) {
	r := rand.New(rand.NewPCG(1, 2))
	lines := strings.SplitAfter(text, "\n")
	var took, work []time.Duration
	for b.Loop() {
		n := r.IntN(len(lines) - 1)
		typed := slices.Clone(lines)
		typed[n] = fmt.Sprintf("%s // %d\n", strings.TrimSuffix(lines[n], "\n"), r.IntN(1000))
		whole, where := strings.Join(typed, ""), place{n, len(lines[n]) - 1}
		if method != "diagnostics" {
			e.settle(here, whole)
		}
		begin, busy := time.Now(), stopwatch.Process()
		if method == "diagnostics" {
			e.edit(here, whole)
		} else {
			e.must(method, here, "", nil, fields{"position": where})
		}
		took, work = append(took, time.Since(begin)), append(work, stopwatch.Process()-busy)
		e.settled(here)
	}
	for unit, times := range map[string][]time.Duration{"ms": took, "cpu-ms": work} {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2])/1e6, "p50-"+unit)
		b.ReportMetric(float64(times[len(times)*99/100])/1e6, "p99-"+unit)
	}
}
