package data

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/diag"
)

func mustCSV(t testing.TB, text string) *Table {
	t.Helper()
	table, list := ReadCSV("t.csv", []byte(text))
	if table == nil {
		t.Fatal(Errors(list))
	}
	return table
}

// csvCell generates texts, about half of which need quotes.
func csvCell() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.TrimSpace(rapid.StringOf(rapid.SampledFrom([]rune("ab1,\"\n é;'"))).Draw(t, "cell"))
	})
}

// Whatever encoding/csv writes is read back cell for cell, with the line that each row starts on.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(2, 4).Draw(t, "columns"), rapid.IntRange(1, 6).Draw(t, "rows")
		header := []string{"c1", "c2", "c3", "c4"}[:columns]
		var buffer bytes.Buffer
		if rapid.Bool().Draw(t, "BOM") {
			buffer.WriteString("\ufeff")
		}
		w := csv.NewWriter(&buffer)
		w.UseCRLF = rapid.Bool().Draw(t, "CRLF")
		cells := [][]string{header}
		var lines []int
		for range rows {
			record := make([]string, columns)
			for k := range record {
				record[k] = csvCell().Draw(t, "cell")
			}
			cells = append(cells, record)
		}
		for i, record := range cells {
			w.Flush()
			if i > 0 {
				lines = append(lines, bytes.Count(buffer.Bytes(), []byte("\n"))+1)
			}
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		table, list := ReadCSV("t.csv", buffer.Bytes())
		if table == nil {
			t.Fatal(Errors(list))
		}
		for k, a := range table.Arrays {
			c := column{View{Table: table}, a}
			for i := range rows {
				if line := c.lineNumber(i); line != lines[i] {
					t.Fatalf("row %d is on line %d, want %d", i, line, lines[i])
				}
				if cell := c.text(i); cell != cells[i+1][k] {
					t.Fatalf("row %d column %d: %q, want %q", i, k, cell, cells[i+1][k])
				}
			}
		}
	})
}

func TestCSVForms(t *testing.T) {
	table := mustCSV(t, "\ufeff a ,\"b\"\r\n 1 ,\"x\r\ny\"\r\n\r\n2,z")
	a, _ := table.Array("a")
	b, _ := table.Array("b")
	c := column{View{Table: table}, a}
	if !slices.Equal(a.Numbers, []float64{1, 2}) || !slices.Equal(b.Words, []string{"x\ny", "z"}) ||
		c.lineNumber(0) != 2 || c.lineNumber(1) != 5 {
		t.Errorf("cells %v %q, lines %d %d", a.Numbers, b.Words, c.lineNumber(0), c.lineNumber(1))
	}
	_, list := ReadCSV("latin1.csv", []byte("a\nb\n\xe9\n"))
	if len(list) != 1 || list[0].Data != "latin1.csv:3" || list[0].Code != diag.BadCSV {
		t.Errorf("text that is not UTF-8: %v", Errors(list))
	}
}

// Any regular array written by encoding/json is read back with its shape, element for element.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "dims")
		n := 0.0
		text, err := json.MarshalIndent(map[string]any{"A": nest(dims, &n)}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		table, list := ReadJSON("t.json", text)
		if table == nil {
			t.Fatal(Errors(list))
		}
		bound, list := Bind(View{Table: table}, []Want{{Name: "A", Owner: "server", Rank: len(dims)}})
		if len(list) > 0 {
			t.Fatal(Errors(list))
		}
		a := bound["A"]
		if !slices.Equal(a.Dims, dims) || len(a.Values) != int(n) {
			t.Fatalf("dims %v, %d values", a.Dims, len(a.Values))
		}
		for k := range int(n) { // the k-th written has the index that counts k with the last digit fastest
			at, rest, stride := 0, k, int(n)
			for _, d := range slices.Backward(dims) {
				stride /= d
				at += (rest % d) * stride
				rest /= d
			}
			if a.Values[at] != float64(k) {
				t.Fatalf("element %d is %v", k, a.Values[at])
			}
		}
	})
}

// nest fills an array of the given shape with 0, 1, 2, … in the order of writing.
func nest(dims []int, next *float64) any {
	if len(dims) == 0 {
		*next++
		return *next - 1
	}
	out := make([]any, dims[0])
	for i := range out {
		out[i] = nest(dims[1:], next)
	}
	return out
}

func TestStanDataFiles(t *testing.T) {
	files, err := filepath.Glob("../tests/reference/posteriordb/*/data.json")
	if err != nil || len(files) != 17 {
		t.Fatalf("%d files (%v), want 17", len(files), err)
	}
	for _, f := range files {
		table, list := Open(f)
		if table == nil {
			t.Error(Errors(list))
			continue
		}
		var want map[string]any
		text, _ := os.ReadFile(f)
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if len(table.Arrays) != len(want) {
			t.Errorf("%s: %d entries, want %d", f, len(table.Arrays), len(want))
		}
		for _, a := range table.Arrays {
			if a.problem != "" {
				t.Errorf("%s: %s %s", f, a.Name, a.problem)
			}
			bound, list := Bind(View{Table: table},
				[]Want{{Name: a.Name, Owner: "server", Rank: len(a.Dims)}})
			if len(list) > 0 || len(bound) != 1 {
				t.Errorf("%s: %v", f, Errors(list))
			}
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"", "a\n1\n", "a,b\r\n1,\"x\ny\"\r\n", "\ufeffid,g\n1,u\n2,NA\n",
		"a;b\n1;2", "a,a\n", "a\n\n\n1", "\"a\n\",b\n1,2\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, list := ReadCSV("t.csv", text)
		if (table == nil) != list.HasErrors() {
			t.Fatalf("a table and errors, or neither: %v", Errors(list))
		}
		if table != nil {
			bindAll(t, table)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"N": 3, "y": [1, 2, 3], "X": [[1, 2], [3, 4]]}`,
		`{"y": ["NaN", "a", null, true]}`, `{"y": [[], [1]]}`, `{"y": [1, [2]]}`, `{"y": {"a": [1]}} x`,
		`{"y": [NaN]}`, "[[[["} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, list := ReadJSON("t.json", text)
		if (table == nil) != list.HasErrors() {
			t.Fatalf("a table and errors, or neither: %v", Errors(list))
		}
		if table != nil {
			bindAll(t, table)
		}
	})
}

// bindAll binds every array in every way; each result must be either a value of the right size or an error.
func bindAll(t *testing.T, table *Table) {
	for _, a := range table.Arrays {
		for elem := range elemNamed("level") + 1 {
			for _, encoder := range []string{"", "zscore", "onehot"} {
				w := Want{Name: "v", Owner: "server", Elem: elem, Rank: len(a.Dims),
					From: []FromItem{{Encoder: encoder, Columns: []string{a.Name}}}}
				bound, list := Bind(View{Table: table, Key: a.Name}, []Want{w})
				if (bound["v"] == nil) != list.HasErrors() {
					t.Fatalf("a value and errors, or neither: %v", Errors(list))
				}
				if b := bound["v"]; b != nil && product(b.Dims) != len(b.Values) {
					t.Fatalf("%d values of dimensions %v", len(b.Values), b.Dims)
				}
			}
		}
		Align([]*Table{table, table}, Joining{Key: a.Name})
	}
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
