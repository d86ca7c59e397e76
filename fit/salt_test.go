package fit

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/posterior"
)

// The record of a run holds no digest that another run, or anybody without the salt, could compare with a
// table; its owner can check it.
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
		r, err := posterior.ReadRecord(filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		if r.Data[0].SHA256 == digest(text) || len(r.Salt) < 32 {
			t.Errorf("the digest of the table is not salted: %+v", r.Data[0])
		}
		if own, err := saltedDigest(r.Salt, table); err != nil || own != r.Data[0].SHA256 ||
			p.Record.Salt != r.Salt {
			t.Error("the owner cannot check the digest")
		}
		digests = append(digests, r.Data[0].SHA256)
		if _, err := p.unchanged(filepath.Join(dir, out)); err != nil {
			t.Errorf("an unchanged table: %v", err)
		}
		write(t, table, "y\n1\n3\n")
		if _, err := p.unchanged(filepath.Join(dir, out)); err == nil ||
			!strings.Contains(err.Error(), "data.csv has changed") {
			t.Errorf("a changed table: %v", err)
		}
		write(t, table, "y\n1\n2\n")
	}
	if digests[0] == digests[1] {
		t.Error("two runs have the same digest of one table")
	}
}

// The record of a run on a query has its address from any folder, and a digest of its result: the run can be
// repeated until that changes.
func TestDigestOfAQuery(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "m.vfl", "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n")
	db, err := sql.Open("sqlite", "t.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE t(y REAL, kind TEXT)")
	exec("INSERT INTO t VALUES (1, 'a'), (2, 'a'), (9, 'b')")
	m, sources := compiled(t, "m.vfl", check.Options{}, "t.db?query=SELECT y FROM t WHERE kind = 'a'")
	p, diags, err := Open(m, sources, Options{Dir: "out", Seed: 1})
	good(t, diags, err)
	if want := "sqlite:" + filepath.Join(dir, "t.db") +
		"?query=SELECT y FROM t WHERE kind = 'a'"; p.Record.Data[0].Path != want {
		t.Errorf("the record has %s, want %s", p.Record.Data[0].Path, want)
	}
	t.Chdir(t.TempDir())
	again, err := data.Locate(filepath.Join(dir, "m.vfl"), m.Parties(), RecordedData(&p.Record))
	good(t, nil, err)
	repeated, diags, err := Open(m, again, Options{Seed: 1})
	good(t, diags, err)
	if !slices.Equal(repeated.Values["server"]["y"].Values, []float64{1, 2}) {
		t.Errorf("the query gives %v again", repeated.Values["server"]["y"].Values)
	}
	t.Chdir(dir)
	exec("UPDATE t SET y = 8 WHERE kind = 'b'") // another row
	if _, err := p.unchanged(filepath.Join(dir, "out")); err != nil {
		t.Error(err)
	}
	exec("UPDATE t SET y = 3 WHERE y = 2")
	if _, err := p.unchanged(filepath.Join(dir, "out")); err == nil ||
		!strings.Contains(err.Error(), "t.db?query=SELECT y FROM t WHERE kind = 'a' has changed") {
		t.Errorf("a changed result: %v", err)
	}
}
