package node

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/tests/await"
)

// fill makes the disk full on which this process has open files in a folder: each write to them is refused by
// the system, as by a full disk.
func fill(t *testing.T, dir string) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer full.Close()
	open, err := filepath.Glob("/proc/self/fd/*")
	filled := 0
	for _, link := range open {
		if path, err := os.Readlink(link); err != nil ||
			!strings.HasPrefix(path, dir+string(filepath.Separator)) {
			continue
		}
		var fd int
		for _, c := range filepath.Base(link) {
			fd = 10*fd + int(c-'0')
		}
		if err := unix.Dup3(int(full.Fd()), fd, unix.O_CLOEXEC); err != nil {
			t.Error(err)
		}
		filled++
	}
	if err != nil || filled == 0 {
		t.Error("nothing is open in", dir, err)
	}
}

// A party whose disk is full ends, with the way on; the others wait, and the same command goes on with the
// run, whose draws are those of one that nothing ended.
func TestFullDiskEndsOneProcess(t *testing.T) {
	t.Parallel()
	whole := newTrio(t)
	whole.over = ownNATS(t, 1<<20)
	whole.run()
	d := newTrio(t)
	d.over = whole.over
	var once sync.Once
	d.step = func(_ int, info backends.StepInfo) {
		if info.Iteration >= 20 {
			once.Do(func() { fill(t, filepath.Join(d.dir, "run_a", "ledger")) })
		}
	}
	var wait sync.WaitGroup
	errs := make([]error, 2)
	wait.Go(func() { _, errs[0] = Serve(t.Context(), d.options("server"), nil) })
	wait.Go(func() { _, errs[1] = Join(t.Context(), d.options("b"), nil) })
	if _, err := Join(t.Context(), d.options("a"), nil); !diskFull(err) ||
		!strings.Contains(err.Error(), "the others wait: make room, and start the same command again") {
		t.Fatal("a:", err)
	}
	if !await.Until(func() bool {
		s, err := ReadStatus(filepath.Join(d.dir, "run_b"))
		return err == nil && s.State == Waiting && s.Missing["a"] != ""
	}) {
		t.Error("b does not say that the run waits for a")
	}
	if _, err := Join(t.Context(), d.options("a"), nil); err != nil {
		t.Error("a, with room:", err)
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if !maps.Equal(d.draws(), whole.draws()) {
		t.Error("the draws are others than those of a run that nothing ended")
	}
	if _, err := os.Stat(filepath.Join(d.dir, "a", DepartedFile)); err == nil {
		t.Error("a full disk is remembered as a departure")
	}
}
