package encoder

import (
	standard "cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/stdlib/def"
)

// apply encodes a column in which no cell may be faulty.
func apply(t *testing.T, e def.Encoder, c []def.Column, f *def.Fitted) [][]float64 {
	t.Helper()
	out := make([][]float64, len(e.Names(namesOfColumns(c), f)))
	for k := range out {
		out[k] = make([]float64, c[0].Len())
	}
	e.Apply(c, f, out, func(i int, why def.Fault) { t.Errorf("%s: cell %d %s", e.Name, i, why.Text) })
	return out
}

// namesOfColumns lists the names of columns.
func namesOfColumns(c []def.Column) (out []string) {
	for _, column := range c {
		out = append(out, column.Name)
	}
	return out
}

func fit(t *testing.T, e def.Encoder, c []def.Column, f *def.Fitted) {
	t.Helper()
	if e.Fit == nil {
		return
	}
	if fault := e.Fit(c, f); fault != nil {
		t.Fatalf("%s: %s", e.Name, fault.Text)
	}
}

// Every encoder is documented, with an example that calls it, and options that have a description.
func TestEveryEncoderIsDocumented(t *testing.T) {
	for _, e := range All() {
		if e.Doc == "" || len(e.Examples) == 0 || len(cases()[e.Name]) == 0 || e.Columns.Allows(0) {
			t.Errorf("%s: documentation, an example, a test vector and a column are needed", e.Name)
		}
		for _, x := range e.Examples {
			if !strings.Contains(x, e.Name+"(") {
				t.Errorf("%s: the example %q does not call it", e.Name, x)
			}
		}
		for _, o := range e.Options {
			if o.Doc == "" || !o.Allows(o.Example()) || o.Allows("-1") && !o.Word && !o.Number {
				t.Errorf("%s: option %s needs documentation and values", e.Name, o.Name)
			}
		}
	}
}

// A fitted encoder, kept as JSON, gives the same columns from the same column, and from each single cell.
func TestEveryEncoderIsKept(t *testing.T) {
	for _, e := range All() {
		for _, x := range cases()[e.Name] {
			c, options, f := x.In, x.Options, def.Fitted{Options: x.Options}
			fit(t, e, c, &f)
			want := apply(t, e, c, &f)
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			var back def.Fitted
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, apply(t, e, c, &back)); diff != "" {
				t.Errorf("%s %v: (-before +after) %s", e.Name, options, diff)
			}
			for i := range c[0].Len() {
				for k, column := range apply(t, e, cell(c, i), &back) {
					if column[0] != want[k][i] {
						t.Errorf("%s %v: cell %d gives %v alone, %v among the others", e.Name, options, i,
							column[0], want[k][i])
					}
				}
			}
		}
	}
}

// An encoder that says that it is an affine map gives each cell the number of this map, bit for bit.
func TestAffineEncodersAreTheirMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 3))
	v := make([]float64, 200)
	for i := range v {
		v[i] = math.Round(1e5*r.NormFloat64())/100 + 1e4
	}
	checked := 0
	for _, e := range All() {
		if e.Affine == nil {
			continue
		}
		checked++
		f := def.Fitted{Options: settings(e)}
		fit(t, e, numbers(v...), &f)
		a := e.Affine(&f)
		for i, got := range apply(t, e, numbers(v...), &f)[0] {
			if want := (v[i] - a.Center) / a.Scale; got != want || !e.Elementwise {
				t.Errorf("%s of %v is %v, its map gives %v", e.Name, v[i], got, want)
			}
		}
	}
	if checked == 0 {
		t.Error("no encoder is affine")
	}
}

// settings are some that an encoder allows.
func settings(e def.Encoder) map[string]string {
	out := map[string]string{}
	for _, o := range e.Options {
		if out[o.Name] = o.Example(); o.Word {
			out[o.Name] = "0.1"
		}
	}
	return out
}

// cell returns columns with one cell of others.
func cell(c []def.Column, i int) (out []def.Column) {
	for _, c := range c {
		if c.Words != nil {
			c.Codes = c.Codes[i : i+1]
		} else {
			c.Numbers = c.Numbers[i : i+1]
		}
		out = append(out, c)
	}
	return out
}

// The names of the resulting columns are distinct and contain that of the column that is read; an elementwise
// encoder gives one.
func TestEveryEncoderNamesItsColumns(t *testing.T) {
	for _, e := range All() {
		for _, x := range cases()[e.Name] {
			c, options, f := x.In, x.Options, def.Fitted{Options: x.Options}
			fit(t, e, c, &f)
			names := e.Names(namesOfColumns(c), &f)
			distinct := slices.Compact(slices.Sorted(slices.Values(names)))
			if len(names) == 0 || len(distinct) != len(names) || e.Elementwise && len(names) != 1 {
				t.Errorf("%s %v names its columns %q", e.Name, options, names)
			}
			for _, name := range names {
				for _, column := range c {
					if name == column.Name || !strings.Contains(name, column.Name) {
						t.Errorf("%s %v names a column of %s %q", e.Name, options, column.Name, name)
					}
				}
			}
		}
	}
}

// A missing cell is NaN in every resulting column and not a fault: the reader of the column reports it.
func TestMissingCellsStayMissing(t *testing.T) {
	for _, e := range All() {
		for _, x := range cases()[e.Name] {
			f := def.Fitted{Options: x.Options}
			fit(t, e, x.In, &f)
			for k := range x.In {
				in := cell(x.In, 0)
				in[k] = missing(x.In[k])
				for _, column := range apply(t, e, in, &f) {
					if !math.IsNaN(column[0]) {
						t.Errorf("%s gives %v for a missing cell", e.Name, column[0])
					}
				}
			}
		}
	}
}

