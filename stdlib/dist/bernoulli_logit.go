package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// BernoulliLogit is the distribution of a 0/1 variable that is 1 with log odds alpha.
func BernoulliLogit() def.Dist {
	return def.Dist{
		Name:    "bernoulli_logit",
		Sums:    true,
		Grouped: successes(BinomialLogit),
		Doc: `The distribution of a 0/1 variable that is 1 with log odds alpha, probability 1/(1 + exp(-alpha)): logistic regression.

    log p(x) = x alpha - log(1 + exp(alpha))        for x = 0 or 1

Source: Stan Functions Reference, "Bernoulli distribution, logit parameterization".`,
		Params: []def.Param{{Name: "alpha", Doc: "log odds of 1", Domain: def.RealLine,
			LinearIn: theValue}},
		Mean:       "inv_logit(alpha)",
		Support:    def.ZeroOne,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogitLink, Param: 0, Steepest: 1},
		LogDensity: bernoulliLogitLogDensity,
		Rows:       def.BernoulliLogitRows,
		Loop:       "regressions with weights are computed by it: one exponential for value and slope",
		Elements:   bernoulliLogitElements,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawBinary(r, portable.Sigmoid(theta[0]))
		},
		LogCDF: below(bernoulliLogitTail), LogCCDF: above(bernoulliLogitTail),
		SlowTails: fewCounts,
		Examples: []string{"data y : binary[N]\ndata x : real[N]\nparam a ~ normal(0, 2)\nparam b ~ " +
			"normal(0, 2)\ny ~ bernoulli_logit(a + b * x)"},
	}
}

func bernoulliLogitLogDensity(b *def.Batch) float64 {
	alpha, dalpha := b.Theta[0], partial(b, 0)
	clear(b.DX)
	sum := 0.0
	for i := range b.N {
		x, eta := binary(b.X.At(i)), alpha.At(i)
		toward := (float64(2*x) - 1) * eta // the log odds of the observed value
		lp := -portable.Log1pExp(-toward)
		sum += lp
		set(b.LP, i, lp)
		set(dalpha, i, (float64(2*x)-1)*portable.Sigmoid(-toward))
	}
	return finish(b, sum)
}

// count is the number of elements of an array.
func count(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// sigmoids returns 1/(1+exp(-t)) and 1/(1+exp(t)) given z = exp(-|t|).
func sigmoids(t, z float64) (p, q float64) {
	near := 1 / (1 + z)
	p, q = near, z*near
	if t < 0 {
		p, q = q, p
	}
	return p, q
}

// bernoulliLogitElements is -log(1 + exp(-t)) with t = ±alpha the log odds of the observed value. Where
// several elements have the same alpha, the log probabilities of both values are computed once.
func bernoulliLogitElements(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if count(b.Dims(theta[0])) < count(b.Dims(x)) {
		b.Sum(b.Times(x, b.Func("log_inv_logit", theta[0])), 1)
		b.Sum(b.Times(b.Sub(b.Number(1), x), b.Func("log1m_inv_logit", theta[0])), 1)
		return true
	}
	toward := b.Mul(b.Sub(b.Number(1), b.Mul(b.Number(2), x)), theta[0])
	b.Sum(b.Func("softplus", toward), -1)
	return true
}

func bernoulliLogitTail(x float64, theta [maxParams]float64, upper bool) point {
	a := theta[0]
	return binaryTail(x, point{lp: -portable.Log1pExp(a), dtheta: [maxParams]float64{-portable.Sigmoid(a)}},
		point{lp: -portable.Log1pExp(-a), dtheta: [maxParams]float64{portable.Sigmoid(-a)}}, upper)
}
