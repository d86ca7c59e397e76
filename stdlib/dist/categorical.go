package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Categorical is the distribution of a category with given probabilities.
func Categorical() def.Dist {
	return def.Dist{
		Name: "categorical",
		Doc: `The distribution of one of the categories 1, …, K, with a vector of their probabilities.

    log p(x) = log(theta[x])

Source: Stan Functions Reference, "Categorical distribution".`,
		Params: []def.Param{{Name: "theta", Doc: "the probability of each category", Domain: def.Simplex,
			Rank: 1}},
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "theta",
		Predicted:  []def.PredictorForm{{Param: 0, Func: "softmax", Form: CategoricalLogit}},
		Event:      &def.Event{Least: 1, Density: categoricalDensity, Sample: categoricalSample},
		Slow:       exponentials,
		Examples: []string{
			"data y : level(K)[N]\nparam theta : simplex[K] ~ dirichlet(1)\ny ~ categorical(theta)",
			"data y : level(K)[N]\ndata group : level(R)[N]\nparam theta : simplex[R, K] ~ dirichlet(2)\ny " +
				"~ categorical(theta[group])",
		},
	}
}

// probabilities reports whether the vector of event i is a simplex, up to rounding.
func probabilities(a def.EventArg, i int) bool {
	sum := 0.0
	for j := range a.Len {
		p := a.At(i, j)
		if !(p >= 0) {
			return false
		}
		sum += p
	}
	return math.Abs(sum-1) <= def.SimplexTolerance
}

func categoricalDensity(b *def.Events) {
	theta := b.Theta[0]
	good := theta.Step > 0 || probabilities(theta, 0)
	eachEvent(b, func(i int) float64 {
		x, ok := code(b, i, theta.Len)
		if !ok || !good || theta.Step > 0 && !probabilities(theta, i) {
			return math.Inf(-1)
		}
		p := theta.At(i, x)
		if b.W != nil {
			b.Give(0, i, x, 1/p)
		}
		return portable.Log(p)
	})
}

func categoricalSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	x[0] = drawCode(r, theta[0])
}

// drawCode draws a category, counted from 1, with the given probabilities; NaN where they are none.
func drawCode(r *rand.Rand, p []float64) float64 {
	u, last := r.Float64(), math.NaN()
	for j, v := range p {
		if v > 0 {
			last = float64(j + 1)
		}
		if u -= v; u < 0 {
			return float64(j + 1)
		}
	}
	return last // rounding left something of 1
}
