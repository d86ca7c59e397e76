package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// BetaBinomial is the binomial distribution whose probability is beta(alpha, beta).
func BetaBinomial() def.Dist {
	return def.Dist{
		Name: "beta_binomial",
		Doc: `The number of successes in N trials whose probability is drawn from beta(alpha, beta): counts that vary more than a binomial allows. N is data.

    log p(x) = log C(N, x) + log B(x + alpha, N - x + beta) - log B(alpha, beta)        for x in 0..N

Its distribution function is a sum over the values on one side.

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
		LogDensity: func(b *def.Batch) float64 { return pointwise(b, betaBinomialAt) },
		Expand:     betaBinomialExpand,
		Loop:       "the log gamma functions of the vector form cancel where the shapes are large",
		Carrier:    binomialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			p := drawBeta(r, positive(theta[1]), positive(theta[2]))
			return drawBinomial(r, theta[0], p, 1-p)
		},
		LogCDF: below(betaBinomialTail), LogCCDF: above(betaBinomialTail),
		SlowTails: sumOfCounts,
		Slow: "five log gamma functions and their derivatives in each row; six where both " +
			"parameters have a value in each",
		Examples: []string{"data dead : count[N]\ndata litter : count[N]\nparam a ~ gamma(2, 0.5)\nparam b " +
			"~ gamma(2, 0.5)\ndead ~ beta_binomial(litter, a, b)"},
	}
}

func betaBinomialExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
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
	all := portable.DigammaDiff(alpha+beta, x+rest)
	return point{
		lp: portable.LgammaDiff(alpha, x) + portable.LgammaDiff(beta, rest) - portable.LgammaDiff(alpha+beta,
			x+rest),
		dtheta: [maxParams]float64{
			0,
			portable.DigammaDiff(alpha, x) - all,
			portable.DigammaDiff(beta, rest) - all,
		},
	}
}

// betaBinomialTail sums over the values on the side of x where the probability is less.
func betaBinomialTail(x float64, theta [maxParams]float64, upper bool) point {
	n, alpha, beta := natural(theta[0]), positive(theta[1]), positive(theta[2])
	x = math.Floor(x)
	switch {
	case math.IsNaN(x + n + alpha + beta):
		return invalid()
	case x < 0:
		return below0(upper)
	case x >= n:
		return above1(upper)
	}
	p := betaBinomialSide(x, n, alpha, beta, upper)
	if p.lp > -math.Ln2 {
		return betaBinomialSide(x, n, alpha, beta, !upper).complement()
	}
	return p
}

// betaBinomialSide adds up the probabilities of x, x-1, …, 0 or (upper) of x+1, …, n, each from the one
// before. The upper ones are those of n - x with the other shape first.
func betaBinomialSide(x, n, alpha, beta float64, upper bool) point {
	if upper {
		p := betaBinomialSide(n-x-1, n, beta, alpha, false)
		p.dtheta[1], p.dtheta[2] = p.dtheta[2], p.dtheta[1]
		return p
	}
	p := betaBinomialAt(x, [maxParams]float64{n, alpha, beta})
	p.lp += binomialCarrier(x, []float64{n, alpha, beta})
	term, da, db := 1.0, p.dtheta[1], p.dtheta[2]
	sum, sumA, sumB := term, da, db
	for k, done := x, false; k > 0 && !done; k-- {
		ratio := k / (n - k + 1) * (n - k + beta) / (k - 1 + alpha)
		da -= 1 / (k - 1 + alpha)
		db += 1 / (n - k + beta)
		term = float64(term * ratio)
		sum += term
		sumA += float64(term * da)
		sumB += float64(term * db)
		if term > 1e200 { // p.lp is the log of the unit
			p.lp += portable.Log(term)
			sum, sumA, sumB, term = sum/term, sumA/term, sumB/term, 1
		}
		done = ratio < 1 && alpha >= 1 && beta >= 1 && term*k < 1e-18*sum // the ratio falls too
	}
	p.lp += portable.Log(sum)
	p.dtheta = [maxParams]float64{0, sumA / sum, sumB / sum}
	return p
}
