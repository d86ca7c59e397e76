package data

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/lang/diag"
)

// zscore subtracts the mean and divides by the standard deviation with divisor n-1.
func zscore() Encoder {
	return Encoder{
		Name: "zscore",
		fit: func(c column, f *Fitted, list *diag.List) bool {
			v := c.numbers(list, number)
			if v == nil {
				return false
			}
			if f.Center = mean(v); !constant(v) { // of equal values rounding may leave a deviation of 1e-17
				f.Scale = deviation(v, f.Center)
			}
			if f.Scale == 0 || math.IsInf(f.Scale, 0) {
				c.fail(list, issue{diag.ConstantColumn, fmt.Sprintf("its standard deviation is %v, and zscore divides by it; leave the column out, or write center(%s)", f.Scale, f.Column)})
				return false
			}
			return true
		},
		names:  call,
		encode: func(f *Fitted) func(string, []float64) issue { return scaled(f, f.Scale) },
	}
}

// deviation is the standard deviation about the mean m with divisor n-1.
func deviation(v []float64, m float64) float64 {
	s := 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return math.Sqrt(s / float64(len(v)-1))
}
