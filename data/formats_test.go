package data

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	heap "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// A sampled row of the table that is written in every format. NaN is a missing weight.
type sampled struct {
	ID     string   `parquet:"id"`
	Age    float64  `parquet:"age"`
	Weight *float64 `parquet:"weight,optional"`
	Visits int64    `parquet:"visits"`
	Smoker bool     `parquet:"smoker"`
	Site   string   `parquet:"site"`
}

func sample() []sampled {
	var out []sampled
	for i := range 50 {
		weight := 50 + 97*math.Mod(float64(i)*math.Phi, 1)
		s := sampled{ID: fmt.Sprintf("P%02d", i), Age: 20 + 61*math.Mod(float64(i)*math.Sqrt2, 1),
			Weight: &weight, Visits: int64(i % 7), Smoker: i%3 == 0, Site: []string{"north", "süd"}[i%2]}
		if i == 11 {
			s.Weight = nil
		}
		out = append(out, s)
	}
	return out
}

// delimited writes the sample with a separator, decimal mark and end of lines.
func delimited(by rune, decimal, end string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = by, end == "\r\n"
	number := func(v float64) string {
		return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), ".", decimal, 1)
	}
	rows := [][]string{{"id", "age", "weight", "visits", "smoker", "site"}}
	for _, s := range sample() {
		weight := ""
		if s.Weight != nil {
			weight = number(*s.Weight)
		}
		rows = append(rows, []string{s.ID, number(s.Age), weight, strconv.FormatInt(s.Visits, 10),
			map[bool]string{false: "0", true: "1"}[s.Smoker], s.Site})
	}
	if err := w.WriteAll(rows); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text) //nolint:errcheck // to memory
	w.Close()
	return b.Bytes()
}

func zstandard(text []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(text, nil)
}

// arrowOf writes the sample as an Arrow file or stream, the sites as a dictionary, in two batches.
func arrowOf(stream bool, o ...ipc.Option) []byte {
	site := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.LargeString},
		{Name: "age", Type: arrow.PrimitiveTypes.Float64},
		{Name: "weight", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "visits", Type: arrow.PrimitiveTypes.Int16}, {Name: "smoker", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "site", Type: site}}, nil)
	b := array.NewRecordBuilder(heap.DefaultAllocator, schema)
	var out bytes.Buffer
	o = append(o, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.RecordBatch) error
		io.Closer
	} = ipc.NewWriter(&out, o...)
	if !stream {
		w, _ = ipc.NewFileWriter(&out, o...)
	}
	for i, s := range sample() {
		b.Field(0).(*array.LargeStringBuilder).Append(s.ID)
		b.Field(1).(*array.Float64Builder).Append(s.Age)
		if weight := b.Field(2).(*array.Float64Builder); s.Weight == nil {
			weight.AppendNull()
		} else {
			weight.Append(*s.Weight)
		}
		b.Field(3).(*array.Int16Builder).Append(int16(s.Visits))
		b.Field(4).(*array.BooleanBuilder).Append(s.Smoker)
		if err := b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(s.Site); err != nil {
			panic(err)
		}
		if i == 19 || i == 49 {
			if err := w.Write(b.NewRecordBatch()); err != nil {
				panic(err)
			}
		}
	}
	w.Close()
	return out.Bytes()
}

// sqliteSample writes the sample as a database.
func sqliteSample(t *testing.T) string {
	statements := []string{"CREATE TABLE s(id TEXT, age REAL, weight REAL, visits INTEGER, smoker BOOLEAN, site TEXT)"}
	for _, s := range sample() {
		weight := "NULL"
		if s.Weight != nil {
			weight = strconv.FormatFloat(*s.Weight, 'g', -1, 64)
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO s VALUES ('%s', %v, %s, %d, %v, '%s')", s.ID,
			strconv.FormatFloat(s.Age, 'g', -1, 64), weight, s.Visits, s.Smoker, s.Site))
	}
	return sqliteOf(t, statements...)
}

// One data set gives the same values, bit for bit, whatever the format, and each says what is particular.
func TestFormatsAgree(t *testing.T) {
	dir := t.TempDir()
	var pq bytes.Buffer
	if err := parquet.Write(&pq, sample()); err != nil {
		t.Fatal(err)
	}
	plainText, german := delimited(',', ".", "\n"), delimited(';', ",", "\r\n")
	cases := []struct {
		file, format string
		text         []byte
	}{
		{"a.csv", "", plainText},
		{"b.csv", "", append([]byte("\ufeff"), delimited(',', ".", "\r\n")...)},
		{"c.tsv", "tabs", delimited('\t', ".", "\n")},
		{"d.txt", "tabs, decimal commas", delimited('\t', ",", "\n")},
		{"e.csv", "semicolons, decimal commas", german},
		{"f.csv", "semicolons", delimited(';', ".", "\n")},
		{"g.csv", "vertical bars, decimal commas", delimited('|', ",", "\n")},
		{"h.csv.gz", "gzip", gzipped(plainText)},
		{"i", "semicolons, decimal commas, zstd", zstandard(german)},
		{"j.parquet", "", pq.Bytes()},
		{"k.parquet.gz", "gzip", gzipped(pq.Bytes())},
		{"l.arrow", "", arrowOf(false)},
		{"m.feather", "", arrowOf(false, ipc.WithZstd())},
		{"n", "", arrowOf(true, ipc.WithLZ4())},
	}
	var want string
	for _, c := range cases {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := valuesOf(t, path, c.format); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s (%s) has other values:\n%s\nwant\n%s", c.file, c.format, got, want)
		}
	}
	if got := valuesOf(t, sqliteSample(t), ""); got != want {
		t.Errorf("SQLite has other values:\n%s\nwant\n%s", got, want)
	}
}

