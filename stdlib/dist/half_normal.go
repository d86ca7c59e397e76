package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// HalfNormal is the distribution of |x| for x normal with mean 0 and standard deviation sigma.
func HalfNormal() def.Dist {
	return derived(def.Dist{
		Name: "half_normal",
		Sums: true,
		Doc: `The distribution of |u| for u ~ normal(0, sigma): a prior for standard deviations.

    log p(x) = -x² / (2 sigma²) - log(sigma) + log(2/π)/2        for x ≥ 0

Its mean is sigma·sqrt(2/π).

Source: normal(0, sigma) folded at 0; Gelman, Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1 (2006).`,
		Params:     []def.Param{scaleParam},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    0,
		Upper:      def.End{Decay: def.Exponential},
		Expand:     halfNormalExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return positive(theta[0]) * math.Abs(portable.Normal(r))
		},
		LogCDF: below(half(normalTail, normalWithin)), LogCCDF: above(half(normalTail, normalWithin)),
		Between:  betweenHalf(logPhi, withinHalf("log_half_normal_cdf", def.HalfNormalLoop, normalTail, normalWithin)),
		Examples: []string{"param tau ~ half_normal(1)"},
	})
}

func halfNormalExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Density(Normal(), x, b.Number(0), theta[0])
	b.Each(math.Ln2)
	return true
}

// normalWithin is the probability that |u| is at most z for a standard normal u, and cauchyWithin for a
// standard Cauchy u.
func normalWithin(z float64) float64 { return portable.Erf(z / math.Sqrt2) }
func cauchyWithin(z float64) float64 { return 2 / math.Pi * portable.Atan(z) }
