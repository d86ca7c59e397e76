package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ScaledInvChiSquare is the scaled inverse chi-square distribution with nu degrees of freedom and scale s.
func ScaledInvChiSquare() def.Dist {
	return derived(def.Dist{
		Name:    "scaled_inv_chi_square",
		Sums:    true,
		Grouped: standIn(ScaledInvChiSquare, harmonicMean, besides(portable.Log, affine(0, -0.5, -1))),
		Doc: `The scaled inverse chi-square distribution with nu degrees of freedom and scale s: inv_gamma(nu/2, nu s²/2), a prior of variances about s².

    log p(x) = (nu/2) log(nu s²/2) - lgamma(nu/2) - (nu/2 + 1) log(x) - nu s²/(2 x)        for x > 0

Source: Stan Functions Reference, "Scaled inverse chi-square distribution".`,
		Params: []def.Param{nuParam, {Name: "s", Doc: "scale, a standard deviation",
			Domain: def.Positive}},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Decay: def.Power},
		Expand:     scaledInvChiSquareExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			s := positive(theta[1])
			return tiny(0.5 * theta[0] * s * s / tiny(drawGamma(r, 0.5*theta[0])))
		},
		LogCDF: below(scaledInvChiSquareTail), LogCCDF: above(scaledInvChiSquareTail),
		SlowTails: incompleteGamma,
		Slow: "a log gamma function and its derivative, an exponential and a logarithm in " +
			"each row, forward and back",
		Examples: []string{"param variance ~ scaled_inv_chi_square(5, 2)"},
	})
}

// With q = nu s²/2, the log density is (nu/2) log(q/x) - q/x - log x - lgamma(nu/2).
func scaledInvChiSquareExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	half := b.Mul(theta[0], b.Number(0.5))
	logQ := b.Add(b.Func("log", half), b.Mul(b.Func("log", theta[1]), b.Number(2)))
	logX := b.Func("log", x)
	ratio := b.Sub(logQ, logX)
	b.Sum(b.Mul(half, ratio), 1)
	b.Sum(b.Func("exp", ratio), -1)
	b.Sum(logX, -1)
	b.Sum(b.Func("lgamma", half), -1)
	return true
}

func scaledInvChiSquareTail(x float64, theta [maxParams]float64, upper bool) point {
	nu, s := theta[0], positive(theta[1])
	scale := 0.5 * nu * s * s
	lp, da, dg := inverseGammaTail(0.5*nu, scale, x, upper)
	return point{lp: lp, dx: -times(dg, scale/(x*x)),
		dtheta: [maxParams]float64{float64(0.5*da) + times(dg, 0.5*s*s/x), times(dg, nu*s/x)}}
}
