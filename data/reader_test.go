package data

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// longCSV is a text of several buffers, with quotes, line breaks in cells, blank lines and cells of every
// length.
func longCSV(r *rand.Rand) []byte {
	var out bytes.Buffer
	for out.Len() < 3*scanBuffer {
		for k := range 3 {
			cell := strings.Repeat("é1", r.IntN(1+r.IntN(60)))
			switch r.IntN(5) {
			case 0:
				cell = `"` + cell + ",\n\"\"" + cell + `"`
			case 1:
				cell = ""
			}
			out.WriteString(cell)
			out.WriteString([]string{",", ",", "\n"}[k])
		}
		if r.IntN(10) == 0 {
			out.WriteString("\r\n")
		}
	}
	return out.Bytes()
}

// Records are those of encoding/csv, with the lines where they start, for any division of the text into
// reads.
func TestRecordsAreThoseOfEncodingCSV(t *testing.T) {
	text := longCSV(rand.New(rand.NewPCG(1, 1)))
	for name, source := range map[string]io.Reader{
		"whole": bytes.NewReader(text), "halves": iotest.HalfReader(bytes.NewReader(text)),
		"with EOF": iotest.DataErrReader(bytes.NewReader(text)),
		"bytes":    iotest.OneByteReader(bytes.NewReader(text[:scanBuffer+1000])),
	} {
		t.Run(name, func(t *testing.T) {
			s, want := newScanner(source, ','), csv.NewReader(bytes.NewReader(text))
			want.FieldsPerRecord = -1
			for n := 0; ; n++ {
				got, line, err := s.next()
				fields, wantErr := want.Read()
				if err == io.EOF && n > 1000 {
					return
				}
				if err != nil || wantErr != nil {
					t.Fatalf("record %d: %v, want %v", n, err, wantErr)
				}
				if at, _ := want.FieldPos(0); !slices.Equal(texted(got), fields) && name != "bytes" ||
					at != line {
					t.Fatalf("record %d: %q on line %d, want %q on line %d", n, got, line, fields, at)
				}
			}
		})
	}
}

func texted(fields [][]byte) []string {
	var out []string
	for _, f := range fields {
		out = append(out, string(f))
	}
	return out
}

// Any text is split as by encoding/csv, or has its error on the same line.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2", "\"a\"\"\n,\",b\r\n", "a\"b", "\"a\"b", "\"a", "\r\r\n,\n\n",
		"\"\r\n\"", ",\"", "a\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "\ufeff") {
			return // encoding/csv reads the mark as text
		}
		s, want := newScanner(strings.NewReader(text), ','), csv.NewReader(strings.NewReader(text))
		want.FieldsPerRecord = -1
		for {
			got, line, err := s.next()
			fields, wantErr := want.Read()
			if (err == nil) != (wantErr == nil) || (err == io.EOF) != (wantErr == io.EOF) {
				t.Fatalf("%v, want %v", err, wantErr)
			}
			if wantErr != nil {
				if bad, ok := wantErr.(*csv.ParseError); ok && bad.StartLine != line {
					t.Fatalf("refused on line %d, want %d", line, bad.StartLine)
				}
				return
			}
			if at, _ := want.FieldPos(0); !slices.Equal(texted(got), fields) || at != line {
				t.Fatalf("%q on line %d, want %q on line %d", got, line, fields, at)
			}
		}
	})
}

// A character that is divided between two reads is valid; an incomplete one is reported on its line.
func TestUTF8AcrossBuffers(t *testing.T) {
	for shift := range 4 {
		text := "x\n" + strings.Repeat("a", shift) + strings.Repeat("€", scanBuffer) + "\n"
		if _, list := ReadCSV("t.csv", []byte(text)); list.HasErrors() {
			t.Errorf("shift %d: %v", shift, Errors(list))
		}
		for _, tail := range []string{"\xe2\x82", "\xe2\x82\n", "\xe2\x82\n1,2,3\n", "\xff"} {
			_, list := ReadCSV("t.csv", []byte(text+tail))
			if len(list) != 1 || list[0].Code != diag.BadCSV || list[0].Data != "t.csv:3" {
				t.Errorf("shift %d, %q: %v", shift, tail, Errors(list))
			}
		}
	}
}

// Line numbers with any steps are stored.
func TestLinesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l lines
		var want []int
		line := 1
		for _, step := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 1, 1, 2, 5}), 1, 40).Draw(t,
			"steps") {
			line += step
			want = append(want, line)
			l.add(line)
		}
		for i, line := range want {
			if l.at(i) != line {
				t.Fatalf("element %d is on line %d, want %d", i, l.at(i), line)
			}
		}
	})
}

// lateWord is a column of numbers with one word far down.
func lateWord(rows, at int) string {
	var out strings.Builder
	out.WriteString("x,g,z\n")
	for i := range rows {
		word := "1.0"
		if i == at {
			word = "high"
		} else if i%2 == 0 {
			word = "1"
		}
		fmt.Fprintf(&out, "%d,%s,%d\n", i, word, -i)
	}
	return out.String()
}

