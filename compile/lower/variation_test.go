package lower

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
)

// design is an intercept and p independent columns of n rows.
func design(r *rand.Rand, n, p int) []covariate {
	matrix := &check.Symbol{Name: "X"}
	out := []covariate{{name: "the intercept"}}
	for k := range p {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		out = append(out, covariate{declared: matrix, name: fmt.Sprintf("x%d", k), values: values})
	}
	return out
}

// side is 1 where a combination of columns, off by an offset, is above 0.
func side(columns []covariate, offset float64, weights []float64) []float64 {
	y := make([]float64, len(columns[1].values))
	for i := range y {
		total := offset
		for k, w := range weights {
			total += w * columns[k+1].values[i]
		}
		if total > 0 {
			y[i] = 1
		}
	}
	return y
}

// A planted combination of columns separates, and one column by itself is named. Where responses overlap
// nothing is said to separate, but for the few samples in which there happens to be a border all the same.
func TestSeparationIsFoundWhereItIs(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := 1 + r.IntN(5)
		columns, weights := design(r, 40+20*p, p), make([]float64, p)
		for k := range weights {
			weights[k] = r.NormFloat64()
		}
		y := side(columns, 0.3*r.NormFloat64(), weights)
		if unvarying(y) {
			continue
		}
		text, at := separated(y, columns)
		if at == nil || p == 1 && !strings.HasPrefix(text, "x0 separates") ||
			strings.HasPrefix(text, "a combination") != strings.Contains(text, "their coefficients") {
			t.Errorf("seed %d, %d columns: %q", seed, p, text)
		}
		// The same border with the responses of a tenth of the rows the other way round.
		for i := range y {
			if r.IntN(10) == 0 || i < 4 {
				y[i] = 1 - y[i]
			}
		}
		if text, at := separated(y, columns); at != nil && !divides(y, columns) {
			t.Errorf("seed %d, %d columns, overlapping: %q", seed, p, text)
		}
	}
}

// divides reports whether the perceptron finds a border: where there is one it ends.
func divides(y []float64, columns []covariate) bool {
	weights := make([]float64, len(columns))
	for range 20_000 {
		wrong := false
		for i := range y {
			total := weights[0]
			for k, c := range columns[1:] {
				total += weights[k+1] * c.values[i]
			}
			if sign := 2*y[i] - 1; sign*total <= 0 {
				wrong = true
				weights[0] += sign
				for k, c := range columns[1:] {
					weights[k+1] += sign * c.values[i]
				}
			}
		}
		if !wrong {
			return true
		}
	}
	return false
}

// Columns that are planted as combinations of others, or as constants, are named, and no others.
func TestDependentColumnsAreFoundWhereTheyAre(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := 2 + r.IntN(6)
		columns := design(r, 30+r.IntN(3000), p)
		constant, combined := slices.Clone(columns[1].values), slices.Clone(columns[1].values)
		for i := range combined {
			constant[i], combined[i] = math.Pi, 2*columns[1].values[i]-columns[2].values[i]+7
		}
		columns = append(columns, covariate{columns[1].declared, "combined", combined, false, 1},
			covariate{columns[1].declared, "constant", constant, false, 1})
		r.Shuffle(len(columns)-1, func(a, b int) { columns[a+1], columns[b+1] = columns[b+1], columns[a+1] })
		var named []string
		dependent(columns, func(_ *check.Symbol, _ string, args ...any) {
			named = append(named, args[0].(string))
		})
		// of the three that depend on one another, the last
		last := ""
		for _, c := range columns {
			if slices.Contains([]string{"x0", "x1", "combined"}, c.name) {
				last = c.name
			}
		}
		slices.Sort(named)
		want := []string{"constant", last}
		if slices.Sort(want); !slices.Equal(named, want) {
			t.Errorf("seed %d: %q, want %q", seed, named, want)
		}
	}
}

// The largest table in which combinations are looked for.
func BenchmarkVariation(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	columns := design(r, 100_000, 19)
	weights := make([]float64, 19)
	for k := range weights {
		weights[k] = 1
	}
	separable := side(columns, 0, weights)
	for name, y := range map[string][]float64{"separated": separable,
		"not": side(design(r, 100_000, 1), 0, []float64{1})} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dependent(columns, func(*check.Symbol, string, ...any) {})
				separated(y, columns)
			}
		})
	}
}
