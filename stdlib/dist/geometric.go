package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Geometric is the distribution of the number of failures before the first success.
func Geometric() def.Dist {
	return derived(def.Dist{
		Name: "geometric",
		Sums: true,
		Doc: `The number of failures before the first success, in trials with probability theta of a success; its mean is (1 - theta)/theta.

    log p(x) = log(theta) + x log(1 - theta)        for x = 0, 1, 2, …

Source: Johnson, Kemp and Kotz, Univariate Discrete Distributions, section 5.2; neg_binomial with shape 1 and inverse scale theta/(1 - theta).`,
		Params: []def.Param{{Name: "theta", Doc: "probability of a success", Domain: def.UnitInterval,
			LinearIn: theValue}},
		Mean:       "(1 - theta) ./ theta",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Expand:     geometricExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			p := positive(theta[0]) + float64(0*nonNegative(1-theta[0]))
			return math.Floor(portable.Exponential(r) / -portable.Log1p(-p))
		},
		LogCDF: below(geometricTail), LogCCDF: above(geometricTail),
		SlowTails: wholeNumbers,
		Examples:  []string{"data tries : count[N]\nparam p ~ beta(1, 1)\ntries ~ geometric(p)"},
	})
}

// failures is the distribution with the log odds of a failure for its parameter.
func failures() def.Dist {
	return derived(def.Dist{
		Name: "geometric", Params: []def.Param{{Name: "odds", Domain: def.RealLine}}, Support: def.Naturals,
		Discrete: true, LocationAt: -1, ScaleAt: -1,
		Link: def.Link{Scale: def.LogLink, Param: 0},
		Rows: def.GeometricRows,
		Elements: func(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
			b.Sum(b.Func("softplus", theta[0]), -1)
			b.Sum(b.Times(x, b.Func("softplus", b.Func("neg", theta[0]))), -1)
			return true
		},
	})
}

// geometricExpand has a loop for log odds; for other probabilities it has no failures to add where there are
// none.
func geometricExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if m, ok := b.Argument("inv_logit", theta[0]); ok {
		b.Density(failures(), x, b.Func("neg", m))
		return true
	}
	p := b.Apply(unit(), theta[0])
	return b.Split([]def.Value{x}, func(x []float64) bool {
		return x[0] > 0
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Sum(b.Func("log", of(p)), 1)
		b.Sum(b.Mul(of(x), b.Func("log1m", of(p))), 1)
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) { b.Sum(b.Func("log", of(p)), 1) })
}

func geometricTail(x float64, theta [maxParams]float64, upper bool) point {
	p := probability(theta[0])
	n := math.Floor(x) + 1
	switch {
	case math.IsNaN(n + p):
		return invalid()
	case n <= 0:
		return below0(upper)
	}
	g := -portable.Log1p(-p)
	return hazard(point{lp: portable.Log(n) + portable.Log(g), dtheta: [maxParams]float64{1 / ((1 - p) * g)}},
		upper)
}
