//go:build !light

package data

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/vflc/vflc/lang/diag"
)

type visit struct {
	ID    int64    `parquet:"id"`
	Age   *float64 `parquet:"age,optional"`
	Site  string   `parquet:"site,dict"`
	Count int32    `parquet:"count"`
	Seen  bool     `parquet:"seen"`
	Key   int64    `parquet:"key"`
}

// parquetOf writes rows to a file.
func parquetOf[T any](t testing.TB, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

// A Parquet file gives the columns of the same table as CSV, with the texts of keys that no float64 holds.
func TestParquet(t *testing.T) {
	age := 31.5
	path := parquetOf(t, []visit{{1, &age, "north", 2, true, 1<<60 + 1}, {2, nil, "south", 0, false, 1 << 60},
		{3, &age, "north", -1, true, 7}})
	got, list := Open(path)
	if len(list) > 0 {
		t.Fatal(list)
	}
	want, list := ReadCSV("t.csv",
		[]byte("id,age,site,count,seen,key\n1,31.5,north,2,1,1152921504606846977\n2,,south,0,0,1152921504606846976\n3,31.5,north,-1,1,7\n"))
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, w := range want.Arrays {
		g, ok := got.Array(w.Name)
		if !ok {
			t.Fatalf("no column %s", w.Name)
		}
		texts, err := got.reader.Texts(w.Name)
		if err != nil {
			t.Fatal(err)
		}
		wanted, _ := want.reader.Texts(w.Name)
		if w.Name != "key" && !slices.EqualFunc(g.Numbers, w.Numbers, func(a, b float64) bool {
			return a == b || math.IsNaN(a) && math.IsNaN(b)
		}) || !slices.Equal(g.Words, w.Words) && w.Name != "key" {
			t.Errorf("%s is %v %v, want %v %v", w.Name, g.Numbers, g.Words, w.Numbers, w.Words)
		}
		if w.Name != "age" && !slices.Equal(texts, wanted) {
			t.Errorf("%s reads %q, want %q", w.Name, texts, wanted)
		}
	}
}

// What cannot be a column of a table is refused by its name; a damaged file is an error and no panic.
func TestParquetRefuses(t *testing.T) {
	type nested struct {
		ID   int64 `parquet:"id"`
		Tags []string
	}
	type dated struct {
		Day int32 `parquet:"day,date"`
	}
	whole := parquetOf(t, []visit{{ID: 1, Site: "a"}, {ID: 2, Site: "b"}})
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for want, path := range map[string]string{
		"column Tags is nested":   parquetOf(t, []nested{{1, []string{"a"}}}),
		"column day is of type":   parquetOf(t, []dated{{3}}),
		"is no Parquet file":      fileOf(t, []byte("id,x\n1,2\n")),
		"there is no such file":   filepath.Join(t.TempDir(), "none.parquet"),
		"the table has no rows":   parquetOf(t, []visit{}),
		"is no Parquet file, or ": fileOf(t, text[:len(text)/2]),
	} {
		if _, list := Open(path); len(list) == 0 || !strings.Contains(list[0].Message, want) {
			t.Errorf("%s: %v", want, list.Shown())
		}
	}
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x5a
		columns, err := parquetColumns(damaged, decoding{most: maxDecoded})
		if err == nil && len(columns) > 6 {
			t.Errorf("byte %d: %d columns", i, len(columns))
		}
	}
}