// valuesOf are the digests of all that declarations can read from a sample, and the texts of its keys.
func valuesOf(t *testing.T, path, format string) string {
	t.Helper()
	table, list := Open(path)
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	if table.Format != format {
		t.Errorf("%s is read as %q, want %q", path, table.Format, format)
	}
	of := func(encoder string, columns ...string) []FromItem {
		return []FromItem{{Encoder: encoder, Columns: columns}}
	}
	bound, list := Bind(View{Table: table, Key: "id"}, []Want{
		{Name: "age", Owner: "server", Rank: 1}, {Name: "weight", Owner: "server", Rank: 1, Impute: true},
		{Name: "Z", Owner: "server", Rank: 2, From: of("zscore", "age")},
		{Name: "visits", Owner: "server", Rank: 1, Elem: types.Count},
		{Name: "smoker", Owner: "server", Rank: 1, Elem: types.Binary},
		{Name: "site", Owner: "server", Rank: 1, Elem: types.Level}})
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	var out strings.Builder
	for _, name := range sorted(bound) {
		fmt.Fprintln(&out, name, bound[name].Digest(), bound[name].Gaps)
	}
	ids, err := table.reader.Texts("id")
	fmt.Fprintln(&out, ids, err)
	return out.String()
}

// A compressed file that is cut off or damaged is refused, as is one that is larger than the limit once it is
// unpacked, or whose columns would take more memory than they may.
func TestPackedFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	text := delimited(',', ".", "\n")
	for _, pack := range []func([]byte) []byte{gzipped, zstandard} {
		whole := pack(text)
		path := filepath.Join(dir, "t.csv")
		try := func(content []byte, most int64, want string) {
			t.Helper()
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			table, list := openFile(path, most, nil)
			if text := Errors(list).Error(); (want == "") != (table != nil) || !strings.Contains(text, want) {
				t.Errorf("%q, want %q", text, want)
			}
		}
		try(whole, 1e6, "")
		for cut := 5; cut < len(whole); cut += 97 {
			try(whole[:cut], 1e6, "damaged or not whole")
		}
		try(whole[:len(whole)-1], 1e6, "damaged or not whole")
		try(whole, int64(len(text)-1), "more bytes than the limit")
		wide := "c"
		for k := range 999 {
			wide += ",c" + strconv.Itoa(k)
		}
		try(pack([]byte(wide+strings.Repeat("\n", 1000))), 1e6, "in memory")
	}
}

// Formats that are not read are named, with the line that converts them.
func TestAliens(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"a.xlsx": `readxl::read_excel("a.xlsx")`, "b.rds": `readRDS("b.rds")`, "c.sav": "haven::read_spss",
		"d.dta": "pandas.read_stata", "e.sas7bdat": "haven::read_sas", "f.ods": "readODS", "g.jsonl": "lines=True",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("anything"), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, path, want)
	}
	for begins, want := range map[string]string{"PK\x03\x04": "an Excel workbook", "FEA1": "Feather file of version 1",
		"\xff\xfea\x00": "iconv", "BZh9": "bunzip2", "SQLite format 3\x00": "sqlite:", "$FL2": "SPSS",
		"\x1f\x8b": "damaged or not whole", "ARROW1": "no Arrow file", "PAR1": "no Parquet file",
		"\xff\xff\xff\xff\xff\xff\xff\x7f": "Arrow file"} {
		path := filepath.Join(dir, "unnamed")
		if err := os.WriteFile(path, []byte(begins), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, path, want)
	}
}

func refused(t *testing.T, path, want string) {
	t.Helper()
	_, list := Open(path)
	if text := Errors(list).Error(); len(list) != 1 || list[0].Code != diag.Unreadable ||
		!strings.Contains(text, want) {
		t.Errorf("%s: %q, want %q", path, text, want)
	}
}

// Damaged Arrow files give an error or a table, and take no more memory than they may.
func FuzzArrow(f *testing.F) {
	f.Add(arrowOf(false))
	f.Add(arrowOf(true, ipc.WithZstd()))
	whole := arrowOf(false, ipc.WithLZ4())
	for at := 0; at < len(whole); at += len(whole) / 16 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x55
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		columns, err := arrowColumns(text, decoding{most: 1 << 20})
		if err == nil {
			table, list := (&memory{name: "t.arrow", columns: columns}).Read()
			if (table == nil) != list.HasErrors() {
				t.Fatalf("a table and errors, or neither: %v", Errors(list))
			}
		}
	})
}

// Counts of an Arrow file that name more than it holds are refused before anything is reserved for them.
func TestArrowCounts(t *testing.T) {
	for _, stream := range []bool{false, true} {
		whole := arrowOf(stream, ipc.WithZstd())
		for at := 0; at+4 <= len(whole); at += 4 {
			for _, count := range []uint32{0x00ffffff, 0x08400000, 0x7fffffff} {
				damaged := bytes.Clone(whole)
				binary.LittleEndian.PutUint32(damaged[at:], count)
				before := allocated()
				_, _ = arrowColumns(damaged, decoding{most: 1 << 20})
				if took := allocated() - before; took > 64<<20 {
					t.Errorf("%d at byte %d takes %d bytes", count, at, took)
				}
			}
		}
	}
}

// allocated returns how many bytes the program has reserved since it began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
