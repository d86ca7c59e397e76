package bijector

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Lower maps the real line to (lower, ∞); it ignores the upper bound.
func Lower() def.Bijector {
	return def.Bijector{
		Name: "lower",
		Doc: `A lower bound: y = lower + exp(u), log|dy/du| = u.

Source: Stan Reference Manual, "Lower bounded scalar".`,
		Forward: func(y, x []float64, lower, _ float64) float64 {
			first := math.Nextafter(lower, math.Inf(1))
			sum := 0.0
			for i, u := range x {
				y[i] = max(lower+math.Exp(u), first) // rounding must not put y on the bound, where a density may be infinite
				sum += u
			}
			return sum
		},
		Backward: func(dx, dy, x, y []float64, lower, _ float64) {
			for i, u := range x {
				dx[i] += dy[i]*expOf(u, y[i]-lower, lower) + 1
			}
		},
		Inverse: func(x, y []float64, lower, _ float64) {
			for i, v := range y {
				x[i] = math.Log(v - lower)
			}
		},
	}
}

// expOf returns exp(u) given distance, which is exp(u) but for rounding: exactly so where the bound is 0.
func expOf(u, distance, bound float64) float64 {
	if bound == 0 {
		return distance
	}
	return math.Exp(u)
}
