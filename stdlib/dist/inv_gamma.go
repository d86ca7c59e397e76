package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InvGamma is the distribution of 1/u for u gamma with shape alpha and rate beta.
func InvGamma() def.Dist {
	return derived(def.Dist{
		Name:    "inv_gamma",
		Sums:    true,
		Grouped: standIn(InvGamma, harmonicMean, besides(portable.Log, affine(0, -1, -1))),
		Doc: `The inverse gamma distribution with shape alpha and scale beta: that of 1/u for u ~ gamma(alpha, beta).

    log p(x) = alpha log(beta) - lgamma(alpha) - (alpha + 1) log(x) - beta/x        for x > 0

Source: Stan Functions Reference, "Inverse gamma distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "shape", Domain: def.Positive},
			{Name: "beta", Doc: "scale", Domain: def.Positive, LinearIn: itsInv},
		},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    1,
		Lower:      def.End{Decay: def.Power},
		Expand:     invGammaExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(positive(theta[1]) / tiny(drawGamma(r, theta[0])))
		},
		LogCDF: below(invGammaTail), LogCCDF: above(invGammaTail),
		SlowTails: incompleteGamma,
		Examples:  []string{"param variance ~ inv_gamma(3, 2)"},
	})
}

func invGammaExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Div(theta[1], x), -1)
	alpha, ok := b.Const(theta[0])
	if !ok {
		b.Sum(b.Mul(b.Add(theta[0], b.Number(1)), b.Func("log", x)), -1)
		b.Sum(b.Mul(theta[0], b.Func("log", theta[1])), 1)
		b.Sum(b.Func("lgamma", theta[0]), -1)
		return true
	}
	b.Sum(b.Func("log", x), -(alpha + 1))
	b.Sum(b.Func("log", theta[1]), alpha)
	b.Each(-lgamma(alpha))
	return true
}

func invGammaTail(x float64, theta [maxParams]float64, upper bool) point {
	beta := positive(theta[1])
	lp, da, dg := inverseGammaTail(theta[0], beta, x, upper)
	return point{lp: lp, dx: -times(dg, beta/(x*x)), dtheta: [maxParams]float64{da, times(dg, 1/x)}}
}

// inverseGammaTail is the tail at x of scale/g, for g from the gamma distribution of a shape; dg is the
// derivative in scale/x.
func inverseGammaTail(shape, scale, x float64, upper bool) (lp, da, dg float64) {
	if x <= 0 {
		lp, _, _ = portable.LogIncGamma(shape, 1/scale, upper)
		return below0(upper).of(point{lp: lp}).lp, 0, 0
	}
	return portable.LogIncGamma(shape, scale/x, !upper)
}
