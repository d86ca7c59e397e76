package repl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/data"
)

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A model that is saved, also in another folder or with members of a family, is opened with its tables and
// joined as before, also without its first session.
func TestSaveKeepsTables(t *testing.T) {
	const family = "client lab[L]\ndata x : real[N] @ lab\ndata y : real[N] @ server\nparam b ~ normal(0, " +
		"1)\nparam w ~ normal(0, 1) @ lab\ny ~ normal(b + sum(x[j] * w[j] for j in lab), 1)"
	tables := map[string]string{"y.csv": "pid,y\n1,1\n2,2\n3,3\n", "labs/l1.csv": "pid,x\n1,1\n2,5\n",
		"labs/l2.csv": "pid,x\n2,4\n1,6\n", "one.csv": "y\n1\n2\n3\n"}
	for name, c := range map[string]struct {
		model string
		lines []string
		want  string // of :data after it was opened again
	}{
		"alone": {"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)",
			[]string{":data server = DIR/one.csv"}, "one.csv, 3 rows"},
		"family": {family, []string{":data server = DIR/y.csv", ":data lab = DIR/labs/l2.csv,DIR/labs/l1.csv",
			":key pid", ":rows intersect"}, "l1.csv, 2 rows, key pid"},
	} {
		for _, folder := range []string{"", "elsewhere"} {
			dir := t.TempDir()
			put(t, dir, tables)
			put(t, dir, map[string]string{filepath.Join(folder, "readme.txt"): ""})
			k := begin(t)
			k.ask(c.model)
			for _, line := range c.lines {
				k.ask(strings.ReplaceAll(line, "DIR", dir))
			}
			before := k.ask("mean(y)") + k.ask("y")
			path := filepath.Join(dir, folder, "mine.vfl")
			if got := k.ask(":save " + typedPath(path)); !strings.Contains(got,
				"its tables: "+filepath.Join(dir, folder, "vfl.toml")) {
				t.Errorf("%s: %s", name, got)
			}
			if got := k.ask(":save " + typedPath(path)); strings.Contains(got, "tables") { // which are found
				t.Errorf("%s, saved again: %s", name, got)
			}
			// paths below the folder of the model move with it
			if err := os.Rename(dir, dir+" moved"); err != nil {
				t.Fatal(err)
			}
			if folder != "" {
				if err := os.Rename(dir+" moved", dir); err != nil {
					t.Fatal(err)
				}
			} else {
				path = filepath.Join(dir+" moved", "mine.vfl")
			}
			again := begin(t)
			again.ask(":open " + typedPath(path))
			if got := again.ask("mean(y)") + again.ask("y"); got != before {
				t.Errorf("%s: %s, before %s", name, got, before)
			}
			if got := again.ask(":data"); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s", name, got)
			}
			other := filepath.Join(t.TempDir(), "other.vfl") // saved from a session that typed no table
			again.ask(":save " + typedPath(other))
			third := begin(t)
			third.ask(":open " + typedPath(other))
			if got := third.ask("mean(y)") + third.ask("y"); got != before {
				t.Errorf("%s, a copy: %s, before %s", name, got, before)
			}
		}
	}
}

// A vfl.toml that is there stays byte for byte, and none is written beside other models; the command names
// the tables, the session has them still, and the way out that is named works.
func TestSaveLeavesSettingsOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"other table": {map[string]string{data.SettingsFile: "[data]\nserver = 'two.csv'\n"},
			"it was there before"},
		"other key": {map[string]string{data.SettingsFile: "[data]\nserver = " +
			"'one.csv'\n[run]\nkey = 'none'\n"}, "it was there before"},
		"other clients": {map[string]string{"theirs.vfl": "server registry\n"},
			"theirs.vfl would read them too"},
	} {
		dir := t.TempDir()
		put(t, dir, c.files)
		put(t, dir, map[string]string{"one.csv": "y\n1\n2\n3\n", "two.csv": "y\n4\n"})
		k := begin(t)
		k.ask("data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)")
		k.ask(":data server = " + typedPath(filepath.Join(dir, "one.csv")))
		got := k.ask(":save " + typedPath(filepath.Join(dir, "mine.vfl")))
		if !strings.Contains(got, c.want) || !strings.Contains(got, "--data") {
			t.Errorf("%s: %s", name, got)
		}
		for file, text := range c.files {
			if now, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(now) != text {
				t.Errorf("%s: %v, %s", name, err, now)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, data.SettingsFile)); c.files[data.SettingsFile] == "" &&
			err == nil {
			t.Errorf("%s: settings were written", name)
		}
		if got := k.ask("mean(y)"); !strings.Contains(got, "mean(y) = 2, over 3 rows") {
			t.Errorf("%s: %s", name, got)
		}
		apart := filepath.Join(dir, "mine", "mine.vfl")
		if !strings.Contains(got, ":save "+apart) {
			t.Errorf("%s: no way out: %s", name, got)
		}
		k.ask(":save " + typedPath(apart))
		again := begin(t)
		again.ask(":open " + typedPath(apart))
		if got := again.ask("mean(y)"); !strings.Contains(got, "mean(y) = 2, over 3 rows") {
			t.Errorf("%s, apart: %s", name, got)
		}
	}
}

