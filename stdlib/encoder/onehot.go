package encoder

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// OneHot makes a 0/1 column for each category. Its fitted words are all categories in order.
func OneHot() def.Encoder {
	return def.Encoder{
		Name:     "onehot",
		Doc:      "A categorical column as one 0/1 column per category, the categories in byte order, or by value where all are numbers.",
		Examples: []string{"data X : real[N, P] from onehot(ward)", "data X : real[N, P] from onehot(sex, drop=first)"},
		Cases: []def.EncoderCase{
			{In: numbers(10, 9, 9), Out: [][]float64{{0, 1, 1}, {1, 0, 0}}}, // by value
			{In: numbers(math.Copysign(0, -1), 0, 1), Out: [][]float64{{1, 1, 0}, {0, 0, 1}}},
			{In: words("10", "9", "x"), Out: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
			{In: words("b", "a", "B"), Out: [][]float64{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}, // by bytes
			{In: words("b", "a", "c"), Options: map[string]string{"drop": "first"}, Out: [][]float64{{1, 0, 0}, {0, 0, 1}}},
		},
		Columns: one(),
		Options: []def.Option{
			{Name: "drop", Doc: "leaves out the column of the first category; without it every category has a column", Values: []string{"first"}},
		},
		Categories: true,
		Whole:      true,
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			f.Words = Categories(c[0])
			if len(kept(f)) == 0 {
				return &def.Fault{Kind: def.NoVariation, Text: "has only the category " + f.Words[0] + ", so onehot with drop=first leaves no column; leave it out"}
			}
			return nil
		},
		Names: func(columns []string, f *def.Fitted) []string {
			var out []string
			for _, category := range kept(f) {
				out = append(out, columns[0]+"="+category)
			}
			return out
		},
		Apply: indicate,
	}
}

// kept lists the categories that have a column.
func kept(f *def.Fitted) []string {
	if f.Options["drop"] == "first" {
		return f.Words[1:]
	}
	return f.Words
}

// indicate writes 1 to the column of each cell's category and 0 to the others.
func indicate(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	skip := len(f.Words) - len(out)
	for i, place := range Places(c[0], f.Words) {
		rest := 0.0
		if place < 0 {
			rest = math.NaN()
			if !c[0].Missing(i) {
				fault(i, NewCategory(f.Words))
			}
		}
		for _, column := range out {
			column[i] = rest
		}
		if place >= skip {
			out[place-skip][i] = 1
		}
	}
}
