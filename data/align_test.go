package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The values and the digest do not depend on the order of the rows in each file.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		words := rapid.Bool().Draw(t, "words")
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		key := func(i int) string {
			if words {
				return fmt.Sprintf("p%d", i)
			}
			return fmt.Sprint(i * 7)
		}
		read := func(name, column string) *Table {
			var b strings.Builder
			b.WriteString("id," + column + "\n")
			for _, i := range rapid.Permutation(rows).Draw(t, name) {
				fmt.Fprintf(&b, "%s,%d\n", key(i), i*i)
			}
			table, list := ReadCSV(name, []byte(b.String()))
			if table == nil {
				t.Fatal(Errors(list))
			}
			return table
		}
		tables := []*Table{read("a", "x"), read("b", "x"), read("c", "x")}
		a, list := Align(tables, Joining{})
		if len(list) > 0 {
			t.Fatal(Errors(list))
		}
		for k := range tables {
			alone, _ := Align(tables[k:k+1], Joining{Key: DefaultKey})
			if alone.Digest != a.Digest || !slices.Equal(alone.Order[0], a.Order[k]) {
				t.Fatal("a party finds another order from its own table")
			}
		}
		var first *BoundValue
		for k, table := range tables {
			table.arrange(a.Order[k], table.Rows)
			b, list := Bind(View{Table: table, Key: a.Key}, []Want{{Name: "x", Owner: "p", Rank: 1}})
			if len(list) > 0 {
				t.Fatal(Errors(list))
			}
			if first == nil {
				first = b["x"]
			}
			if !slices.Equal(first.Values, b["x"].Values) || first.Digest() != b["x"].Digest() {
				t.Fatalf("%v and %v", first.Values, b["x"].Values)
			}
		}
		if !words && !slices.IsSorted(first.Values) { // keys in order of value, x = (key/7)²
			t.Fatalf("keys not by value: %v", first.Values)
		}
	})
}

// Parties compare digests, so these must never change; the expected ones come from another program.
func TestDigestsAreStable(t *testing.T) {
	a, _ := Align([]*Table{mustCSV(t, "id,x\n10,1\n9,2\n")}, Joining{Key: "id"})
	b, _ := Align([]*Table{mustCSV(t, "x\n1\n2\n")}, Joining{})
	if want := "e7513351b32028840f502b3b2e004e3653e814036e3933e787062541de6ce9be"; a.Digest != want {
		t.Errorf("by key: %s, want %s", a.Digest, want)
	}
	if want := "d41595e07525f169788f2cfb045ec32ca7bd7e381a9a9fe5ee45915d8beb1354"; b.Digest != want {
		t.Errorf("by rows: %s, want %s", b.Digest, want)
	}
	other, _ := Align([]*Table{mustCSV(t, "id,x\n1,1\n09,2\n")}, Joining{Key: "id"})
	if other.Digest == a.Digest {
		t.Error("other keys have the same digest")
	}
}

func TestNatural(t *testing.T) {
	names := []string{"lab10", "lab2", "lab02", "lab1", "lab", "Lab3", "lab2a", "lab2.csv",
		"lab99999999999999999999", "lab100000000000000000000", "2", "10"}
	slices.SortFunc(names, Natural)
	want := []string{"2", "10", "Lab3", "lab", "lab1", "lab02", "lab2", "lab2.csv", "lab2a", "lab10",
		"lab99999999999999999999", "lab100000000000000000000"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// Natural is a total order, so sorting by it is the same on every machine.
func TestNaturalIsAnOrder(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("a0129")))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
		if Natural(a, b) != -Natural(b, a) || (Natural(a, b) == 0) != (a == b) {
			t.Fatal("not antisymmetric")
		}
		if Natural(a, b) < 0 && Natural(b, c) < 0 && Natural(a, c) >= 0 {
			t.Fatal("not transitive")
		}
	})
}

// The name of a folder may have characters that are special in patterns.
func TestFolderNamesAreNotPatterns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[x]")
	if err := os.MkdirAll(filepath.Join(dir, "m", "lab"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lab10.csv", "lab2.csv", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, "m", "lab", name), []byte("x\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := Locate(filepath.Join(dir, "m.vfl"),
		[]PartyRef{{Name: "server"}, {Name: "lab", Family: true}}, nil)
	if err != nil || sources.Members("lab") != 2 || filepath.Base(sources[1].Files[1]) != "lab10.csv" {
		t.Errorf("%v %v", sources, err)
	}
}

func TestIntegersOfDocuments(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.json")
	if err := os.WriteFile(path, []byte("{\"J\": 85,\n\"r\": 1.5, \"v\": [1]}"), 0o644); err != nil {
		t.Fatal(err)
	}
	sources, err := Locate(filepath.Join(dir, "m.vfl"), []PartyRef{{Name: "server"}}, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	set, list := Load(sources, nil, Joining{})
	if set == nil {
		t.Fatal(Errors(list))
	}
	if v, where, ok := set.Integer("J"); v != 85 || where != path+":1" || !ok {
		t.Errorf("J: %v %v %v", v, where, ok)
	}
	for _, name := range []string{"r", "v", "absent"} {
		if v, _, ok := set.Integer(name); ok {
			t.Errorf("%s: %v", name, v)
		}
	}
}
