package data

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// column1 binds one column of one table through an encoder.
func column1(t testing.TB, cells []string, encoder string, options ...Option) *BoundValue {
	t.Helper()
	table := mustCSV(t, "x\n"+strings.Join(cells, "\n")+"\n")
	bound, list := Bind(View{Table: table}, []Want{{Name: "X", Owner: "server", Rank: 2,
		From: []FromItem{{Encoder: encoder, Columns: []string{"x"}, Options: options}}}})
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	return bound["X"]
}

func texts(v []float64) []string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = fmt.Sprint(x)
	}
	return out
}

func TestEncodersClosedForms(t *testing.T) {
	for _, x := range []struct {
		encoder string
		cells   []string
		want    []float64
	}{
		// sd with divisor n-1 is 1
		{"zscore", []string{"1", "2", "3"}, []float64{-1, 0, 1}},
		{"zscore", []string{"0", "2"}, []float64{-1 / math.Sqrt2, 1 / math.Sqrt2}}, // sd √2
		{"center", []string{"1", "2", "6"}, []float64{-2, -1, 3}},                  // mean 3
		// no cancellation
		{"center", []string{"1e15", "1000000000000001", "1000000000000002"}, []float64{-1, 0, 1}},
		{"log", []string{"1", "2.718281828459045", "0.5"}, []float64{0, 1, -math.Ln2}}, //
		// bytes: B a b
		{"onehot", []string{"b", "a", "B"}, []float64{0, 0, 1, 0, 1, 0, 1, 0, 0}},
		// numbers: 9 10
		{"onehot", []string{"10", "9", "9.0"}, []float64{0, 1, 1, 1, 0, 0}},
		// one word: bytes again
		{"onehot", []string{"10", "9", "x"}, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
		{"onehot", []string{"-0", "0", "1e0"}, []float64{1, 1, 0, 0, 0, 1}}, // one zero
		{"", []string{"1.5", "-2", " 3e2"}, []float64{1.5, -2, 300}},        //
	} {
		got := column1(t, x.cells, x.encoder).Values
		for i := range x.want {
			if math.Abs(got[i]-x.want[i]) > 1e-15*math.Max(1, math.Abs(x.want[i])) {
				t.Errorf("%s of %v: %v, want %v", x.encoder, x.cells, got, x.want)
				break
			}
		}
	}
}

func TestOnehotDropsTheFirst(t *testing.T) {
	b := column1(t, []string{"b", "a", "c"}, "onehot", Option{"drop", "first"})
	if !slices.Equal(b.ColumnNames, []string{"x=b", "x=c"}) ||
		!slices.Equal(b.Values, []float64{1, 0, 0, 0, 0, 1}) {
		t.Errorf("%v %v", b.ColumnNames, b.Values)
	}
}

// zscore gives mean 0 and standard deviation 1, and the fitted mean and scale undo it.
func TestZscoreStandardises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.Float64Range(-1e6, 1e6).Draw(t, "shift")
		x := rapid.SliceOfNDistinct(rapid.Float64Range(-1e3, 1e3), 3, 30, func(v float64) int {
			return int(v)
		}).Draw(t, "x")
		for i := range x {
			x[i] += shift
		}
		table, list := ReadCSV("t.csv", []byte("x\n"+strings.Join(texts(x), "\n")))
		if table == nil {
			t.Fatal(Errors(list))
		}
		bound, list := Bind(View{Table: table},
			[]Want{{Name: "z", Owner: "server", Rank: 1,
				From: []FromItem{{Encoder: "zscore", Columns: []string{"x"}}}}})
		if len(list) > 0 {
			t.Fatal(Errors(list))
		}
		z, f := bound["z"].Values, bound["z"].Encoders[0]
		if m := meanOf(z); math.Abs(m) > 1e-9 {
			t.Fatalf("mean %v", m)
		}
		if s := math.Sqrt(sumOfSquares(z) / float64(len(z)-1)); math.Abs(s-1) > 1e-9 {
			t.Fatalf("standard deviation %v", s)
		}
		for i := range z {
			if back := f.Numbers[0] + f.Numbers[1]*z[i]; math.Abs(back-x[i]) > 1e-9*(1+math.Abs(x[i])) {
				t.Fatalf("%v comes back as %v", x[i], back)
			}
		}
	})
}