// A column with a word after many numbers is a column of words, as they are written, and the other columns
// stay numbers.
func TestLateWord(t *testing.T) {
	table := mustCSV(t, lateWord(5000, 4000))
	bind := func(from ...FromItem) (*BoundValue, diag.List) {
		bound, list := Bind(View{Table: table}, []Want{{Name: "X", Owner: "server", Rank: 2, From: from}})
		return bound["X"], list
	}
	_, list := bind(FromItem{Columns: []string{"g"}})
	if len(list) != 1 || list[0].Code != diag.NotNumber || list[0].Data != "t.csv:4002" ||
		!strings.Contains(list[0].Message, `"high"`) {
		t.Errorf("taken for numbers: %v", Errors(list))
	}
	b, list := bind(FromItem{Encoder: "onehot", Columns: []string{"g"}}, FromItem{Columns: []string{"x"}},
		FromItem{Columns: []string{"z"}})
	if len(list) > 0 || !slices.Equal(b.ColumnNames, []string{"g=1", "g=1.0", "g=high", "x", "z"}) {
		t.Fatalf("%v %v", b, Errors(list))
	}
	for i := range 5000 {
		high, x, z := b.Values[2*5000+i], b.Values[3*5000+i], b.Values[4*5000+i]
		if (high == 1) != (i == 4000) || x != float64(i) || z != -x {
			t.Fatalf("row %d: %v %v %v", i, high, x, z)
		}
	}
}

