package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Gamma is the gamma distribution with shape alpha and rate beta.
func Gamma() def.Dist {
	return derived(def.Dist{
		Name:    "gamma",
		Sums:    true,
		Grouped: standIn(Gamma, meanOf, besides(portable.Log, affine(0, 1, -1))),
		Doc: `The gamma distribution with shape alpha and rate (inverse scale) beta; its mean is alpha/beta.

    log p(x) = alpha log(beta) - lgamma(alpha) + (alpha - 1) log(x) - beta x        for x > 0, and for x = 0 where alpha is 1

Source: Stan Functions Reference, "Gamma distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "shape", Domain: def.Positive},
			{Name: "beta", Doc: "rate", Domain: def.Positive, LinearIn: theValue},
		},
		Mean:       "alpha ./ beta",
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Exponent: def.LessOne(0)},
		Upper:      def.End{Decay: def.Power},
		Expand:     gammaExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(drawGamma(r, theta[0]) / positive(theta[1]))
		},
		LogCDF: below(gammaDistTail), LogCCDF: above(gammaDistTail),
		SlowTails: incompleteGamma,
		Slow:      oneLgamma,
		Examples:  []string{"param rate ~ gamma(2, 0.5)"},
	})
}

func gammaExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Mul(theta[1], x), -1)
	alpha, ok := b.Const(theta[0])
	if !ok {
		b.Sum(b.Mul(b.Sub(theta[0], b.Number(1)), b.Func("log", x)), 1)
		b.Sum(b.Mul(theta[0], b.Func("log", theta[1])), 1)
		b.Sum(b.Func("lgamma", theta[0]), -1)
		return true
	}
	if alpha != 1 { // at x = 0 the term is then 0, and not 0·∞
		b.Sum(b.Func("log", x), alpha-1)
	}
	b.Sum(b.Func("log", theta[1]), alpha)
	b.Each(-lgamma(alpha))
	return true
}

func lgamma(v float64) float64 { return portable.LogAbsGamma(v) }

func gammaDistTail(x float64, theta [maxParams]float64, upper bool) point {
	lp, da, dg := portable.LogIncGamma(theta[0], x*positive(theta[1]), upper)
	return point{lp: lp, dx: dg * theta[1], dtheta: [maxParams]float64{da, dg * max(x, 0)}}
}
