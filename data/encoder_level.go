package data

import (
	"math"

	"github.com/vflc/vflc/lang/diag"
)

// categories maps a column to levels 1..R: whole numbers as they are, other texts by their place in the order of categories.
func categories() Encoder {
	return Encoder{
		Name: "level", Whole: true,
		fit: func(c column, f *Fitted, list *diag.List) bool {
			if !f.learn(c, list) {
				return false
			}
			if f.Numeric && wholeAll(f.Categories) {
				f.Categories = nil
				return c.numbers(list, level) != nil
			}
			return true
		},
		names: func(f *Fitted) []string { return []string{f.Column} },
		encode: func(f *Fitted) func(string, []float64) issue {
			if f.Categories == nil {
				return func(cell string, out []float64) (is issue) {
					out[0], is = level(cell)
					return is
				}
			}
			find := f.finder()
			return func(cell string, out []float64) issue {
				k, is := find(cell)
				out[0] = float64(k + 1)
				return is
			}
		},
	}
}

func wholeAll(numbers []string) bool {
	for _, text := range numbers {
		if v, is := number(text); is.bad() || v != math.Trunc(v) {
			return false
		}
	}
	return true
}
