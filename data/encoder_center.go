package data

import "github.com/vflc/vflc/lang/diag"

// center subtracts the mean.
func center() Encoder {
	return Encoder{
		Name: "center",
		fit: func(c column, f *Fitted, list *diag.List) bool {
			v := c.numbers(list, number)
			if v == nil {
				return false
			}
			f.Center = mean(v)
			return true
		},
		names:  call,
		encode: func(f *Fitted) func(string, []float64) issue { return scaled(f, 1) },
	}
}
