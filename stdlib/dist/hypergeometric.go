package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

const nothingToCompute = "all of its parameters are data, so that its log density is a constant"

// Hypergeometric is the distribution of the number of marked items among those drawn without replacement.
func Hypergeometric() def.Dist {
	return derived(def.Dist{
		Name: "hypergeometric",
		Doc: `The number of marked items among N that are drawn without replacement from a marked items and b others. All parameters are data, so that it adds a constant to a model; vflc simulate draws from it.

    log p(x) = log C(a, x) + log C(b, N - x) - log C(a + b, N)        for x from max(0, N - b) to min(a, N)

Source: Stan Functions Reference, "Hypergeometric distribution".`,
		Params: []def.Param{
			{Name: "N", Doc: "number of items drawn, no more than a + b", Domain: def.Naturals,
				Integral: true},
			{Name: "a", Doc: "marked items", Domain: def.Naturals, Integral: true},
			{Name: "b", Doc: "other items", Domain: def.Naturals, Integral: true},
		},
		Support:  def.UpToN,
		Discrete: true,
		Narrow: func(theta []float64, lower, upper float64) (float64, float64) {
			return max(lower, theta[0]-theta[2]), min(upper, theta[1])
		},
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "N .* a ./ (a + b)",
		Slow:       nothingToCompute,
		Carrier:    hypergeometricCarrier,
		Sample:     hypergeometricSample,
		NoCDF:      nothingToCompute,
		Examples:   []string{"data y : count[N]\ny ~ hypergeometric(5, 10, 20)"},
	})
}

// hypergeometricCarrier uses that x and N - x successes among a and b trials, given their sum N, have this
// distribution for any probability of a success.
func hypergeometricCarrier(x float64, theta []float64) float64 {
	n, a, b := natural(theta[0]), natural(theta[1]), natural(theta[2])
	x, p := natural(x), n/(a+b)
	q := nonNegative(a+b-n) / (a + b)
	switch {
	case !(max(0, n-b) <= x && x <= min(n, a)):
		return math.Inf(-1)
	case n == 0 || q == 0:
		return 0
	}
	return portable.LogBinomial(x, a, p, q) + portable.LogBinomial(n-x, b, p, q) -
		portable.LogBinomial(n, a+b, p, q)
}

// hypergeometricSample draws item by item, the fewer of those that are drawn and those that are left.
func hypergeometricSample(r *rand.Rand, theta []float64) float64 {
	n, a, b := natural(theta[0]), natural(theta[1]), natural(theta[2])
	if !(n <= a+b) {
		return math.NaN()
	}
	if 2*n > a+b {
		return a - hypergeometricSample(r, []float64{a + b - n, a, b})
	}
	marked := 0.0
	for ; n > 0; n-- {
		if r.Float64()*(a+b) < a {
			a--
			marked++
		} else {
			b--
		}
	}
	return marked
}
