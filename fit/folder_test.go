package fit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/posterior"
)

func testResult() *Result {
	vars := []posterior.Variable{{Name: "b", Owner: "server"}}
	d := posterior.NewDraws(vars, 1, 2)
	d.Append(0, []float64{1})
	d.Append(0, []float64{2})
	return &Result{
		Document: posterior.Document{Schema: 1, Parameters: posterior.SummariseIndependent(d)},
		Draws:    d, chains: func(int) posterior.CSVInfo { return posterior.CSVInfo{Model: "m"} }, programs: map[string][]byte{"server.vfl": []byte("program m for server\n")},
	}
}

func TestRunFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // a second run takes the place of the first
		if err := testResult().Save(dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"summary.json", "run.json", "elbo.csv", "draws/chain-1.csv", "programs/server.vfl"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "draws", "chain-9.csv"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := claim(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "draws", "chain-9.csv")); err == nil {
		t.Error("a chain of an earlier run is still there")
	}
}

func TestFolderOfSomebodyElseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(thesis, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := claim(dir); err == nil {
		t.Error("a folder with other files was taken for a run's")
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Error(err)
	}
}
