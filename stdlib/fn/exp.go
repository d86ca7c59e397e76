package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Exp is the exponential function.
func Exp() def.Func {
	return def.Func{
		Name: "exp",
		Doc:  "The exponential function.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = math.Exp(v)
			}
		},
		Backward: func(dx, dy, _, y []float64) {
			for i, v := range y {
				dx[i] += dy[i] * v
			}
		},
		Examples: []string{"exp(0) = 1", "exp(1) = 2.718281828459045", "exp(-1000) = 0"},
	}
}