// A recipe that has been written to JSON and read back gives the same values for the same rows, also row by
// row.
func TestRecipesAreKept(t *testing.T) {
	table := mustCSV(t, "age,sex,g,d,y\n30,F,west,0.1,true\n41,M,east,0.2,false\n53,F,north,0.7,1\n")
	columns := []FromItem{{Encoder: "zscore", Columns: []string{"age"}},
		{Encoder: "onehot", Columns: []string{"sex"}},
		{Encoder: "log", Columns: []string{"d"}}, {Encoder: "center", Columns: []string{"d"}},
		{Columns: []string{"d"}},
		{Encoder: "onehot", Columns: []string{"g"}, Options: []Option{{"drop", "first"}}},
		{Encoder: "poly", Columns: []string{"age"}, Further: []string{"2"}},
		{Encoder: "spline", Columns: []string{"age"}, Options: []Option{{"df", "2"}}},
		{Encoder: "interact", Columns: []string{"age", "sex"}},
		{Encoder: "interact", Columns: []string{"g", "sex"}},
		{Encoder: "interact", Columns: []string{"age", "d"}},
		{Encoder: "is", Columns: []string{"g"}, Further: []string{"west"}}}
	bound, list := Bind(View{Table: table}, []Want{
		{Name: "X", Owner: "server", Rank: 2, From: columns},
		{Name: "g", Owner: "server", Elem: types.Level, Rank: 1},
		{Name: "y", Owner: "server", Elem: types.Binary, Rank: 1},
	})
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	for name, b := range bound {
		text, err := json.Marshal(b.Recipe)
		if err != nil {
			t.Fatal(err)
		}
		var back Recipe
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		again, list := back.Apply(View{Table: table})
		if diff := cmp.Diff(b, again); diff != "" || len(list) > 0 {
			t.Errorf("%s: %v %s", name, Errors(list), diff)
		}
		for i := range 3 {
			var lines []string
			for _, a := range table.Arrays {
				lines = append(lines, column{View{Table: table}, a}.text(i))
			}
			one, list := back.Apply(View{Table: mustCSV(t, "age,sex,g,d,y\n"+strings.Join(lines, ",")+"\n")})
			if len(list) > 0 {
				t.Fatal(Errors(list))
			}
			for k, v := range one.Values {
				if v != b.Values[k*3+i] {
					t.Errorf("%s: row %d gives %v alone, %v among the others", name, i, one.Values, b.Values)
				}
			}
		}
	}
}

// Made has one map for each column of a value: it takes the cells of a column to its numbers where the
// encoder is affine, and changes nothing elsewhere.
func TestMadeColumnByColumn(t *testing.T) {
	table := mustCSV(t, "age,sex,g,d\n30,F,west,0.1\n41,M,east,0.2\n55,F,north,0.7\n")
	bound, list := Bind(View{Table: table}, []Want{
		{Name: "X", Owner: "server", Rank: 2, From: []FromItem{{Encoder: "onehot", Columns: []string{"g"}},
			{Encoder: "zscore", Columns: []string{"age"}}, {Columns: []string{"d"}},
			{Encoder: "log", Columns: []string{"d"}},
			{Encoder: "center", Columns: []string{"d"}}, {Encoder: "poly", Columns: []string{"age"},
				Further: []string{"2"}}}},
		{Name: "z", Owner: "server", Rank: 1, From: []FromItem{{Encoder: "center", Columns: []string{"age"}}}},
		{Name: "sex", Owner: "server", Elem: types.Level, Rank: 1},
	})
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	same := def.Rescaling{Scale: 1}
	sd := math.Sqrt((144.0 + 1 + 169) / 2)
	for name, want := range map[string][]def.Rescaling{
		"X": {same, same, same, {Center: 42, Scale: sd}, same, same, {Center: 1.0 / 3, Scale: 1}, same,
			same},
		"z":   {{Center: 42, Scale: 1}},
		"sex": {same},
	} {
		if diff := cmp.Diff(want, bound[name].Made(), cmpopts.EquateApprox(0, 1e-15)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	document, list := ReadJSON("d.json", []byte(`{"M": [[1, 2, 3], [4, 5, 9]]}`))
	if document == nil {
		t.Fatal(Errors(list))
	}
	bound, list = Bind(View{Table: document},
		[]Want{{Name: "M", Owner: "server", Rank: 2,
			From: []FromItem{{Encoder: "center", Columns: []string{"M"}}}}})
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	if diff := cmp.Diff(slices.Repeat([]def.Rescaling{{Center: 4, Scale: 1}}, 3),
		bound["M"].Made()); diff != "" {
		t.Errorf("a matrix of a document: %s", diff)
	}
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func sumOfSquares(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return sum
}
