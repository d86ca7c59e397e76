package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Poisson is the Poisson distribution with rate lambda.
func Poisson() def.Dist {
	return derived(def.Dist{
		Name:    "poisson",
		Sums:    true,
		Grouped: poissonGroups(Poisson, def.DensityBuilder.Mul),
		Doc: `The Poisson distribution with rate lambda, its mean and variance. Where lambda is exp(eta), use poisson_log(eta).

    log p(x) = x log(lambda) - lambda - log(x!)        for x = 0, 1, 2, …

Where lambda is 0, x is 0 with probability 1.

Source: Stan Functions Reference, "Poisson distribution".`,
		Params:     []def.Param{{Name: "lambda", Doc: "rate", Domain: def.NonNegative, LinearIn: theValue}},
		Mean:       "lambda",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Predicted:  []def.PredictorForm{{Param: 0, Func: "exp", Form: PoissonLog}},
		Expand:     poissonExpand,
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, nonNegative(theta[0]))
		},
		LogCDF: below(poissonTail), LogCCDF: above(poissonTail),
		SlowTails: incompleteGamma,
		Examples:  []string{"data y : count[N]\nparam rate ~ gamma(2, 0.5)\ny ~ poisson(rate)"},
	})
}

func poissonExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.MulLog(x, theta[0]), 1)
	b.Sum(theta[0], -1)
	return true
}

// factorialCarrier is -log(x!).
func factorialCarrier(x float64, _ []float64) float64 {
	if math.IsNaN(natural(x)) {
		return math.Inf(-1)
	}
	return -portable.LogAbsGamma(x + 1)
}

func poissonTail(x float64, theta [maxParams]float64, upper bool) point {
	lambda := nonNegative(theta[0])
	switch {
	case math.IsNaN(x + lambda):
		return invalid()
	case x < 0:
		return below0(upper)
	}
	lp, slope := portable.LogPoissonTail(math.Floor(x), lambda, upper)
	return point{lp: lp, dtheta: [maxParams]float64{slope}}
}
