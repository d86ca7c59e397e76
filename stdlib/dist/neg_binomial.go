package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// NegBinomial is the negative binomial distribution with shape alpha and inverse scale beta.
func NegBinomial() def.Dist {
	return derived(def.Dist{
		Name: "neg_binomial",
		Doc: `The negative binomial distribution with shape alpha and inverse scale beta: a Poisson whose rate is gamma(alpha, beta). Its mean is alpha/beta.

    log p(x) = log Γ(x + alpha)/(x! Γ(alpha)) + alpha log(beta/(beta + 1)) - x log(beta + 1)        for x = 0, 1, 2, …

Source: Stan Functions Reference, "Negative binomial distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "shape", Domain: def.Positive},
			{Name: "beta", Doc: "inverse scale", Domain: def.Positive, LinearIn: theValue},
		},
		Mean:       "alpha ./ beta",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Carrier:    factorialCarrier,
		Expand:     negBinomialExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, drawGamma(r, theta[0])/positive(theta[1]))
		},
		LogCDF: below(negBinomialTail), LogCCDF: above(negBinomialTail),
		SlowTails: incompleteBeta,
		Slow:      twoLgammas,
		Examples: []string{"data y : count[N]\nparam alpha ~ gamma(2, 0.1)\nparam beta ~ gamma(2, 1)\ny ~ " +
			"neg_binomial(alpha, beta)"},
	})
}

// negBinomialExpand has a loop where one alpha serves all rows.
func negBinomialExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	alpha, logBeta := theta[0], b.Func("log", theta[1])
	if len(b.Dims(alpha)) == 0 {
		b.Density(uncarried(NegBinomial2Log()), x, b.Sub(b.Func("log", alpha), logBeta), alpha)
		return true
	}
	b.Sum(b.Rising(alpha, x), 1)
	b.Sum(b.Mul(alpha, b.Func("softplus", b.Func("neg", logBeta))), -1)
	b.Sum(b.Times(x, b.Func("softplus", logBeta)), -1)
	b.Sum(b.Func("log", alpha), 0) // NaN where alpha is not positive
	return true
}

// uncarried is a distribution without its carrier, where that of another stands for it.
func uncarried(d def.Dist) def.Dist {
	d.Carrier = nil
	return d
}

func negBinomialTail(x float64, theta [maxParams]float64, upper bool) point {
	beta := positive(theta[1])
	lp, da, flow := failuresTail(x, theta[0], beta/(1+beta), 1/(1+beta), upper)
	return point{lp: lp, dtheta: [maxParams]float64{da, flow / beta}}
}

// failuresTail is the tail of the number of failures before the n-th success, n > 0 any real number, of
// probability p = 1 - q, with its derivative in n, and p·q times that in p.
func failuresTail(x, n, p, q float64, upper bool) (lp, dn, flow float64) {
	if x < 0 {
		lp, _, _, _ = betaTail(n, 1, p, q, upper)
		return below0(upper).of(point{lp: lp}).lp, 0, 0
	}
	lp, dn, _, flow = betaTail(n, math.Floor(x)+1, p, q, upper)
	return lp, dn, flow
}
