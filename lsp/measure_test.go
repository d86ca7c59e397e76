package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// measure types a character into a random line, makes a request there, or waits for the diagnostics, and
// reports the median and the 99th percentile of the time that takes.
func measure(b *testing.B, e *editor, method, text string) {
	r := rand.New(rand.NewPCG(1, 2))
	lines := strings.SplitAfter(text, "\n")
	var took []time.Duration
	for b.Loop() {
		n := r.IntN(len(lines) - 1)
		typed := slices.Clone(lines)
		typed[n] = fmt.Sprintf("%s // %d\n", strings.TrimSuffix(lines[n], "\n"), r.IntN(1000))
		whole := strings.Join(typed, "")
		where := place{n, len(lines[n]) - 1}
		begin := time.Now()
		if method == "diagnostics" {
			e.edit(here, whole)
		} else {
			e.edit(here, whole)
			begin = time.Now()
			e.must(method, here, "", nil, fields{"position": where})
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
}
