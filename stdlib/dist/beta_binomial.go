package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/special"
)

// BetaBinomial is the binomial distribution whose probability is beta(alpha, beta).
func BetaBinomial() def.Dist {
	return def.Dist{
		Name: "beta_binomial",
		Doc: `The number of successes in N trials whose probability is drawn from beta(alpha, beta): counts that vary more than a binomial allows. N is data.

    log p(x) = log C(N, x) + log B(x + alpha, N - x + beta) - log B(alpha, beta)        for x in 0..N

Source: Stan Functions Reference, "Beta-binomial distribution".`,
		Params: []def.Param{
			{Name: "N", Doc: "number of trials", Domain: def.Naturals, Integral: true},
			{Name: "alpha", Doc: "prior successes", Domain: def.Positive},
			{Name: "beta", Doc: "prior failures", Domain: def.Positive},
		},
		Mean:       "N .* alpha ./ (alpha + beta)",
		Support:    def.UpToN,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		LogDensity: func(b *def.Block) float64 { return pointwise(b, betaBinomialAt) },
		Expand:     betaBinomialExpand,
		Carrier:    binomialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			p := drawBeta(r, positive(theta[1]), positive(theta[2]))
			return drawBinomial(r, theta[0], p, 1-p)
		},
		NoCDF:    "its distribution function is a sum over all smaller values",
		Examples: []string{"data dead : count[N]\ndata litter : count[N]\nparam a ~ gamma(2, 0.5)\nparam b ~ gamma(2, 0.5)\ndead ~ beta_binomial(litter, a, b)"},
		Cases: []def.Case{
			{X: 3, Theta: []float64{10, 0.4, 2}, LogP: -2.5816413230909587},
			{X: 12, Theta: []float64{12, 30, 2}, LogP: -0.6636851478296291},
			{X: 500, Theta: []float64{1000, 51, 49}, LogP: -4.899522184736212},
			{X: 2, Theta: []float64{40, 1000000, 30000000}, LogP: -1.4546944845168746},
			{X: 0, Theta: []float64{0, 1, 1}, LogP: 0},
		},
	}
}

func betaBinomialExpand(b def.Builder, x def.Value, theta []def.Value) bool {
	n, alpha, beta := theta[0], theta[1], theta[2]
	logGamma := func(v def.Value, k float64) { b.Sum(b.Func("lgamma", v), k) }
	total := b.Add(alpha, beta)
	logGamma(b.Add(x, alpha), 1)
	logGamma(b.Add(b.Sub(n, x), beta), 1)
	logGamma(b.Add(n, total), -1)
	logGamma(total, 1)
	logGamma(alpha, -1)
	logGamma(beta, -1)
	return true
}

func betaBinomialAt(x float64, theta [maxParams]float64) point {
	alpha, beta := positive(theta[1]), positive(theta[2])
	x = natural(x)
	rest := nonNegative(natural(theta[0]) - x)
	all := special.DigammaDiff(alpha+beta, x+rest)
	return point{
		lp: special.LgammaDiff(alpha, x) + special.LgammaDiff(beta, rest) - special.LgammaDiff(alpha+beta, x+rest),
		dtheta: [maxParams]float64{
			0,
			special.DigammaDiff(alpha, x) - all,
			special.DigammaDiff(beta, rest) - all,
		},
	}
}
