package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Lower maps the real line to (lower, ∞); it ignores the upper bound.
func Lower() def.Bijector {
	return def.Bijector{
		Name: "lower",
		Doc: `A lower bound: y = lower + exp(u), log|dy/du| = u.

Source: Stan Reference Manual, "Lower bounded scalar".`,
		Forward: func(y, x []float64, lower, _ float64) float64 {
			sum := 0.0
			for i, u := range x {
				y[i] = lower + portable.Exp(u)
				if y[i] == lower { // rounding must not put y on the bound, where a density may be infinite
					y[i] = math.Nextafter(lower, math.Inf(1))
				}
				sum += u
			}
			return sum
		},
		Backward: func(dx, dy, _, y []float64, lower, _ float64) {
			for i := range dy {
				dx[i] += float64(dy[i]*(y[i]-lower)) + 1
			}
		},
		Func: func(lower, _ float64) string {
			if lower == 0 {
				return "exp"
			}
			return ""
		},
		Inverse: func(x, y []float64, lower, _ float64) {
			for i, v := range y {
				x[i] = portable.Log(v - lower)
			}
		},
	}
}
