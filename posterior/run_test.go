package posterior

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func file(t *testing.T, path string, fill func(io.Writer) error) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := fill(f); err != nil {
		t.Fatal(err)
	}
}

func sample(chains int) *Draws {
	d := NewDraws([]Variable{{Name: "lab[2].w", Owner: "lab[2]", Dims: []int{2}},
		{Name: "b", Owner: "server"}}, chains, 5)
	for c := range chains {
		for i := range 5 {
			d.Append(c, []float64{float64(c), float64(i), float64(c*i) / 3})
		}
	}
	return d
}

func write(t *testing.T, dir string, d *Draws) {
	for c := range d.Chains() {
		name := filepath.Join(dir, "draws", "chain-"+string(rune('0'+(c+1)/10))+string(rune('0'+(c+1)%10))+
			".csv")
		if c < 9 {
			name = filepath.Join(dir, "draws", "chain-"+string(rune('1'+c))+".csv")
		}
		file(t, name, func(w io.Writer) error {
			return WriteStanCSV(w, d, c, CSVInfo{Model: "m", Backend: "sfvi"})
		})
	}
	doc := SummaryDocument{Schema: 1, Model: "m", Parameters: Summarise(d),
		Diagnostics: Diagnostics{Khat: NotApplicable()}}
	file(t, filepath.Join(dir, SummaryFile), func(w io.Writer) error { return WriteJSON(w, doc) })
	file(t, filepath.Join(dir, RecordFile), func(w io.Writer) error {
		return WriteJSON(w,
			Record{Schema: 1, Settings: map[string]any{"draws": 5, "rate": 0.5}})
	})
}

// The draws read from a folder are those written, chain 10 after chain 9, with owners and dimensions.
func TestOpenFolder(t *testing.T) {
	dir, d := t.TempDir(), sample(11)
	write(t, dir, d)
	r, err := OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, r.Draws, cmp.AllowUnexported(Draws{})); diff != "" {
		t.Error(diff)
	}
	if n, ok := r.Setting("draws"); n != 5 || !ok || r.Name() != "m" {
		t.Errorf("draws = %d, %v; name %s", n, ok, r.Name())
	}
	if !math.IsNaN(float64(r.Document.Parameters[0].RHat)) || r.Document.Parameters[1].Mean != 2 {
		t.Errorf("summary read as %+v", r.Document.Parameters)
	}
}

// Files of Stan's tools can be opened without the folder of a run.
func TestOpenFiles(t *testing.T) {
	dir, d := t.TempDir(), sample(2)
	write(t, dir, d)
	for path, chains := range map[string]int{filepath.Join(dir, "draws"): 2,
		filepath.Join(dir, "draws", "chain-2.csv"): 1} {
		r, err := OpenRun(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Draws.Chains() != chains || r.Draws.Len(0) != 5 || r.Record != nil {
			t.Errorf("%s: %d chains of %d", path, r.Draws.Chains(), r.Draws.Len(0))
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir string)
		want  string
	}{
		"not there": {func(dir string) { os.RemoveAll(dir) }, "no such file"},
		"another folder": {func(dir string) {
			os.Remove(filepath.Join(dir, RecordFile))
		}, "not the folder of a run"},
		"not finished": {func(dir string) {
			os.Remove(filepath.Join(dir, SummaryFile))
		}, "has not finished"},
		"no draws": {func(dir string) {
			os.Remove(filepath.Join(dir, "draws", "chain-1.csv"))
		}, "no draws"},
		"broken document": {func(dir string) {
			os.WriteFile(filepath.Join(dir, SummaryFile), []byte("{"), 0o644)
		}, "summary.json: unexpected end"},
		"broken chain": {func(dir string) {
			os.WriteFile(filepath.Join(dir, "draws", "chain-1.csv"), []byte("lp__,a\nx,1\n"), 0o644)
		}, "chain-1.csv: line 2"},
		"other columns": {func(dir string) {
			os.WriteFile(filepath.Join(dir, "draws", "chain-1.csv"), []byte("lp__,a\n0,1\n"), 0o644)
		}, "columns are not those expected"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		write(t, dir, sample(1))
		c.spoil(dir)
		if _, err := OpenRun(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
	}
}
