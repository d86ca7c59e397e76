package encoder

import (
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// Is marks the cells of one category. Nothing is kept of the column it was fitted to: any other category
// gives 0, also in new rows.
func Is() def.Encoder {
	const category = "category"
	return def.Encoder{
		Name: "is",
		Doc: "1 where a column has the category, 0 where it has another. Numbers are compared by " +
			"value. A category that no cell has is an error; new rows may have any. Gives one column.",
		Examples: []string{`data X : real[N, P] from is(sex, "f"), is(ward, 3)`,
			`data smoker : binary[N] from is(smoking, "current")`},
		Columns: one(),
		Options: []def.Option{{Name: category,
			Doc: "the category that gives 1, in quotes unless it is a name or a number", Word: true,
			Positional: true}},
		Categories: true,
		Whole:      true,
		Bounds:     func(map[string]string) (lower, upper float64) { return 0, 1 },
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			found := Categories(c[0])
			if v := Places(c[0], []string{normal(f.Options[category])}); !slices.Contains(v, 0) {
				return &def.Fault{Kind: def.UnknownCategory, Text: "has no cell " + f.Options[category] +
					", so is(…) would be 0 in every row; it has " + some(found)}
			}
			return nil
		},
		Names: func(columns []string, f *def.Fitted) []string {
			return []string{columns[0] + "=" + f.Options[category]}
		},
		Apply: func(c []def.Column, f *def.Fitted, out [][]float64, _ func(int, def.Fault)) {
			for i, place := range Places(c[0], []string{normal(f.Options[category])}) {
				switch {
				case c[0].Missing(i):
					out[0][i] = math.NaN()
				case place == 0:
					out[0][i] = 1
				default:
					out[0][i] = 0
				}
			}
		},
	}
}

// normal writes a category that is a number in its canonical form.
func normal(category string) string {
	if v, ok := Number(category); ok {
		return canonical(v)
	}
	return category
}
