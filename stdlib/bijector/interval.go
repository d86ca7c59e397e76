package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Interval maps the real line to (lower, upper).
func Interval() def.Bijector {
	return def.Bijector{
		Name: "interval",
		Doc: `Two bounds: y = lower + (upper - lower)·inv_logit(u), log|dy/du| = log(upper - lower) - |u| - 2 log(1 + exp(-|u|)).

Source: Stan Reference Manual, "Lower and upper bounded scalar".`,
		Forward:  intervalForward,
		Backward: intervalBackward,
		Func: func(lower, upper float64) string {
			if lower == 0 && upper == 1 {
				return "inv_logit"
			}
			return ""
		},
		Inverse: func(x, y []float64, lower, upper float64) {
			for i, v := range y {
				x[i] = portable.Log(v-lower) - portable.Log(upper-v)
			}
		},
	}
}

func intervalForward(y, x []float64, lower, upper float64) float64 {
	first, last := math.Nextafter(lower, upper), math.Nextafter(upper, lower)
	width := upper - lower
	sum := float64(len(x)) * portable.Log(width)
	for i, u := range x {
		a := math.Abs(u)
		z := portable.Exp(-a)
		step := width * z / (1 + z) // from the nearer bound, so that a y beside it keeps its digits
		v := lower + step
		if u > 0 {
			v = upper - step
		}
		y[i] = min(max(v, first), last) // not on a bound: see Lower
		sum -= a + float64(2*portable.Log1p(z))
	}
	return sum
}

func intervalBackward(dx, dy, x, _ []float64, lower, upper float64) {
	width := upper - lower
	for i, u := range x {
		z := portable.Exp(-math.Abs(u))
		r := 1 / (1 + z)
		dx[i] += float64(dy[i]*width*z*r*r) - math.Copysign((1-z)*r, u)
	}
}
