package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log1mExp is log(1 - exp(x)).
func Log1mExp() def.Func {
	return def.Func{
		Name: "log1m_exp",
		Doc: "log(1 - exp(x)), accurate for x near 0 and for x far below it: the logarithm of a " +
			"complement, from the logarithm of a probability.",
		Domain: "x < 0",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Log1mExp(v)
			}
		},
		Backward: func(dx, dy, x, y []float64) {
			for i := range x {
				if dy[i] != 0 { // a branch of where that is not taken gives 0
					dx[i] -= float64(dy[i] * portable.Expm1(-y[i]))
				}
			}
		},
		Monotone: def.Decreasing,
		Vector:   def.Log1mExpLoop,
		Examples: []string{"log1m_exp(-1) = -0.4586751453870819", "log1m_exp(-40) = -4.248354255291589e-18",
			"log1m_exp(-1e-10) = -23.025850929990458"},
	}
}
