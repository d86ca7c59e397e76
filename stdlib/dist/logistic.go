package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Logistic is the logistic distribution with mean mu and scale sigma.
func Logistic() def.Dist {
	return derived(def.Dist{
		Name: "logistic",
		Doc: `The logistic distribution with mean mu and scale sigma; its standard deviation is sigma π/√3.

    log p(x) = -z - 2 log(1 + exp(-z)) - log(sigma),  z = (x - mu)/sigma

Source: Stan Functions Reference, "Logistic distribution".`,
		Params:     []def.Param{locationParam, scaleParam},
		Mean:       "mu",
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     logisticExpand,
		Between:    betweenSymmetric(standardized, logSigmoid),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			u := r.Float64()
			return theta[0] + float64(positive(theta[1])*(portable.Log(tiny(u))-portable.Log1p(-u)))
		},
		LogCDF: below(logisticTail.at), LogCCDF: above(logisticTail.at),
		Examples: []string{"param mu ~ logistic(0, 1)"},
	})
}

func logisticExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	bothOutcomes(b, scaled(b, x, theta[0], theta[1], 1))
	b.Sum(b.Func("log", theta[1]), -1)
	return true
}

// bothOutcomes adds the log probabilities of a success and of a failure with log odds z: the density of the
// standard logistic distribution.
func bothOutcomes(b def.DensityBuilder, z def.Value) {
	two := BinomialLogit()
	two.Carrier = nil
	b.Density(two, b.Fill(1), b.Number(2), z)
}

var logisticTail = symmetric(func(z float64) (lp, slope float64) {
	return -portable.Log1pExp(-z), portable.Sigmoid(-z)
})
