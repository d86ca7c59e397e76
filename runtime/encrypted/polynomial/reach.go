package polynomial

import "math"

// Reach returns the least multiple of ½ that is at least the sum of bounds: the K of predictors to which each
// party adds a number within its bound, and the server an offset within its own.
func Reach(bounds ...float64) float64 {
	sum := 0.0
	for _, b := range bounds {
		if !(b >= 0) || math.IsInf(b, 1) {
			panic("polynomial: a bound is a number, 0 or more")
		}
		sum += b
	}
	return max(0.5, math.Ceil(2*sum)/2)
}
