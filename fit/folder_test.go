package fit

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

func testResult() *Result {
	vars := []posterior.Variable{{Name: "b", Owner: "server"}}
	d := posterior.NewDraws(vars, 1, 2)
	d.Append(0, []float64{1})
	d.Append(0, []float64{2})
	return &Result{
		Document: posterior.SummaryDocument{Schema: 1, Parameters: posterior.SummariseIndependent(d)},
		Draws:    d, chains: func(int) posterior.CSVInfo {
			return posterior.CSVInfo{Model: "m"}
		}, programs: func() map[string][]byte {
			return map[string][]byte{"server.vfl": []byte("program m for server\n")}
		},
	}
}

func TestRunFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := testResult().Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"summary.json", "run.json", "model.vfl", "elbo.csv", "draws/chain-1.csv",
		"draws.zarr/posterior/b/0.0", "programs/server.vfl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has permissions %v", name, mode)
		}
	}
	for _, name := range []string{".", "draws", "draws.zarr", "programs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, safefile.LockFile)); err == nil {
		t.Error("the lock is still there")
	}
	if err := testResult().Save(dir); err == nil {
		t.Error("a run was overwritten by another")
	}
}

// To overwrite a run is to remove all that it wrote, and what was left of files that it was writing when it
// was killed; its record stays until there is another.
func TestOverwrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := testResult().Save(dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "draws", "chain-9.csv"), "")
	write(t, filepath.Join(dir, ".summary.json.123456"), "half of a")
	write(t, filepath.Join(dir, "notes.txt"), "mine")
	p := &Prepared{options: Options{Dir: dir}}
	if err := p.claim(dir); err == nil {
		t.Error("a run was overwritten that nobody asked to be")
	}
	p.options.Overwrite = true
	if err := p.claim(dir); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"notes.txt", "run.json"}, left); diff != "" {
		t.Error(diff)
	}
}

// While one holds the lock of a folder nobody else gets it, and the error names the process that does. When
// it is released, or its process is dead, others do.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, safefile.LockFile), "999999999\n") // of a process that was killed
	first, err := safefile.TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := safefile.TakeLock(dir); err == nil ||
		!strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("a second process has the lock too, or is refused without a name: %v", err)
	}
	first.Release()
	second, err := safefile.TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

func TestFolderOfSomebodyElseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(thesis, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Free(dir, true); err == nil {
		t.Error("a folder with other files was taken for a run's")
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Error(err)
	}
}
