package fit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// A blocked Progress puts something in the way of the files of a run when it begins, which fails as a full
// disk does, and may take it away again.
type blocked struct {
	Quiet
	block, warned func()
}

func (b *blocked) Begin(int, int) { b.block() }

func (b *blocked) Warning(string) { b.warned() }

// folderOf fits two chains in a folder that is blocked until the n-th warning; 0: for good. unblock takes
// away what is in the way.
func folderOf(t *testing.T, resume bool, dir, name string, n int) (r *Result, unblock func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.vfl")
	write(t, path, "data y : real[N]\nparam b ~ normal(0, 10)\ny ~ normal(b, 1)\n")
	write(t, filepath.Join(filepath.Dir(path), "m", "data.csv"), "y\n1\n2\n3\n2.2\n")
	m, sources := compiled(t, path, check.Options{})
	unblock = func() {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	warnings := 0
	progress := &blocked{block: func() {
		if name != "" {
			write(t, filepath.Join(dir, name, "in", "the", "way"), "")
		}
	}, warned: func() {
		if warnings++; warnings == n {
			unblock()
		}
	}}
	p, diags, err := Open(m, sources,
		Options{Settings: map[string]string{"chains": "2", "warmup": "50", "draws": "40"}, Dir: dir,
			Resume: resume, SaveEvery: time.Nanosecond, Progress: progress})
	good(t, diags, err)
	if r, err = p.Sample(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return r, unblock
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A run that cannot write its state draws all the same, says what is on disk, and is finished later with the
// same draws.
func TestRunThatCannotBeSaved(t *testing.T) {
	want, _ := folderOf(t, false, filepath.Join(t.TempDir(), "run"), "", 0)
	dir := filepath.Join(t.TempDir(), "run")
	r, unblock := folderOf(t, false, dir, "checkpoint/chain-2", 0)
	if diff := cmp.Diff(want.Draws.Column(0), r.Draws.Column(0)); diff != "" {
		t.Error(diff)
	}
	var told data.Errors
	if err := r.Save(dir); !errors.As(err, &told) || told[0].Code != diag.FileTrouble ||
		!strings.HasSuffix(told[0].Data, "chain-2") {
		t.Fatalf("%v, want a diagnostic that names the file", err)
	}
	var notes []string
	for _, n := range told[0].Notes {
		notes = append(notes, n.Message)
	}
	if text := strings.Join(notes, "\n"); !strings.Contains(text, "all of chain 1; nothing of chain 2") ||
		!strings.Contains(text, "vflc resume "+dir) {
		t.Error(text)
	}
	unblock()
	again, _ := folderOf(t, true, dir, "", 0)
	must(t, again.Save(dir))
	if diff := cmp.Diff(want.Draws.Column(0), again.Draws.Column(0)); diff != "" {
		t.Error(diff)
	}
}

// Nothing is lost where the files can be written again while the run goes on, or before it gives up; the same
// run can write them later, too.
func TestRunThatCanBeSavedAgain(t *testing.T) {
	for _, warning := range []int{1, 2, 0} { // while it draws, at its end, after it
		dir := filepath.Join(t.TempDir(), "run")
		r, unblock := folderOf(t, false, dir, "checkpoint/chain-1", warning)
		if warning == 0 {
			if err := r.Save(dir); err == nil {
				t.Fatal("nothing is in the way")
			}
			unblock()
		}
		must(t, r.Save(dir))
		record, err := posterior.ReadRecord(dir)
		must(t, err)
		var complete *CompleteError
		if err := Resumable(dir, record); !errors.As(err, &complete) {
			t.Errorf("after warning %d: %v", warning, err)
		}
	}
}
