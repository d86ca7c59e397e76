package data

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sqliteOf makes a database.
func sqliteOf(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trial.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const visits = "CREATE TABLE visits(id TEXT, age REAL, n INTEGER, smoker BOOLEAN, site TEXT, " +
	"seen DATE, big INTEGER)"

// wantTable compares a table with the same as CSV: types, values, and the texts of keys.
func wantTable(t *testing.T, source, want string) {
	t.Helper()
	got, list := Open(source)
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	expected, list := ReadCSV("want.csv", []byte(want))
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	var names []string
	for _, w := range expected.Arrays {
		names = append(names, w.Name)
		g, ok := got.Array(w.Name)
		if !ok {
			t.Fatalf("no column %s", w.Name)
		}
		if !slices.Equal(g.Words, w.Words) || len(g.Numbers) != len(w.Numbers) {
			t.Errorf("%s is %v %v, want %v %v", w.Name, g.Numbers, g.Words, w.Numbers, w.Words)
		}
		for i := range g.Numbers {
			if g.Missing(i) != w.Missing(i) || !g.Missing(i) && g.Numbers[i] != w.Numbers[i] {
				t.Errorf("%s: cell %d is %v, want %v", w.Name, i+1, g.Numbers[i], w.Numbers[i])
			}
		}
	}
	if !slices.Equal(got.names(), names) {
		t.Errorf("the columns are %v, want %v", got.names(), names)
	}
	id, err := got.reader.Texts("big")
	if err != nil || !slices.Equal(id, []string{"9007199254740993", "-5"}) {
		t.Errorf("big reads %v, %v", id, err)
	}
}

const visitsCSV = "id,age,n,smoker,site,seen,big\nP1,61.5,3,1,north,2024-03-01,9007199254740993\n007,,-1,0,NA,,-5\n"

func TestSQLite(t *testing.T) {
	path := sqliteOf(t, visits,
		"INSERT INTO visits VALUES ('P1', 61.5, 3, TRUE, 'north', '2024-03-01', 9007199254740993), ('007', "+
			"NULL, -1, FALSE, NULL, NULL, -5)")
	for _, source := range []string{path, path + "?table=visits",
		"sqlite:" + path + "?query=SELECT * FROM visits ORDER BY age IS NULL;", "sqlite://" + path} {
		wantTable(t, source, visitsCSV)
	}
	odd := sqliteOf(t, `CREATE TABLE "a ""b"(x)`, `INSERT INTO "a ""b" VALUES (1)`)
	if table, list := Open(odd); len(list) > 0 || table.Rows != 1 {
		t.Errorf("a table with an odd name: %v", Errors(list))
	}
}

func TestDatabaseErrors(t *testing.T) {
	path := sqliteOf(t, visits, "INSERT INTO visits(id) VALUES ('P1')", "CREATE TABLE other(x)",
		"CREATE TABLE bytes AS SELECT x'00ff' AS raw")
	for source, want := range map[string]string{
		path:                                                "several tables (bytes, other, visits)",
		path + "?table=other":                               "no rows",
		path + "?table=visit":                               "no such table: visit",
		path + "?table=bytes":                               "column raw holds bytes",
		path + "?query=DELETE FROM visits":                  "readonly",
		path + "?query=SELECT id, id FROM visits":           `column "id": every column needs its own name`,
		path + "?sheet=1":                                   "sheet is no setting",
		path + "?table=a&query=SELECT 1":                    "give one of them",
		filepath.Join(filepath.Dir(path), "absent.db"):      "there is no such file",
		"sqlite:absent":                                     "there is no such file",
		sqliteOf(t):                                         "no such file",
		"postgres://h:x/db?table=t":                         "is no URL",
		"postgres://u:hunter2@h/db":                         "~/.pgpass",
		"postgres://u@h/db?password=hunter2&query=SELECT 1": "~/.pgpass",
		"postgres://u:hunter2 @h:x/d":                       "is no URL",
	} {
		_, list := Open(source)
		if text := Errors(list).Error(); !strings.Contains(text, want) || strings.Contains(text, "hunter2") ||
			strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want %q", source, text, want)
		}
	}
	if n, _ := Open(path + "?table=visits"); n.Rows != 1 {
		t.Errorf("%d rows are left of 1", n.Rows)
	}
}

// An address may hold what separates files elsewhere, and passwords are not quoted.
func TestDatabaseFlags(t *testing.T) {
	parties := []PartyRef{{Name: "server"}, {Name: "lab", Family: true}}
	const query = "x.db?query=SELECT a, b, c*d FROM t WHERE e=1"
	got, err := Named(parties, []string{"lab=" + query, "lab=h1.csv,h2.csv",
		"server=postgres://u@h/db?query=SELECT [1]"})
	if err != nil || !slices.Equal(got[1].Files, []string{query, "h1.csv", "h2.csv"}) ||
		len(got[0].Files) != 1 {
		t.Errorf("%v %v", got, err)
	}
	alone, err := Named(parties[:1], []string{"sqlite:x?query=SELECT a FROM t WHERE e=1"})
	if err != nil || alone[0].Files[0] != "sqlite:x?query=SELECT a FROM t WHERE e=1" {
		t.Errorf("%v %v", alone, err)
	}
	for _, flag := range []string{"labs=postgres://u:hunter2@h/db", "postgres://u:hunter2@h/db"} {
		if _, err := Named(parties, []string{flag}); err == nil || strings.Contains(err.Error(), "hunter2") ||
			!strings.Contains(err.Error(), "postgres://u@h/db") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	for source, want := range map[string]string{"t.csv": "/d/t.csv",
		"sqlite:t.db?table=a": "sqlite:/d/t.db?table=a", "t.db": "sqlite:/d/t.db",
		"postgres://u@h/db?table=t": "postgres://u@h/db?table=t"} {
		if got := beside("/d", source); got != want {
			t.Errorf("%s beside /d is %s, want %s", source, got, want)
		}
	}
}

// What a record digests is the same whenever the query has the same result.
func TestCopyOfQuery(t *testing.T) {
	path := sqliteOf(t, visits, "INSERT INTO visits(id, age) VALUES ('a,b', 0.1), ('P2', NULL)")
	var b strings.Builder
	again, err := Copy(&b, path+"?query=SELECT id, age FROM visits")
	if want := "id,age\n\"a,b\",0.1\nP2,\n"; err != nil || !again || b.String() != want {
		t.Errorf("%q %t %v, want %q", b.String(), again, err, want)
	}
}
