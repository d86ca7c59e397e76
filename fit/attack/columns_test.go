package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	vec "github.com/vflc/vflc/runtime/vector"
)

// mixedColumns are two continuous columns, two of two values, and a factor of four categories, over m rows.
func mixedColumns(m int) []Covariate {
	random := rand.New(rand.NewPCG(21, 22))
	out := []Covariate{{Name: "x1"}, {Name: "x2"}, {Name: "sex"}, {Name: "rare"}}
	for k := range 4 {
		out = append(out, Covariate{Name: fmt.Sprintf("g=%d", k), Factor: "g"})
	}
	for range m {
		values, g := make([]float64, len(out)), random.IntN(4)
		values[0], values[1] = random.NormFloat64(), random.NormFloat64()
		for k, p := range []float64{0.5, 0.06} {
			if random.Float64() < p {
				values[2+k] = 1.7
			}
		}
		values[4+g] = 1
		for k, v := range values {
			out[k].Values = append(out[k].Values, v)
		}
	}
	return out
}

// mixtures are n random combinations of columns, with noise.
func mixtures(n int, noise float64, columns []Covariate) (out [][]float64) {
	random := rand.New(rand.NewPCG(23, 24))
	for range n {
		v := make([]float64, len(columns[0].Values))
		for _, c := range columns {
			vec.Axpy(len(v), v, random.NormFloat64(), c.Values)
		}
		for i := range v {
			v[i] += noise * random.NormFloat64()
		}
		out = append(out, v)
	}
	return out
}

// From more noise-free combinations than there are columns, and from nothing else, all columns of two values
// are found and the factor's partition with them; continuous columns are not.
func TestColumnsOfTwoValues(t *testing.T) {
	columns := mixedColumns(300)
	e := &evidence{data: columns}
	basis, elements := span(mixtures(20, 0, columns))
	if len(basis) != 7 || len(elements) != 300 { // the categories add up to a constant
		t.Fatalf("a span of %d dimensions over %d rows", len(basis), len(elements))
	}
	got := e.columns(basis, elements)
	if want := []string{"sex", "rare", "g=0", "g=1", "g=2", "g=3"}; got.All != 8 || got.TwoValued != 6 ||
		!slices.Equal(got.Found, want) {
		t.Errorf("%+v", got)
	}
	if f := got.Factors[0]; len(got.Factors) != 1 || f.True != 4 || f.Found != 4 || f.Rand != 1 {
		t.Errorf("the factor: %+v", got.Factors)
	}
}

// A span that is not known, with rows left out where a vector is not, or of too many dimensions for its rows.
func TestSpans(t *testing.T) {
	columns := mixedColumns(300)
	if Spanned(mixtures(7, 0, columns)) || !Spanned(mixtures(8, 0, columns)) {
		t.Error("seven dimensions are known from eight vectors on")
	}
	vectors := mixtures(20, 0, columns)
	vectors[3][5], vectors[9][299] = math.NaN(), math.NaN()
	if basis, elements := span(vectors); len(basis) != 7 || len(elements) != 298 ||
		slices.Contains(elements, 5) {
		t.Errorf("%d dimensions over %d rows", len(basis), len(elements))
	}
	if Spanned(mixtures(20, 0.01, columns)) {
		t.Error("noise has a span")
	}
	e := &evidence{data: columns}
	if got := e.columns(make([][]float64, 100), make([]int, 300)); got != nil {
		t.Errorf("%+v from 100 dimensions of 300 rows", got)
	}
}

// In the span of normal columns nothing has two values.
func TestNoColumnsOfTwoValues(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	columns := make([]Covariate, 12)
	for k := range columns {
		for range 400 {
			columns[k].Values = append(columns[k].Values, random.NormFloat64())
		}
	}
	basis, elements := span(mixtures(30, 0, columns))
	if got := (&evidence{data: columns}).columns(basis, elements); got.Claimed != 0 || got.TwoValued != 0 ||
		len(got.Found) != 0 {
		t.Errorf("%+v", got)
	}
}
