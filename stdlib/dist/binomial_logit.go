package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// BinomialLogit is the distribution of the number of successes in N trials with log odds alpha.
func BinomialLogit() def.Dist {
	return def.Dist{
		Name:    "binomial_logit",
		Sums:    true,
		Grouped: successes(BinomialLogit),
		Doc: `The number of successes in N independent trials, each with log odds alpha. N is data.

    log p(x) = log C(N, x) + x alpha - N log(1 + exp(alpha))        for x in 0..N

Source: Stan Functions Reference, "Binomial distribution, logit parameterization".`,
		Params: []def.Param{
			{Name: "N", Doc: "number of trials", Domain: def.Naturals, Integral: true},
			{Name: "alpha", Doc: "log odds of a success", Domain: def.RealLine, LinearIn: theValue},
		},
		Mean:       "N .* inv_logit(alpha)",
		Support:    def.UpToN,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogitLink, Param: 1},
		LogDensity: binomialLogitLogDensity,
		Rows:       def.BinomialLogitRows,
		Loop:       "regressions with weights are computed by it: one exponential for value and slope",
		Expand:     binomialLogitExpand,
		Elements:   binomialLogitElements,
		Carrier:    binomialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawBinomial(r, theta[0], portable.Sigmoid(theta[1]), portable.Sigmoid(-theta[1]))
		},
		LogCDF: below(binomialLogitTail), LogCCDF: above(binomialLogitTail),
		SlowTails: incompleteBeta,
		Examples: []string{"data deaths : count[N]\ndata treated : count[N]\nparam a ~ normal(0, " +
			"2)\ndeaths ~ binomial_logit(treated, a)"},
	}
}

// binomialCarrier is log C(N, x).
func binomialCarrier(x float64, theta []float64) float64 {
	n := natural(theta[0])
	x, rest := natural(x), nonNegative(n-x)
	v := -portable.Log1p(n) - portable.LogBeta(x+1, rest+1)
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

func binomialLogitLogDensity(b *def.Batch) float64 {
	trials, alpha, dalpha := b.Theta[0], b.Theta[1], partial(b, 1)
	clear(b.DX)
	clear(partial(b, 0)) // N is data
	sum := 0.0
	for i := range b.N {
		n, eta := natural(trials.At(i)), alpha.At(i)
		x := natural(b.X.At(i))
		rest := nonNegative(n - x)
		// A success adds -log(1+exp(-eta)), a failure -log(1+exp(eta)): no cancellation in either tail.
		z := portable.Exp(-math.Abs(eta))
		loss := portable.Log1pUnit(z, 0)
		lp := -times(x, max(-eta, 0)+loss) - times(rest, max(eta, 0)+loss)
		sum += lp
		set(b.LP, i, lp)
		p, q := sigmoids(eta, z)
		set(dalpha, i, float64(x*q)-float64(rest*p))
	}
	return finish(b, sum)
}

// quotient returns k/v, with 0/0 = 0.
func quotient(k, v float64) float64 {
	if k == 0 && v == 0 {
		return 0
	}
	return k / v
}

// times returns k·v, with 0·∞ = 0: an outcome that did not occur adds nothing.
func times(k, v float64) float64 {
	if k == 0 && !math.IsNaN(v) {
		return 0
	}
	return float64(k * v)
}

// binomialLogitExpand is for trials that differ between rows; the loop over rows is for a number of trials
// that they have in common.
func binomialLogitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if len(b.Dims(theta[0])) == 0 {
		return false
	}
	b.Sum(b.Mul(x, theta[1]), 1)
	b.Sum(b.Mul(theta[0], b.Func("softplus", theta[1])), -1)
	return true
}

// binomialLogitElements adds up successes and failures, without cancellation in either tail.
func binomialLogitElements(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	eta := theta[1]
	b.Sum(b.Times(x, b.Func("log_inv_logit", eta)), 1)
	b.Sum(b.Times(b.Sub(theta[0], x), b.Func("log1m_inv_logit", eta)), 1)
	return true
}

func binomialLogitTail(x float64, theta [maxParams]float64, upper bool) point {
	lp, flow := successesTail(x, theta[0], portable.Sigmoid(theta[1]), portable.Sigmoid(-theta[1]), upper)
	return point{lp: lp, dtheta: [maxParams]float64{0, flow}}
}