// A file is judged by its footer: a megabyte of equal rows that would fill the memory is refused before any
// row is read, and what is read is no more than the footer says.
func TestParquetIsJudgedByItsFooter(t *testing.T) {
	type row struct {
		X float64 `parquet:"x,dict"`
		Y float64 `parquet:"y,dict"`
	}
	const rows = 200_000
	text, err := os.ReadFile(parquetOf(t, make([]row, rows)))
	if err != nil || len(text) > rows {
		t.Fatal(err, len(text))
	}
	if _, err := parquetColumns(text, decoding{most: 16*rows - 1}); err == nil ||
		!strings.Contains(err.Error(),
			"has 200,000 rows of 2 columns by its footer, which would take 3 MB in memory, more than the "+
				"limit of 3 MB: leave out") {
		t.Error(err)
	}
	columns, err := parquetColumns(text, decoding{most: 16 * rows})
	if err != nil || len(columns[1].Numbers) != rows {
		t.Error(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := cellsOf(file.Schema())
	if err != nil {
		t.Fatal(err)
	}
	room := int64(0)
	for _, n := range []int64{rows / 2, rows + 1} {
		if err := cells[0].read(file.RowGroups()[0].ColumnChunks()[0], n, &room); err == nil ||
			len(cells[0].numbers) > rows*3/2 {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}

// Texts that are alike share their memory, others have a limit, and columns nested in one another are refused
// before the decoder names them.
func TestParquetFillsNoMemory(t *testing.T) {
	type named struct {
		ID string `parquet:"id"`
	}
	alike, others := make([]named, 1000), make([]named, 1000)
	for i := range alike {
		alike[i].ID, others[i].ID = strings.Repeat("a", 1000), fmt.Sprintf("%01000d", i)
	}
	const most = 100_000 // more than the rows take, and less than the characters
	for want, rows := range map[string][]named{"": alike, "the texts of the table take more memory": others} {
		text, err := os.ReadFile(parquetOf(t, rows))
		if err != nil {
			t.Fatal(err)
		}
		columns, err := parquetColumns(text, decoding{most: most})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			continue
		}
		if err != nil || unsafe.StringData(columns[0].Words[0]) != unsafe.StringData(columns[0].Words[999]) {
			t.Error(err, "a text that is repeated is stored again")
		}
	}
	node := parquet.Leaf(parquet.DoubleType)
	for range 3000 {
		node = parquet.Group{"a": node}
	}
	var deep bytes.Buffer
	if err := parquet.NewWriter(&deep, parquet.NewSchema("t", parquet.Group{"y": node})).Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parquetColumns(deep.Bytes(), decoding{most: maxDecoded})
	runtime.ReadMemStats(&after)
	if err == nil || err.Error() != "column y is nested; a table has flat columns" ||
		after.TotalAlloc-before.TotalAlloc > 10<<20 {
		t.Error(err, after.TotalAlloc-before.TotalAlloc)
	}
}

// No text has a NUL, and no number but 0 is read as 0.
func TestCellsThatLookLikeOthers(t *testing.T) {
	type named struct {
		ID string `parquet:"id"`
	}
	for name, read := range map[string]func() (*Table, diag.List){
		"CSV": func() (*Table, diag.List) { return ReadCSV("t.csv", []byte("id,x\na,1\nb\x00c,2\n")) },
		"JSON": func() (*Table, diag.List) {
			return ReadJSON("t.json", []byte(`{"id": ["a", "b\u0000c"]}`))
		},
		"Parquet": func() (*Table, diag.List) { return Open(parquetOf(t, []named{{"a"}, {"b\x00c"}})) },
	} {
		table, list := read()
		if table != nil {
			a, _ := table.Array("id")
			if a.problem != "" {
				continue // a declaration that binds it gets it
			}
		}
		if len(list) == 0 {
			t.Errorf("%s: a NUL is taken", name)
		}
	}
	for cell, bad := range map[string]bool{"1e-400": true, "-0.1e-400": true, "0e-400": false, "0": false,
		"-0.000": false, "1e-320": false, "0.0000000000000000000000000001e-400": true} {
		if _, is := number(cell); is.bad() != bad {
			t.Errorf("%s: %v", cell, is)
		}
		if _, ok := decimal([]byte(cell)); ok == bad {
			t.Errorf("%s is read fast: %v", cell, ok)
		}
	}
}

func fileOf(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Damaged Parquet files give an error or columns, and take no more memory than they may.
func FuzzParquet(f *testing.F) {
	age := 41.0
	whole, err := os.ReadFile(parquetOf(f, []visit{{1, &age, "north", 2, true, 1<<60 + 1}, {ID: 2, Site: "south"}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for at := range whole {
		f.Add(slices.Concat(whole[:at], []byte{0xfe, 0xff, 0xff, 0xff, 0x0f}, whole[min(at+5, len(whole)):]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := allocated()
		if columns, err := parquetColumns(text, decoding{most: 1 << 20}); err == nil && len(columns) > 6 {
			t.Fatalf("%d columns", len(columns))
		}
		if took := allocated() - before; took > 2*pageSize {
			t.Fatalf("takes %d bytes", took)
		}
	})
}
