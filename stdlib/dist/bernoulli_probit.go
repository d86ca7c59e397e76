package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// BernoulliProbit is the distribution of a 0/1 variable that is 1 with probability Phi(alpha).
func BernoulliProbit() def.Dist {
	return derived(def.Dist{
		Name: "bernoulli_probit",
		Sums: true,
		Doc: `The distribution of a 0/1 variable that is 1 with probability Phi(alpha): probit regression.

    log p(x) = log(Phi(alpha)) where x is 1, log(Phi(-alpha)) where x is 0

Source: Albert and Chib (1993), Bayesian analysis of binary and polychotomous response data, JASA 88.`,
		Params: []def.Param{{Name: "alpha", Doc: "probit of the probability of 1", Domain: def.RealLine,
			LinearIn: theValue}},
		Mean:       "Phi(alpha)",
		Support:    def.ZeroOne,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.ProbitLink, Param: 0},
		Rows:       def.BernoulliProbitRows,
		Expand:     bernoulliProbitExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawBinary(r, portable.Phi(theta[0]))
		},
		LogCDF: below(bernoulliProbitTail), LogCCDF: above(bernoulliProbitTail),
		SlowTails: fewCounts,
		Examples: []string{"data y : binary[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\ny ~ " +
			"bernoulli_probit(b * x)"},
	})
}

// bernoulliProbitExpand uses that both outcomes are log Phi of the predictor with a sign, 2 x - 1.
func bernoulliProbitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	sign := b.Sub(b.Mul(b.Number(2), x), b.Number(1))
	b.Sum(b.Func("log_Phi", b.Mul(sign, theta[0])), 1)
	return true
}

func bernoulliProbitTail(x float64, theta [maxParams]float64, upper bool) point {
	zero, down := portable.LogPhiAndSlope(-theta[0])
	one, up := portable.LogPhiAndSlope(theta[0])
	return binaryTail(x, point{lp: zero, dtheta: [maxParams]float64{-down}},
		point{lp: one, dtheta: [maxParams]float64{up}}, upper)
}
