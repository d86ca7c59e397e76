package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// CategoricalLogit is the distribution of a category whose probabilities are the softmax of a predictor.
func CategoricalLogit() def.Dist {
	return def.Dist{
		Name: "categorical_logit",
		Doc: `The distribution of one of the categories 1, …, K whose probabilities are the softmax of a vector: multinomial logit regression, where eta has a row for each outcome.

    log p(x) = eta[x] - log Σ_k exp(eta[k])

Source: Stan Functions Reference, "Categorical distribution".`,
		Params: []def.Param{{Name: "eta", Doc: "the log odds of each category, up to a constant",
			Domain: def.RealLine, Rank: 1}},
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "softmax(eta)",
		Event: &def.Event{Least: 1, Density: categoricalLogitDensity, Expand: categoricalLogitExpand,
			Sample: categoricalLogitSample},
		Slow: exponentials,
		Examples: []string{"data y : level(K)[N]\ndata X : real[N, P]\nparam B : real[P, K] ~ normal(0, " +
			"1)\ny ~ categorical_logit(X * B)"},
	}
}

func categoricalLogitDensity(b *def.Events) {
	eta := b.Theta[0]
	eachEvent(b, func(i int) float64 {
		x, ok := code(b, i, eta.Len)
		if !ok {
			return math.Inf(-1)
		}
		largest := eta.At(i, 0)
		for j := 1; j < eta.Len; j++ {
			largest = max(largest, eta.At(i, j))
		}
		sum := 0.0
		for j := range eta.Len {
			sum += portable.Exp(eta.At(i, j) - largest)
		}
		lse := largest + portable.Log(sum)
		if b.W != nil && b.DTheta[0] != nil {
			b.Give(0, i, x, 1)
			for j := range eta.Len {
				b.Give(0, i, j, -portable.Exp(eta.At(i, j)-lse))
			}
		}
		return eta.At(i, x) - lse
	})
}

// categoricalLogitExpand is the same where each row has a predictor for each category.
func categoricalLogitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if len(b.Dims(theta[0])) != 2 {
		return false
	}
	b.Sum(b.Pick(theta[0], x), 1)
	b.Sum(b.LogSumExp(theta[0]), -1)
	return true
}

// categoricalLogitSample takes the largest of eta plus independent Gumbel variables (Gumbel 1954).
func categoricalLogitSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	best := math.Inf(-1)
	x[0] = math.NaN()
	for j, v := range theta[0] {
		if g := v - portable.Log(portable.Exponential(r)); g > best {
			best, x[0] = g, float64(j+1)
		}
	}
}