// A file that has changed when it is read again is an error, never other values.
func TestFilesThatChange(t *testing.T) {
	for name, texts := range map[string][]string{
		"late words": {lateWord(50, 40), lateWord(50, 40), lateWord(60, 40)},
		"longer":     {lateWord(50, 50), lateWord(60, 60)},
	} {
		f := &csvFile{name: "t.csv", open: func() (io.ReadCloser, error) {
			text := texts[0]
			texts = texts[1:]
			return io.NopCloser(strings.NewReader(text)), nil
		}}
		if _, list := f.Read(); len(list) != 1 || list[0].Code != diag.Unreadable {
			t.Errorf("%s: %v", name, Errors(list))
		}
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("x,id\n1.50,007\n2,008\n")
	table, list := Open(path)
	if table == nil {
		t.Fatal(Errors(list))
	}
	write("x\n1\n")
	if _, list := Align([]*Table{table}, Joining{Key: "id"}); len(list) != 1 ||
		list[0].Code != diag.Unreadable {
		t.Errorf("keys: %v", Errors(list))
	}
	_, list = Bind(View{Table: table}, []Want{{Name: "x", Owner: "server", Elem: types.Int, Rank: 1}})
	if len(list) != 1 || list[0].Code != diag.NotWhole || !strings.Contains(list[0].Message, `"1.5"`) {
		t.Errorf("a cell that is quoted: %v", Errors(list))
	}
}

// Columns in memory are bound as the same columns of a file, in the order of their keys, and are not changed.
func TestColumnsInMemory(t *testing.T) {
	x, g := []float64{3, 1.25, 2}, []string{"b", "a", "b"}
	id := []float64{30, 1000000, 20}
	text := "id,x,g\n"
	for i := range x {
		text += strings.Join([]string{strconv.Itoa(int(id[i])), fmt.Sprint(x[i]), g[i]}, ",") + "\n"
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	wants := []Want{{Name: "X", Owner: "server", Rank: 2,
		From: []FromItem{{Encoder: "zscore", Columns: []string{"x"}}, {Columns: []string{"x"}}}},
		{Name: "g", Owner: "server", Elem: types.Level, Rank: 1}, {Name: "x", Owner: "server", Rank: 1}}
	memory := Columns("memory", Values{Name: "id", Numbers: id}, Values{Name: "x", Numbers: x},
		Values{Name: "g", Words: g})
	var bound []Bindings
	var digests []string
	for _, s := range []Source{{Tables: []Reader{memory}}, {Files: []string{path}}} {
		s.PartyRef = PartyRef{Name: "server"}
		set, list := Load(Sources{s}, wants, Joining{Key: "id"})
		if set == nil {
			t.Fatal(Errors(list))
		}
		values, list := set.Bind(wants)
		if len(list) > 0 {
			t.Fatal(Errors(list))
		}
		bound, digests = append(bound, values["server"]), append(digests, set.Joins[0].Digest)
	}
	if diff := cmp.Diff(bound[1], bound[0]); diff != "" || digests[0] != digests[1] {
		t.Errorf("(-file +memory) %s, digests %v", diff, digests)
	}
	if !slices.Equal(x, []float64{3, 1.25, 2}) || !slices.Equal(bound[0]["x"].Values, []float64{2, 3, 1.25}) {
		t.Errorf("%v in memory, bound %v", x, bound[0]["x"].Values)
	}
}

func TestWrongColumnsInMemory(t *testing.T) {
	for _, x := range []struct {
		code    diag.Code
		columns []Values
	}{
		{diag.EmptyTable, nil},
		{diag.EmptyTable, []Values{{Name: "x"}}},
		{diag.DuplicateColumn, []Values{{Name: "x", Numbers: []float64{1}},
			{Name: "x", Numbers: []float64{2}}}},
		{diag.DuplicateColumn, []Values{{Numbers: []float64{1}}}},
		{diag.DataShape, []Values{{Name: "x", Numbers: []float64{1, 2}}, {Name: "g", Words: []string{"a"}}}},
	} {
		if table, list := Columns("m", x.columns...).Read(); table != nil || len(list) != 1 ||
			list[0].Code != x.code {
			t.Errorf("%v: %v", x.columns, Errors(list))
		}
	}
	table, _ := Columns("m", Values{Name: "x", Numbers: []float64{1, math.Inf(1), math.NaN()}}).Read()
	_, list := Bind(View{Table: table}, []Want{{Name: "x", Owner: "server", Rank: 1}})
	if len(list) != 1 || list[0].Code != diag.NonFinite || list[0].Data != "m:2" {
		t.Errorf("numbers that are not finite: %v", Errors(list))
	}
}

// Binding changes no table: the same declaration has the same value again, whatever else was bound in
// between.
func TestBindingLeavesTheTable(t *testing.T) {
	table := mustCSV(t, "a,b,c\n1,2,3\n4,5,6\n")
	star := []Want{{Name: "X", Owner: "server", Rank: 2}}
	before, _ := Bind(View{Table: table}, star)
	want := slices.Clone(before["X"].Values)
	Bind(View{Table: table},
		[]Want{{Name: "Z", Owner: "server", Rank: 2,
			From: []FromItem{{Encoder: "zscore", Columns: []string{"a"}},
				{Encoder: "log", Columns: []string{"c"}}}},
			{Name: "n", Owner: "server", Elem: types.Binary, Rank: 1,
				From: []FromItem{{Columns: []string{"b"}}}}})
	after, _ := Bind(View{Table: table}, star)
	if !slices.Equal(want, []float64{1, 4, 2, 5, 3, 6}) || !slices.Equal(after["X"].Values, want) {
		t.Errorf("%v, then %v", want, after["X"].Values)
	}
}

// BenchmarkLoad reads a CSV of numbers with shuffled keys, sorts its rows and binds a matrix. bench/load
// measures a whole process.
func BenchmarkLoad(b *testing.B) {
	for _, digits := range []int{4, -1} {
		b.Run(fmt.Sprintf("digits=%d", digits), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.csv")
			r := rand.New(rand.NewPCG(1, 2))
			const rows, columns = 50_000, 20
			text := []byte("id")
			for k := range columns {
				text = fmt.Appendf(text, ",x%d", k)
			}
			for _, id := range r.Perm(rows) {
				text = fmt.Appendf(text, "\n%d", id)
				for range columns {
					text = strconv.AppendFloat(append(text, ','), r.NormFloat64(), 'f', digits, 64)
				}
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				set, list := Load(Sources{{PartyRef: PartyRef{Name: "server"}, Files: []string{path}}}, nil,
					Joining{Key: "id"})
				if set == nil {
					b.Fatal(Errors(list))
				}
				if _, list := set.Bind([]Want{{Name: "X", Owner: "server", Rank: 2}}); len(list) > 0 {
					b.Fatal(Errors(list))
				}
			}
		})
	}
}

// A NUL byte is refused in the line where it is.
func TestNULBytes(t *testing.T) {
	_, list := ReadCSV("t.csv", []byte("y,x\n1,\x00\n2,\x00\x00\n"))
	if len(list) != 1 || list[0].Code != diag.BadCSV || list[0].Data != "t.csv:2" {
		t.Errorf("%v", Errors(list))
	}
}

// A row that no table has ends the reading, and a message shows no cell of millions of characters.
func TestLongRows(t *testing.T) {
	for text, want := range map[string]string{
		"y\n1\n" + strings.Repeat("1", mostRecord+1) +
			"\n2\n": "t.csv:3: a row of more than 64 MB",
		"y\n1\n\"" + strings.Repeat("12345\n", mostRecord/6+1) +
			"2\n": "t.csv:3: a row of more than 64 MB",
		strings.Repeat("y",
			mostRecord+1): "t.csv:1: a row of more than 64 MB",
		"y,y" + strings.Repeat("y", 1<<20) + ",y" + strings.Repeat("y", 1<<20) +
			"\n1,1\n": "the name appears twice in the header",
	} {
		_, list := ReadCSV("t.csv", []byte(text))
		if len(list) == 0 {
			t.Errorf("%.80q is read", text)
			continue
		}
		if shown := list[0].Data + ": " + list[0].Message; !strings.Contains(shown, want) ||
			len(shown) > 2*mostShown {
			t.Errorf("%.80q: %.200s", text, shown)
		}
	}
}
