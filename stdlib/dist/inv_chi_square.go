package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InvChiSquare is the distribution of 1/u for u chi-square with nu degrees of freedom.
func InvChiSquare() def.Dist {
	return derived(def.Dist{
		Name:    "inv_chi_square",
		Sums:    true,
		Grouped: standIn(InvChiSquare, harmonicMean, besides(portable.Log, affine(0, -0.5, -1))),
		Doc: `The inverse chi-square distribution with nu degrees of freedom: that of 1/u for u ~ chi_square(nu), inv_gamma(nu/2, 1/2).

    log p(x) = -(nu/2 + 1) log(x) - 1/(2 x) - lgamma(nu/2) - (nu/2) log(2)        for x > 0

Source: Stan Functions Reference, "Inverse chi-square distribution".`,
		Params:     []def.Param{nuParam},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Decay: def.Power},
		Expand:     invChiSquareExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(0.5 / tiny(drawGamma(r, 0.5*theta[0])))
		},
		LogCDF: below(invChiSquareTail), LogCCDF: above(invChiSquareTail),
		SlowTails: incompleteGamma,
		Slow:      oneLgamma,
		Examples:  []string{"param variance ~ inv_chi_square(5)"},
	})
}

func invChiSquareExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	half, logX := b.Mul(theta[0], b.Number(0.5)), b.Func("log", x)
	b.Sum(b.Mul(half, b.Add(logX, b.Number(math.Ln2))), -1)
	b.Sum(logX, -1)
	b.Sum(b.Div(b.Number(1), x), -0.5)
	b.Sum(b.Func("lgamma", half), -1)
	return true
}

func invChiSquareTail(x float64, theta [maxParams]float64, upper bool) point {
	lp, da, dg := inverseGammaTail(0.5*theta[0], 0.5, x, upper)
	return point{lp: lp, dx: -times(dg, 0.5/(x*x)), dtheta: [maxParams]float64{0.5 * da}}
}
