package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Bernoulli is the distribution of a 0/1 variable that is 1 with probability theta.
func Bernoulli() def.Dist {
	return derived(def.Dist{
		Name:    "bernoulli",
		Sums:    true,
		Grouped: successes(Binomial),
		Doc: `The distribution of a 0/1 variable that is 1 with probability theta. Where theta is inv_logit(eta), use bernoulli_logit(eta).

    log p(x) = x log(theta) + (1 - x) log(1 - theta)        for x = 0 or 1

Source: Stan Functions Reference, "Bernoulli distribution".`,
		Params: []def.Param{{Name: "theta", Doc: "probability of 1", Domain: def.UnitInterval,
			LinearIn: theValue}},
		Mean:       "theta",
		Support:    def.ZeroOne,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Predicted: []def.PredictorForm{{Param: 0, Func: "inv_logit", Form: BernoulliLogit},
			{Param: 0, Func: "Phi", Form: BernoulliProbit}},
		Expand: bernoulliExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			p := nonNegative(theta[0]) + float64(0*nonNegative(1-theta[0]))
			return drawBinary(r, p)
		},
		LogCDF: below(bernoulliTail), LogCCDF: above(bernoulliTail),
		SlowTails: fewCounts,
		Examples:  []string{"data y : binary[N]\nparam p ~ beta(1, 1)\ny ~ bernoulli(p)"},
	})
}

// bernoulliExpand takes one logarithm in each row: that of a 0 and a 1 are never added.
func bernoulliExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	return b.Split([]def.Value{x}, func(x []float64) bool { return x[0] == 1 },
		func(b def.DensityBuilder, of func(def.Value) def.Value) {
			b.Sum(b.Func("log", b.Apply(unit(), of(theta[0]))), 1)
		},
		func(b def.DensityBuilder, of func(def.Value) def.Value) {
			b.Sum(b.Func("log1m", b.Apply(unit(), of(theta[0]))), 1)
		})
}

// unit gives a probability as it is, and NaN for any other number.
func unit() *def.Func {
	return &def.Func{
		Name: "probability", Light: true,
		Forward: func(y, x []float64) {
			for i, p := range x {
				y[i] = probability(p)
			}
		},
		Backward: passOn,
	}
}

// passOn is the reverse of a function that changes no number.
func passOn(dx, dy, _, _ []float64) {
	for i, d := range dy {
		dx[i] += d
	}
}

// above0 gives a positive number as it is, and NaN for any other.
func above0() *def.Func {
	return &def.Func{
		Name: "positive_number", Light: true,
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = positive(v)
			}
		},
		Backward: passOn,
	}
}

func bernoulliTail(x float64, theta [maxParams]float64, upper bool) point {
	p := probability(theta[0])
	return binaryTail(x, point{lp: portable.Log1p(-p), dtheta: [maxParams]float64{-1 / (1 - p)}},
		point{lp: portable.Log(p), dtheta: [maxParams]float64{1 / p}}, upper)
}

// binaryTail is the tail at x of a value that is 0 or 1, given the log probabilities of 0 and of 1.
func binaryTail(x float64, zero, one point, upper bool) point {
	switch {
	case math.IsNaN(x+zero.lp-one.lp) && !(finite(zero.lp) || finite(one.lp)):
		return invalid()
	case x < 0:
		return below0(upper)
	case x >= 1:
		return above1(upper)
	case upper:
		return one
	}
	return zero
}
