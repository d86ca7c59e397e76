package data

import (
	"math"

	"github.com/vflc/vflc/lang/diag"
)

// logarithm is the natural logarithm.
func logarithm() Encoder {
	return Encoder{
		Name:  "log",
		fit:   func(c column, f *Fitted, list *diag.List) bool { return true },
		names: call,
		encode: func(f *Fitted) func(string, []float64) issue {
			return func(cell string, out []float64) issue {
				v, is := number(cell)
				if !is.bad() && v <= 0 {
					return issue{diag.LogDomain, "is not positive, so it has no logarithm; leave log off, or shift the column"}
				}
				out[0] = math.Log(v)
				return is
			}
		},
	}
}
