package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Weibull is the Weibull distribution with shape alpha and scale sigma.
func Weibull() def.Dist {
	return derived(def.Dist{
		Name: "weibull",
		Doc: `The Weibull distribution with shape alpha and scale sigma: times to an event whose hazard grows as x^(alpha - 1).

    log p(x) = log(alpha) - log(sigma) + (alpha - 1) log(x/sigma) - (x/sigma)^alpha        for x > 0, and for x = 0 where alpha is 1

Source: Stan Functions Reference, "Weibull distribution".`,
		Params: []def.Param{{Name: "alpha", Doc: "shape", Domain: def.Positive},
			{Name: "sigma", Doc: "scale", Domain: def.Positive, LinearIn: itsPower}},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    1,
		Lower:      def.End{Exponent: def.LessOne(0)},
		Upper:      def.End{Decay: def.Power, Faster: func(theta []float64) bool { return theta[0] > 1 }},
		Expand:     weibullExpand,
		Between: betweenHazard(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return logPower(b, x, theta[0], theta[1])
		}),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(positive(theta[1]) * portable.Pow(portable.Exponential(r), 1/positive(theta[0])))
		},
		LogCDF: below(weibullTail), LogCCDF: above(weibullTail),
		Examples: []string{"data time : real<lower=0>[N]\nparam alpha ~ gamma(2, 1)\nparam sigma ~ " +
			"lognormal(0, 2)\ntime ~ weibull(alpha, sigma)"},
	})
}

// weibullExpand writes x/sigma on the log scale; where the shape is 1, an x of 0 has a density, and its
// logarithm must not enter.
func weibullExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if alpha, ok := b.Const(theta[0]); ok && alpha == 1 {
		b.Sum(b.Div(x, theta[1]), -1)
		b.Sum(b.Func("log", theta[1]), -1)
		return true
	}
	logSigma := b.Func("log", theta[1])
	logX := b.Func("log", x)
	power := b.Mul(theta[0], b.Sub(logX, logSigma)) // alpha·log(x/sigma)
	b.Sum(b.Func("log", theta[0]), 1)
	b.Sum(power, 1)
	b.Sum(logX, -1)
	b.Sum(b.Func("exp", power), -1)
	return true
}

func weibullTail(x float64, theta [maxParams]float64, upper bool) point {
	alpha, sigma := positive(theta[0]), positive(theta[1])
	u := portable.Log(max(x, 0)) - portable.Log(sigma)
	switch {
	case math.IsNaN(u + alpha):
		return invalid()
	case x <= 0:
		return below0(upper)
	}
	return hazard(point{lp: alpha * u, dx: alpha / x, dtheta: [maxParams]float64{u, -alpha / sigma}}, upper)
}
