package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Abs is the absolute value.
func Abs() def.Func {
	return def.Func{
		Name: "abs",
		Doc:  "The absolute value. Its derivative at 0 is taken as 0.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = math.Abs(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				if v != 0 {
					dx[i] += float64(math.Copysign(1, v) * dy[i])
				}
			}
		},
		EachSide:    true,
		Vector:      def.AbsLoop,
		Examples:    []string{"abs(-2.5) = 2.5", "abs(0) = 0"},
		NonNegative: true,
		Limits: []def.Limit{{X: 0, Y: 0}, {X: math.Inf(1), Y: math.Inf(1)},
			{X: math.Inf(-1), Y: math.Inf(1)}},
	}
}
