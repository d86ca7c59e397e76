package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Upper maps the real line to (-∞, upper); it ignores the lower bound.
func Upper() def.Bijector {
	return def.Bijector{
		Name: "upper",
		Doc: `An upper bound: y = upper - exp(u), log|dy/du| = u.

Source: Stan Reference Manual, "Upper bounded scalar".`,
		Forward: func(y, x []float64, _, upper float64) float64 {
			last := math.Nextafter(upper, math.Inf(-1))
			sum := 0.0
			for i, u := range x {
				y[i] = min(upper-portable.Exp(u), last) // not on the bound: see Lower
				sum += u
			}
			return sum
		},
		Backward: func(dx, dy, _, y []float64, _, upper float64) {
			for i := range dy {
				dx[i] += 1 - float64(dy[i]*(upper-y[i]))
			}
		},
		Inverse: func(x, y []float64, _, upper float64) {
			for i, v := range y {
				x[i] = portable.Log(upper - v)
			}
		},
	}
}
