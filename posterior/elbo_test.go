package posterior

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The trace read is that written; runs of other backends have none, and a file with other contents is
// refused.
func TestELBO(t *testing.T) {
	dir := t.TempDir()
	want := []ELBOPoint{{Iteration: 500, Value: -1234.5678901234567, SE: 0.1},
		{Iteration: 1000, Value: math.Inf(-1), SE: math.NaN()}}
	r := &Run{Path: dir, Record: &Record{}}
	if got, err := r.ELBO(); got != nil || err != nil {
		t.Errorf("%v, %v of a run without one", got, err)
	}
	path := filepath.Join(dir, ELBOFile)
	file(t, path, func(w io.Writer) error { return WriteELBO(w, want) })
	r.Record.Files, _ = Digests(dir)
	got, err := r.ELBO()
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if err := os.WriteFile(path, []byte("iteration,elbo,se\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ELBO(); err == nil || !strings.Contains(err.Error(), "not as the run wrote it") {
		t.Error(err)
	}
	r.Record.Files = nil
	for _, text := range []string{"iteration,elbo,se\n1,2\n", "iteration,elbo,se\n1,2,3\nx,2,3\n",
		"iteration,elbo,se\n1,2,y\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ELBO(); err == nil || !strings.Contains(err.Error(), "elbo.csv: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