func missing(c def.Column) def.Column {
	if c.Words != nil {
		return def.Column{Name: c.Name, Words: c.Words, Codes: []int32{-1}}
	}
	return def.Column{Name: c.Name, Numbers: []float64{math.NaN()}}
}

// Encoders agree with their test vectors.
func TestCases(t *testing.T) {
	for _, e := range All() {
		for _, x := range cases()[e.Name] {
			f := def.Fitted{Options: x.Options}
			fit(t, e, x.In, &f)
			near := cmpopts.EquateApprox(0, standard.Or(x.Within, 1e-15))
			if diff := cmp.Diff(x.Out, apply(t, e, x.In, &f), near); diff != "" {
				t.Errorf("%s of %v: (-want +got) %s", e.Name, x.In, diff)
			}
			if x.New == nil {
				continue
			}
			if diff := cmp.Diff(x.Then, apply(t, e, x.New, &f), near); diff != "" {
				t.Errorf("%s of the new rows %v: (-want +got) %s", e.Name, x.New, diff)
			}
		}
	}
}

// An encoder turns numbers into finite numbers, or reports which cell or column it cannot encode. One that
// has a column for each category refuses others.
func TestNumbersAreEncodedOrRefused(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-1e100, 1e100), rapid.Float64Range(-3, 3),
		rapid.SampledFrom([]float64{-1, 0, 0.1}))
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "m")
		for _, e := range All() {
			var old, c []def.Column
			for range e.Columns.Min {
				old = append(old, numbers(rapid.SliceOfN(value, n, n).Draw(t, "old")...)...)
				c = append(c, numbers(rapid.SliceOfN(value, m, m).Draw(t, "new")...)...)
			}
			f := def.Fitted{Options: settings(e)}
			if e.Fit != nil && e.Fit(old, &f) != nil {
				continue
			}
			out, faulty := encode(e, c, &f)
			for i := range m {
				for _, column := range out {
					if faulty[i] != math.IsNaN(column[i]) || math.IsInf(column[i], 0) {
						t.Fatalf("%s fitted to %v gives %v for row %d of %v, refused: %v", e.Name, old,
							column[i], i, c, faulty[i])
					}
				}
				if e.Name == "onehot" && faulty[i] == slices.Contains(old[0].Numbers, c[0].Numbers[i]) {
					t.Fatalf("%s fitted to %v: %v refused: %v", e.Name, old, c[0].Numbers[i], faulty[i])
				}
			}
		}
	})
}

// encode gives the columns, and the cells that are refused with a reason.
func encode(e def.Encoder, c []def.Column, f *def.Fitted) (out [][]float64, faulty map[int]bool) {
	faulty = map[int]bool{}
	for range e.Names(namesOfColumns(c), f) {
		out = append(out, make([]float64, c[0].Len()))
	}
	e.Apply(c, f, out, func(i int, why def.Fault) { faulty[i] = why.Text != "" })
	return out, faulty
}

// A column that does not vary has no standard deviation, and the logarithm ends at 0: these faults have their
// own kinds, from which diagnostics get their codes.
func TestFaultsHaveTheirKind(t *testing.T) {
	for _, x := range []struct {
		encoder def.Encoder
		options map[string]string
		column  []def.Column
	}{{encoder: ZScore(), column: numbers(0.1, 0.1, 0.1)}, {OneHot(), map[string]string{"drop": "first"},
		words("a")}} {
		if fault := x.encoder.Fit(x.column, &def.Fitted{Options: x.options}); fault == nil ||
			fault.Kind != def.NoVariation {
			t.Errorf("%s of %v: %v", x.encoder.Name, x.column, fault)
		}
	}
	for _, x := range []struct {
		encoder  def.Encoder
		old, new []def.Column
		kind     def.FaultKind
	}{{Log(), numbers(1), numbers(0), def.OutsideDomain},
		{OneHot(), words("a"), words("b"), def.UnknownCategory}} {
		f := def.Fitted{}
		fit(t, x.encoder, x.old, &f)
		kind := def.FaultKind(-1)
		x.encoder.Apply(x.new, &f, [][]float64{{0}}, func(_ int, why def.Fault) { kind = why.Kind })
		if kind != x.kind {
			t.Errorf("%s of %v: fault %v, want %v", x.encoder.Name, x.new, kind, x.kind)
		}
	}
}

// Words are categories in the order of their bytes whatever the order of the rows, and each cell has the
// index of its own.
func TestPlacesFindTheCategories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c]{1,3}`), 1, 6, rapid.ID).Draw(t, "words")
		c := def.Column{Words: words, Codes: rapid.SliceOfN(rapid.Int32Range(-1, int32(len(words)-1)), 1,
			20).Draw(t, "codes")}
		categories := Categories(c)
		if !slices.IsSorted(categories) || len(categories) != len(words) {
			t.Fatalf("categories %q of %q", categories, words)
		}
		for i, place := range Places(c, categories) {
			if c.Codes[i] < 0 != (place < 0) || place >= 0 && categories[place] != words[c.Codes[i]] {
				t.Fatalf("cell %d: place %d", i, place)
			}
		}
	})
}
