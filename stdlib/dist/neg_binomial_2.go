package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// NegBinomial2 is the negative binomial distribution with mean mu and inverse dispersion phi.
func NegBinomial2() def.Dist {
	return derived(def.Dist{
		Name: "neg_binomial_2",
		Doc: `The negative binomial distribution with mean mu and variance mu + mu²/phi. Where mu is exp(eta), use neg_binomial_2_log(eta, phi).

    log p(x) = log Γ(x + phi)/(x! Γ(phi)) + x log(mu/(mu + phi)) + phi log(phi/(mu + phi))        for x = 0, 1, 2, …

Source: Stan Functions Reference, "Negative binomial distribution, alternative parameterization".`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean", Domain: def.Positive, LinearIn: theValue},
			{Name: "phi", Doc: "inverse dispersion", Domain: def.Positive},
		},
		Mean:       "mu",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Predicted:  []def.PredictorForm{{Param: 0, Func: "exp", Form: NegBinomial2Log}},
		Expand: func(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
			b.Density(uncarried(NegBinomial2Log()), x, b.Func("log", b.Apply(above0(), theta[0])), theta[1])
			return true
		},
		Carrier: factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, positive(theta[0])*(drawGamma(r, theta[1])/theta[1]))
		},
		LogCDF: below(negBinomial2Tail), LogCCDF: above(negBinomial2Tail),
		SlowTails: incompleteBeta,
		Examples: []string{"data y : count[N]\nparam mu ~ gamma(2, 0.1)\nparam phi ~ gamma(2, 0.1)\ny ~ " +
			"neg_binomial_2(mu, phi)"},
	})
}

func negBinomial2Tail(x float64, theta [maxParams]float64, upper bool) point {
	mu, phi := nonNegative(theta[0]), theta[1]
	lp, da, flow := failuresTail(x, phi, phi/(phi+mu), mu/(phi+mu), upper)
	return point{lp: lp, dtheta: [maxParams]float64{-quotient(flow, mu), da + flow/phi}}
}
