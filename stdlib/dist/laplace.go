package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Laplace is the double exponential distribution with mean mu and scale sigma.
func Laplace() def.Dist {
	return derived(def.Dist{
		Name: "laplace",
		Doc: `The Laplace distribution, Stan's double_exponential, with mean mu and scale sigma; its standard deviation is sigma·sqrt(2).

    log p(x) = -|x - mu|/sigma - log(2 sigma)

Source: Stan Functions Reference, "Double exponential (Laplace) distribution".`,
		Params:     []def.Param{locationParam, scaleParam},
		Mean:       "mu",
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     laplaceExpand,
		Between:    betweenSymmetric(standardized, logLaplace),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			u := portable.Exponential(r)
			if r.Uint64()&1 == 0 {
				u = -u
			}
			return theta[0] + float64(positive(theta[1])*u)
		},
		LogCDF: below(laplaceTail.at), LogCCDF: above(laplaceTail.at),
		Examples: []string{"param beta : real[5] ~ laplace(0, 1)"},
	})
}

func laplaceExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Mul(b.Func("abs", b.Sub(x, theta[0])), b.Div(b.Number(1), theta[1])), -1)
	b.Sum(b.Func("log", theta[1]), -1)
	b.Each(-math.Ln2)
	return true
}

var laplaceTail = symmetric(func(z float64) (lp, slope float64) {
	if z < 0 {
		return z - math.Ln2, 1
	}
	rest := float64(0.5 * portable.Exp(-z))
	return portable.Log1p(-rest), rest / (1 - rest)
})

// logLaplace is the log of the distribution function of the standard member.
func logLaplace(b def.DensityBuilder, z def.Value) def.Value {
	less := b.Call("lt", z, b.Number(0))
	fromBelow := b.Sub(z, b.Number(math.Ln2))
	return b.Call("where", less, fromBelow,
		b.Func("log1m", b.Func("exp", b.Sub(b.Func("neg", z), b.Number(math.Ln2)))))
}
