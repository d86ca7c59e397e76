package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// HalfCauchy is the distribution of |x| for x Cauchy with median 0 and scale sigma.
func HalfCauchy() def.Dist {
	return derived(def.Dist{
		Name: "half_cauchy",
		Doc: `The distribution of |u| for u ~ cauchy(0, sigma): a heavy-tailed prior for scales. Its median is sigma; it has no mean.

    log p(x) = log(2/π) - log(sigma) - log(1 + (x/sigma)²)        for x ≥ 0

Source: cauchy(0, sigma) folded at 0; Gelman, Bayesian Analysis 1 (2006).`,
		Params:     []def.Param{scaleParam},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    0,
		Expand:     halfCauchyExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return positive(theta[0]) * portable.Tan(math.Pi/2*r.Float64())
		},
		LogCDF: below(half(cauchyTail, cauchyWithin)), LogCCDF: above(half(cauchyTail, cauchyWithin)),
		Between:  betweenHalf(logCauchy, withinHalf("log_half_cauchy_cdf", def.HalfCauchyLoop, cauchyTail, cauchyWithin)),
		Examples: []string{"param tau ~ half_cauchy(1)"},
	})
}

func halfCauchyExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Density(Cauchy(), x, b.Number(0), theta[0])
	b.Each(math.Ln2)
	return true
}
