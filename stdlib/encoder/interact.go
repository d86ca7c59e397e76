package encoder

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Interact multiplies two columns; a column of words counts as its 0/1 columns, one per category. The fitted
// words are the categories of both, those of the first before those of the second, and the fitted numbers how
// many each has: 0 for a column of numbers.
func Interact() def.Encoder {
	return def.Encoder{
		Name: "interact",
		Doc: "The product of two columns, as a:b in a formula of R. Two numeric columns give one column. A " +
			"column of words stands for one 0/1 column per category, so that interact(age, sex) gives " +
			"age:sex=f and age:sex=m, " +
			"and two of them give a column for each pair. The columns themselves are not included: name " +
			"them too, and center or zscore them in the table if their product should be of deviations.",
		Examples: []string{"data X : real[N, P] from age, chol, interact(age, chol)",
			"data X : real[N, P] from age, onehot(sex, drop=first), interact(age, sex)"},
		Columns:    def.Arity{Min: 2, Max: 2},
		Categories: true,
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			f.Numbers = make([]float64, 2)
			for k := range c {
				if c[k].Words == nil {
					continue
				}
				categories := Categories(c[k])
				f.Words = append(f.Words, categories...)
				f.Numbers[k] = float64(len(categories))
			}
			return nil
		},
		Known: interacting,
		Names: func(columns []string, f *def.Fitted) (out []string) {
			for _, a := range namesOf(columns[0], interacting(f, 0)) {
				for _, b := range namesOf(columns[1], interacting(f, 1)) {
					out = append(out, a+":"+b)
				}
			}
			return out
		},
		Apply: applyInteract,
	}
}

// interacting returns the categories of one of the two columns, nil where it holds numbers.
func interacting(f *def.Fitted, k int) []string {
	first := int(f.Numbers[0])
	if k == 0 {
		return f.Words[:first:first]
	}
	return f.Words[first:]
}

// namesOf names the columns that a column stands for.
func namesOf(column string, categories []string) []string {
	if len(categories) == 0 {
		return []string{column}
	}
	out := make([]string, len(categories))
	for k, category := range categories {
		out[k] = column + "=" + category
	}
	return out
}

func applyInteract(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	var at [2][]int
	for k := range at {
		if f.Numbers[k] > 0 {
			at[k] = Places(c[k], interacting(f, k))
		}
	}
	width := max(1, int(f.Numbers[1]))
	for i := range c[0].Len() {
		column, product := 0, 1.0
		for k := range c {
			switch {
			case at[k] == nil:
				product *= c[k].Numbers[i]
			case at[k][i] >= 0:
				column += at[k][i] * []int{width, 1}[k]
			default:
				product = math.NaN()
				if !c[k].Missing(i) {
					why := NewCategory(interacting(f, k))
					why.Column = k
					fault(i, why)
				}
			}
		}
		rest := 0.0
		if math.IsNaN(product) {
			rest = product
		}
		for k := range out {
			out[k][i] = rest
		}
		out[column][i] = product
	}
}
