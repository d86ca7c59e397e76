package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Frechet is the Fréchet distribution with shape alpha and scale sigma.
func Frechet() def.Dist {
	return derived(def.Dist{
		Name: "frechet",
		Doc: `The Fréchet distribution with shape alpha and scale sigma: that of 1/u for u ~ weibull(alpha, 1/sigma).

    log p(x) = log(alpha) + alpha log(sigma) - (alpha + 1) log(x) - (x/sigma)^(-alpha)        for x > 0

Source: Stan Functions Reference, "Frechet distribution".`,
		Params: []def.Param{{Name: "alpha", Doc: "shape", Domain: def.Positive},
			{Name: "sigma", Doc: "scale", Domain: def.Positive, LinearIn: itsInvPower}},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    1,
		Lower:      def.End{Decay: def.Power},
		Expand:     frechetExpand,
		Between: betweenReversed(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return b.Func("neg", logPower(b, x, theta[0], theta[1]))
		}),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(positive(theta[1]) * portable.Pow(tiny(portable.Exponential(r)),
				-1/positive(theta[0])))
		},
		LogCDF: below(frechetTail), LogCCDF: above(frechetTail),
		Examples: []string{"param wave ~ frechet(3, 2)"},
	})
}

func frechetExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	logX := b.Func("log", x)
	power := b.Mul(theta[0], b.Sub(b.Func("log", theta[1]), logX)) // -alpha·log(x/sigma)
	b.Sum(b.Func("log", theta[0]), 1)
	b.Sum(power, 1)
	b.Sum(logX, -1)
	b.Sum(b.Func("exp", power), -1)
	return true
}

func frechetTail(x float64, theta [maxParams]float64, upper bool) point {
	alpha, sigma := positive(theta[0]), positive(theta[1])
	u := portable.Log(max(x, 0)) - portable.Log(sigma)
	switch {
	case math.IsNaN(u + alpha):
		return invalid()
	case x <= 0:
		return below0(upper)
	}
	return hazard(point{lp: -alpha * u, dx: -alpha / x, dtheta: [maxParams]float64{-u, alpha / sigma}},
		!upper)
}
