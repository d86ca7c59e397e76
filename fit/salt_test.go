package fit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/posterior/runs"
)

// The record of a run holds no digest that another run, or anybody without the salt, could compare with a table; its owner can check it.
func TestDigestsOfTablesAreSalted(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m.vfl"), "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n")
	table := filepath.Join(dir, "m", "data.csv")
	write(t, table, "y\n1\n2\n")
	var digests []string
	for _, out := range []string{"one", "two"} {
		m, sources := compiled(t, filepath.Join(dir, "m.vfl"), check.Options{})
		p, diags, err := Open(m, sources, Options{Dir: filepath.Join(dir, out), Seed: 1})
		good(t, diags, err)
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runs.ReadRecord(filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		if r.Data[0].SHA256 == digest(text) || len(r.Salt) < 32 {
			t.Errorf("the digest of the table is not salted: %+v", r.Data[0])
		}
		if own, err := saltedDigest(r.Salt, table); err != nil || own != r.Data[0].SHA256 || p.Record.Salt != r.Salt {
			t.Error("the owner cannot check the digest")
		}
		digests = append(digests, r.Data[0].SHA256)
		if _, err := p.unchanged(filepath.Join(dir, out)); err != nil {
			t.Errorf("an unchanged table: %v", err)
		}
		write(t, table, "y\n1\n3\n")
		if _, err := p.unchanged(filepath.Join(dir, out)); err == nil || !strings.Contains(err.Error(), "data.csv has changed") {
			t.Errorf("a changed table: %v", err)
		}
		write(t, table, "y\n1\n2\n")
	}
	if digests[0] == digests[1] {
		t.Error("two runs have the same digest of one table")
	}
}
