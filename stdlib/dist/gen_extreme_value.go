package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// GenExtremeValue is the generalised extreme value distribution with location mu, scale sigma and shape xi.
func GenExtremeValue() def.Dist {
	return derived(def.Dist{
		Name: "gen_extreme_value",
		Doc: `The generalised extreme value distribution, of the largest of many draws: yearly maxima. It is gumbel(mu, sigma) where xi is 0, a Fréchet distribution with a lower end at mu - sigma/xi where
it is positive, and a reversed Weibull distribution with an upper end there where it is negative.

    log p(x) = -log(sigma) - (1 + xi) h - exp(-h),  h = log(1 + xi z)/xi, or z where xi is 0,  z = (x - mu)/sigma        for 1 + xi z > 0

With xi below -1 the density has no bound at the upper end: a prior for xi keeps away from there.

Source: brms, "Parameterization of Response Distributions"; Coles (2001), An Introduction to Statistical Modeling of Extreme Values, 3.1.`,
		Params:     []def.Param{locationParam, scaleParam, shapeOfExtremes},
		Support:    def.RealLine,
		Narrow:     endOfExtremes,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Power, Faster: func(theta []float64) bool { return theta[2] > -1 }},
		Upper:      def.End{Faster: func(theta []float64) bool { return theta[2] < 0 }},
		Expand:     genExtremeValueExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return extreme(theta, -portable.Log(tiny(portable.Exponential(r))))
		},
		LogCDF: below(genExtremeValueTail), LogCCDF: above(genExtremeValueTail),
		SlowTails: movingEnds,
		Slow:      oneBoxCox,
		Examples: []string{"data highest : real[N]\nparam mu ~ normal(0, 5)\nparam sigma ~ lognormal(0, 1)\nparam xi ~ " +
			"normal(0, 0.3)\nhighest ~ gen_extreme_value(mu, sigma, xi)"},
	})
}

func genExtremeValueExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	h := boxCoxed(b, x, theta)
	b.Sum(b.Mul(b.Add(b.Number(1), theta[2]), h), -1)
	b.Sum(b.Func("exp", b.Func("neg", h)), -1)
	b.Sum(b.Func("log", theta[1]), -1)
	return true
}

// genExtremeValueTail: the log of the distribution function is -exp(-h).
func genExtremeValueTail(x float64, theta [maxParams]float64, upper bool) point {
	least, most := endOfExtremes(theta[:], math.Inf(-1), math.Inf(1))
	switch {
	case math.IsNaN(x + theta[0] + positive(theta[1]) + theta[2]):
		return invalid()
	case x <= least:
		return below0(upper)
	case x >= most:
		return above1(upper)
	}
	return hazard(boxCoxedAt(x, theta), !upper)
}
