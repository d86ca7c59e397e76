package encoder

import (
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// OneHot makes a 0/1 column for each category. Its fitted words are all categories in order.
func OneHot() def.Encoder {
	return def.Encoder{
		Name: "onehot",
		Doc: "A categorical column as one 0/1 column per category, the categories in byte order, or " +
			"by value where all are numbers.",
		Examples: []string{"data X : real[N, P] from onehot(ward)",
			"data X : real[N, P] from onehot(sex, drop=first)",
			"data X : real[N, P] from onehot(smoking, drop=never)"},
		Columns: one(),
		Options: []def.Option{
			{Name: drop,
				Doc: "leaves out the column of this category, from which the others then differ: the " +
					"first, or one by its name; without it every category has a column",
				Values: []string{first}, Word: true},
		},
		Categories: true,
		Whole:      true,
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			f.Words = Categories(c[0])
			name, dropping := f.Options[drop]
			switch {
			case dropping && dropped(f) < 0:
				return &def.Fault{Kind: def.UnknownCategory,
					Text: "has no cell " + name +
						", which drop names; write drop=first, or a category: it has " + some(f.Words)}
			case dropping && len(f.Words) == 1:
				return &def.Fault{Kind: def.NoVariation, Text: "has only the category " + f.Words[0] +
					", so onehot with drop=" + name + " leaves no column; leave it out"}
			}
			return nil
		},
		Names: func(columns []string, f *def.Fitted) []string {
			var out []string
			for k, category := range f.Words {
				if k != dropped(f) {
					out = append(out, columns[0]+"="+category)
				}
			}
			return out
		},
		Apply: indicate,
	}
}

// The option that leaves a category out, and its value for the first one, whatever it is called.
const (
	drop  = "drop"
	first = "first"
)

// dropped is the index of the category that has no column, -1 where all have one.
func dropped(f *def.Fitted) int {
	switch name, ok := f.Options[drop]; {
	case !ok:
		return -1
	case name == first:
		return 0
	default:
		return slices.Index(f.Words, normal(name))
	}
}

// indicate writes 1 to the column of each cell's category and 0 to the others.
func indicate(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	base := dropped(f)
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
		switch {
		case place < 0 || place == base:
		case base >= 0 && place > base:
			out[place-1][i] = 1
		default:
			out[place][i] = 1
		}
	}
}
