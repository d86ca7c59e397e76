package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Gumbel is the Gumbel distribution of maxima with location mu and scale beta.
func Gumbel() def.Dist {
	return derived(def.Dist{
		Name: "gumbel",
		Doc: `The Gumbel distribution, of the largest of many draws, with location mu and scale beta; its mean is mu + 0.5772 beta.

    log p(x) = -z - exp(-z) - log(beta),  z = (x - mu)/beta

Source: Stan Functions Reference, "Gumbel distribution".`,
		Params:     []def.Param{locationParam, {Name: "beta", Doc: "scale", Domain: def.Positive}},
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Exponential},
		Upper:      def.End{Decay: def.Power},
		Expand:     gumbelExpand,
		Between: betweenReversed(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return scaled(b, theta[0], x, b.Apply(above0(), theta[1]), 1)
		}),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] - float64(positive(theta[1])*portable.Log(tiny(portable.Exponential(r))))
		},
		LogCDF: below(gumbelTail.at), LogCCDF: above(gumbelTail.at),
		Examples: []string{"data highest : real[N]\nparam mu ~ normal(0, 5)\nhighest ~ gumbel(mu, 1)"},
	})
}

func gumbelExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	minus := scaled(b, theta[0], x, theta[1], 1)
	b.Sum(minus, 1)
	b.Sum(b.Func("exp", minus), -1)
	b.Sum(b.Func("log", theta[1]), -1)
	return true
}

// gumbelTail: the log of the distribution function is -exp(-z).
var gumbelTail standardTail = func(z float64, upper bool) (lp, slope float64) {
	p := hazard(point{lp: -z, dx: -1}, !upper)
	return p.lp, p.dx
}