// Where no table of the model could be read beside a vfl.toml, nothing is written, the session has what it
// had, and the way out works.
func TestSaveRefusesWhereNothingCanBeRead(t *testing.T) {
	for _, text := range []string{"[data\n", "[data]\na = 'two.csv'\n"} {
		dir := t.TempDir()
		put(t, dir, map[string]string{data.SettingsFile: text, "one.csv": "y\n1\n2\n3\n"})
		k := begin(t)
		k.ask("data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)")
		k.ask(":data server = " + typedPath(filepath.Join(dir, "one.csv")))
		apart := filepath.Join(dir, "mine", "mine.vfl")
		if f := k.fails(":save " + typedPath(filepath.Join(dir, "mine.vfl"))); !strings.Contains(f.Error(),
			":save "+apart) {
			t.Error(f)
		}
		if _, err := os.Stat(filepath.Join(dir, "mine.vfl")); err == nil {
			t.Errorf("%s: the model was written", text)
		}
		k.ask(":save " + typedPath(apart))
		if got := k.ask("mean(y)"); !strings.Contains(got, "mean(y) = 2, over 3 rows") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// There is a journal while the model differs from its file, and at no other time.
func TestJournalOfWhatIsNotSaved(t *testing.T) {
	dir := t.TempDir()
	k := begin(t)
	k.Journal = filepath.Join(dir, "state", "session-1.json")
	kept := func(when string, want bool) {
		t.Helper()
		if _, err := os.Stat(k.Journal); (err == nil) != want {
			t.Errorf("%s: %v", when, err)
		}
	}
	k.ask("param b ~ normal(0, 1)")
	kept("typed", true)
	k.ask(":save " + typedPath(filepath.Join(dir, "m.vfl")))
	kept("saved", false)
	k.ask("param c ~ normal(0, 1)")
	kept("changed", true)
	k.ask(":undo")
	kept("undone", false)
	k.ask(":redo")
	kept("redone", true)
	k.ask(":reload")
	kept("read again", false)
	k.ask(":open " + typedPath(filepath.Join(dir, "m.vfl")))
	kept("opened", false)
}

// Numbers over what no parameter enters are over its elements, before a fit and after, and those of
// parameters are over draws.
func TestNumbersOfDataAreOverRows(t *testing.T) {
	k := withData(t)
	for _, fitted := range []bool{false, true} {
		if fitted {
			k.ask(":fit draws=100 warmup=200 chains=1")
			k.ask("data z : real[N] from y") // which the fit does not have
		} else {
			k.fails("mean(b)")
			k.fails("mean(b * y)")
		}
		for line, want := range map[string]string{
			"sd(y)":   "sd(y) = 0.801784, over 8 rows of data  @ server",
			"var(y)":  "var(y) = 0.642857, over 8 rows",
			"mean(y)": "mean(y) = 2, over 8 rows", "median(y)": "= 2, over 8 rows",
			"quantile(y, 0.9)": "= 3, over 8 rows",
			"P(y > 2)":         "= 0.375, over 8 rows", "mean(3)": "= 3, over 1 elements",
			"y + 1": "2, 3, 4, 3, 2, 4, 3.5, 2.5  @ server",
		} {
			if got := k.ask(line); !strings.Contains(got, want) {
				t.Errorf("%s (fitted: %v): %s", line, fitted, got)
			}
		}
		for line, want := range map[string]string{"P(y)": "not a condition",
			"sd(3)": "of 1 value there is none", "var(3)": "of 1 value there is none",
			"quantile(y, 2)": "between 0 and 1"} {
			if f := k.fails(line); !strings.Contains(f.Error(), want) {
				t.Errorf("%s: %v", line, f)
			}
		}
	}
	if got := k.ask("mean(z)"); !strings.Contains(got, "mean(z) = 2, over 8 rows") {
		t.Error(got)
	}
	if got := k.ask("sd(b)"); !strings.Contains(got, "±") || strings.Contains(got, "rows") {
		t.Error(got)
	}
	if got := k.ask("mean(b + y)"); strings.Count(got, "±") != 8 {
		t.Error(got)
	}
}

// After a step back questions are about the fit of the model as it is then; where there is none, what differs
// is said.
func TestUndoGoesBackToItsFit(t *testing.T) {
	k := withData(t)
	k.ask(":fit draws=50 warmup=100 chains=1")
	k.ask("param b ~ normal(0, 1)")
	k.ask(":fit draws=50 warmup=100 chains=1")
	if got := k.ask(":undo"); !strings.Contains(got,
		"questions are about fit1 again, which is of this model") ||
		!strings.Contains(got, "fit2: of a model that differs in b") {
		t.Error(got)
	}
	if got := k.ask("b"); strings.Contains(got, "differs") {
		t.Error(got)
	}
	if got := k.ask(":redo"); !strings.Contains(got, "questions are about fit2 again") {
		t.Error(got)
	}
	k.ask(":undo")
	k.ask(":undo") // the table
	if got := k.ask("b"); !strings.Contains(got, "(fit1 is of a model that differs in the data)") {
		t.Error(got)
	}
}

// Words of other prompts are answered with what they are called here; a name of the model is that name, and
// what is wrong in a statement is said of the statement.
func TestWordsWithoutAColon(t *testing.T) {
	k := begin(t)
	for line, want := range map[string]string{
		"help": ":help", "quit": ":quit", "exit": ":quit", "exit;": ":quit", "summary": ":summary",
		"plot beta": ":plot beta", "open m.vfl": ":open m.vfl", "Help": ":help",
		"select * from fair": ":describe COLUMN", "SELECT age FROM fair;": ":describe COLUMN",
	} {
		if f := k.fails(line); !strings.Contains(f.Error(), want) || f.Diagnostics != nil {
			t.Errorf("%s: %v", line, f)
		}
	}
	for _, line := range []string{"nothing", "summary ~ normal(0, 1)", "fits = 3", "param p ~ norml(0, 1)",
		"data"} {
		if f := k.fails(line); strings.Contains(f.Error(), "colon") {
			t.Errorf("%s: %v", line, f)
		}
	}
	k.ask("param plot ~ normal(0, 1)")
	if err := k.Eval(context.Background(), "plot"); err != nil {
		t.Error(err)
	}
}
