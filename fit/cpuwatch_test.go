package fit

import (
	"testing"

	"github.com/vflc/vflc/backends"
)

// burn uses CPU time until the process has used a hundredth of a second more.
func burn(t *testing.T) {
	begun, known := processCPU()
	if !known {
		t.Skip("the system reports no CPU times")
	}
	for now := begun; now-begun < 1e7; now, _ = processCPU() {
	}
}

// CPU time counts as warm-up until the last chain has drawn, and the two parts sum to all of it.
func TestCPUWatchDividesAtTheLastChain(t *testing.T) {
	begun, _ := processCPU()
	w := newCPUWatch(2)
	first, last := &chain{info: backends.StepInfo{Draws: 1}}, &chain{}
	burn(t)
	w.note(first)
	w.note(last)
	burn(t)
	if _, sampling := w.end(); *sampling != 0 {
		t.Errorf("%v s of sampling while a chain warms up", *sampling)
	}
	last.info.Draws = 1
	w.note(first)
	w.note(last)
	burn(t)
	warmup, sampling := w.end()
	now, _ := processCPU()
	if all := seconds(now - begun); *warmup < 0.02 || *sampling < 0.01 || *warmup+*sampling > all {
		t.Errorf("%v s of warm-up and %v s of sampling, of %v s in all", *warmup, *sampling, all)
	}
}
