package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ChiSquare is the chi-square distribution with nu degrees of freedom.
func ChiSquare() def.Dist {
	return derived(def.Dist{
		Name:    "chi_square",
		Sums:    true,
		Grouped: standIn(ChiSquare, meanOf, besides(portable.Log, affine(0, 0.5, -1))),
		Doc: `The chi-square distribution with nu degrees of freedom: gamma(nu/2, 1/2), that of a sum of nu squared standard normals.

    log p(x) = (nu/2 - 1) log(x) - x/2 - lgamma(nu/2) - (nu/2) log(2)        for x > 0, and for x = 0 where nu is 2

Source: Stan Functions Reference, "Chi-square distribution".`,
		Params:     []def.Param{nuParam},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower: def.End{Exponent: &def.Exponent{Param: 0, Of: func(theta []float64) float64 {
			return float64(0.5*theta[0]) - 1
		}}},
		Upper:  def.End{Decay: def.Power},
		Expand: chiSquareExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(2 * drawGamma(r, 0.5*theta[0]))
		},
		LogCDF: below(chiSquareTail), LogCCDF: above(chiSquareTail),
		SlowTails: incompleteGamma,
		Slow:      oneLgamma,
		Examples:  []string{"param deviance ~ chi_square(5)"},
	})
}

func chiSquareExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	half := b.Mul(theta[0], b.Number(0.5))
	if nu, ok := b.Const(theta[0]); !ok || nu != 2 { // at x = 0 the term is then 0, and not 0·∞
		b.Sum(b.Mul(b.Sub(half, b.Number(1)), b.Func("log", x)), 1)
	}
	b.Sum(x, -0.5)
	b.Sum(b.Func("lgamma", half), -1)
	b.Sum(half, -math.Ln2)
	return true
}

func chiSquareTail(x float64, theta [maxParams]float64, upper bool) point {
	lp, da, dg := portable.LogIncGamma(0.5*theta[0], 0.5*x, upper)
	return point{lp: lp, dx: 0.5 * dg, dtheta: [maxParams]float64{0.5 * da}}
}
