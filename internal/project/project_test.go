package project

import (
	"bytes"
	"encoding/csv"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// The files of every example are whole: models compile without a warning and are formatted, every party of a
// model has a table in vfl.toml, and all tables have the same keys, in different orders.
func TestExamplesAreWhole(t *testing.T) {
	for _, e := range Examples() {
		files, err := e.Files("trial")
		if err != nil {
			t.Fatal(err)
		}
		if files[e.First("trial")+".vfl"] == nil {
			t.Errorf("%s: its first model %s is not there", e.Name, e.First("trial"))
		}
		var keys [][]string
		for file, text := range files {
			switch path.Ext(file) {
			case ".vfl":
				checkModel(t, file, string(text), string(files["vfl.toml"]))
			case ".csv":
				keys = append(keys, column(t, file, text))
			}
		}
		for _, k := range keys[1:] {
			if slices.Equal(k, keys[0]) {
				t.Errorf("%s: two tables have the same order", e.Name)
			}
			if !slices.Equal(slices.Sorted(slices.Values(k)), slices.Sorted(slices.Values(keys[0]))) {
				t.Errorf("%s: the tables hold different rows", e.Name)
			}
		}
	}
}

func checkModel(t *testing.T, name, text, settings string) {
	t.Helper()
	file := source.New(name, text)
	m, diags := compile.Compile(file, check.Options{})
	for _, d := range diags {
		t.Errorf("%s: %s", name, d.Message)
	}
	tree, _ := parser.Parse(file)
	if format.Format(tree) != text {
		t.Errorf("%s is not formatted", name)
	}
	for _, p := range m.Parties() {
		if !strings.Contains(settings, "\n"+p.Name+` = "data/`+p.Name+`.csv"`) {
			t.Errorf("%s: vfl.toml names no table of %s", name, p.Name)
		}
	}
}

// column returns the first column of a table without its name, each of whose values must be unique.
func column(t *testing.T, file string, text []byte) (out []string) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, r := range rows[1:] {
		out = append(out, r[0])
	}
	if len(slices.Compact(slices.Sorted(slices.Values(out)))) != len(out) {
		t.Errorf("%s: a key stands twice", file)
	}
	return out
}

// A run is repeated from its tables: made-up ones are the same whenever they are made.
func TestMadeUpTablesAreReproducible(t *testing.T) {
	first, second := wardTables(), wardTables()
	for file := range first {
		if !bytes.Equal(first[file], second[file]) {
			t.Errorf("%s differs", file)
		}
	}
}
