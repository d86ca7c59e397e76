package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// PoissonLog is the Poisson distribution with log rate alpha.
func PoissonLog() def.Dist {
	return derived(def.Dist{
		Name: "poisson_log",
		Sums: true,
		Grouped: poissonGroups(PoissonLog, func(b def.DensityBuilder, alpha, count def.Value) def.Value {
			return b.Add(alpha, b.Func("log", count))
		}),
		Doc: `The Poisson distribution with log rate alpha: Poisson regression. An exposure enters as + log(exposure).

    log p(x) = x alpha - exp(alpha) - log(x!)        for x = 0, 1, 2, …

Source: Stan Functions Reference, "Poisson distribution, log parameterization".`,
		Params:     []def.Param{{Name: "alpha", Doc: "log rate", Domain: def.RealLine, LinearIn: theValue}},
		Mean:       "exp(alpha)",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogLink, Param: 0},
		Rows:       def.PoissonLogRows,
		Expand:     poissonLogExpand,
		Carrier:    factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, portable.Exp(theta[0]))
		},
		LogCDF: below(poissonLogTail), LogCCDF: above(poissonLogTail),
		SlowTails: incompleteGamma,
		Examples: []string{"data y : count[N]\ndata x : real[N]\nparam a ~ normal(0, 2)\nparam b ~ " +
			"normal(0, 1)\ny ~ poisson_log(a + b * x)"},
	})
}

func poissonLogExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Times(x, theta[0]), 1)
	b.Sum(b.Func("exp", theta[0]), -1)
	return true
}

func poissonLogTail(x float64, theta [maxParams]float64, upper bool) point {
	lambda := portable.Exp(theta[0])
	p := poissonTail(x, [maxParams]float64{lambda}, upper)
	p.dtheta[0] = times(p.dtheta[0], lambda)
	return p
}
