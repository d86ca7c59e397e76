package encoder

import (
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// mean is the arithmetic mean, with a second pass that removes most of the rounding of the first.
func mean(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m += x / float64(len(v))
	}
	r := 0.0
	for _, x := range v {
		r += x - m
	}
	return m + r/float64(len(v))
}

// deviation is the standard deviation about the mean m with divisor n-1. For equal values it is 0, whatever
// the rounding of m.
func deviation(v []float64, m float64) float64 {
	if !slices.ContainsFunc(v, func(x float64) bool { return x != v[0] }) {
		return 0
	}
	s := 0.0
	for _, x := range v {
		s += float64((x - m) * (x - m))
	}
	return math.Sqrt(s / float64(len(v)-1))
}

// standardise is the Apply of an encoder that is an affine map.
func standardise(by func(*def.Fitted) def.Rescaling) func([]def.Column, *def.Fitted, [][]float64,
	func(int, def.Fault)) {
	return func(c []def.Column, f *def.Fitted, out [][]float64, _ func(int, def.Fault)) {
		a := by(f)
		for i, v := range c[0].Numbers {
			out[0][i] = a.Of(v)
		}
	}
}
