package encoder

import "github.com/vflc/vflc/stdlib/def"

// OneHot makes a 0/1 column for each category.
func OneHot() def.Encoder {
	return def.Encoder{
		Name:     "onehot",
		Doc:      "A categorical column as one 0/1 column per category, the categories in byte order, or by value where all are numbers.",
		Examples: []string{"data X : real[N, P] from onehot(ward)", "data X : real[N, P] from onehot(sex, drop=first)"},
		Columns:  one(),
		Options: []def.Option{
			{Name: "drop", Doc: "leaves out the column of the first category; without it every category has a column", Values: []string{"first"}},
		},
	}
}
