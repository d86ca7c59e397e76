package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Exponential is the exponential distribution with rate beta.
func Exponential() def.Dist {
	return derived(def.Dist{
		Name:    "exponential",
		Sums:    true,
		Grouped: standIn(Exponential, meanOf),
		Doc: `The exponential distribution with rate (inverse scale) beta; its mean is 1/beta.

    log p(x) = log(beta) - beta x        for x ≥ 0

Source: Stan Functions Reference, "Exponential distribution".`,
		Params:     []def.Param{{Name: "beta", Doc: "rate", Domain: def.Positive, LinearIn: theValue}},
		Mean:       "inv(beta)",
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Upper:      def.End{Decay: def.Power},
		Expand:     exponentialExpand,
		Between: betweenHazard(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return b.Add(b.Func("log", theta[0]), b.Func("log", x))
		}),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return portable.Exponential(r) / positive(theta[0])
		},
		LogCDF: below(exponentialTail), LogCCDF: above(exponentialTail),
		Examples: []string{"param sigma ~ exponential(1)"},
	})
}

func exponentialExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Mul(theta[0], x), -1)
	b.Sum(b.Func("log", theta[0]), 1)
	return true
}

func exponentialTail(x float64, theta [maxParams]float64, upper bool) point {
	beta := positive(theta[0])
	switch {
	case math.IsNaN(x + beta):
		return invalid()
	case x <= 0:
		return below0(upper)
	}
	return hazard(point{lp: portable.Log(beta) + portable.Log(x), dx: 1 / x,
		dtheta: [maxParams]float64{1 / beta}}, upper)
}
