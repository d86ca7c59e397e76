package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Cauchy is the Cauchy distribution with median mu and scale sigma.
func Cauchy() def.Dist {
	return derived(def.Dist{
		Name: "cauchy",
		Doc: `The Cauchy distribution with median mu and half-width sigma: student_t with one degree of freedom. It has no mean.

    log p(x) = -log(π) - log(sigma) - log(1 + ((x - mu)/sigma)²)

Source: Stan Functions Reference, "Cauchy distribution".`,
		Params:     []def.Param{locationParam, scaleParam},
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Expand:     cauchyExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] + float64(positive(theta[1])*portable.Tan(math.Pi*(float64(r.Float64())-0.5)))
		},
		LogCDF: below(cauchyTail.at), LogCCDF: above(cauchyTail.at),
		Between:  betweenSymmetric(standardized, logCauchy),
		Examples: []string{"param mu ~ cauchy(0, 2.5)"},
	})
}

func cauchyExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Density(StudentT(), x, b.Number(1), theta[0], theta[1])
	return true
}

// cauchyTail is arctan(1/-z)/π, which keeps its digits in the tail.
var cauchyTail = symmetric(cauchyCDF)

func cauchyCDF(z float64) (lp, slope float64) {
	p := portable.Atan2(1, -z) / math.Pi
	lp = portable.Log(p)
	if z > 1 {
		lp = portable.Log1p(-portable.Atan2(1, z) / math.Pi)
	}
	return lp, 1 / (math.Pi * (1 + float64(z*z)) * p)
}
