package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Multinomial is the distribution of the counts of categories among independent trials.
func Multinomial() def.Dist {
	return def.Dist{
		Name: "multinomial",
		Doc: `The distribution of how often each of K categories occurs among independent trials. The number of trials is the sum of the counts.

    log p(x) = lgamma(1 + Σ x) - Σ lgamma(1 + x_k) + Σ x_k log theta_k

Source: Stan Functions Reference, "Multinomial distribution".`,
		Params: []def.Param{{Name: "theta", Doc: "the probability of each category", Domain: def.Simplex,
			Rank: 1}},
		Support:    def.Counts,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{Rank: 1, Least: 1, Density: multinomialDensity, Sample: multinomialSample,
			OfTotal: true},
		Examples: []string{"data y : count[N, K]\nparam theta : simplex[K] ~ " +
			"dirichlet(1)\ny ~ multinomial(theta)"},
	}
}

func multinomialDensity(b *def.Events) {
	x, theta := b.X, b.Theta[0]
	eachEvent(b, func(i int) float64 {
		if !probabilities(theta, i) {
			return math.Inf(-1)
		}
		lp, total := 0.0, 0.0
		for j := range x.Len {
			v := x.At(i, j)
			if !(v >= 0) || v != math.Floor(v) || math.IsInf(v, 1) {
				return math.Inf(-1)
			}
			total += v
			if v > 0 {
				lp += float64(v*portable.Log(theta.At(i, j))) - portable.LogAbsGamma(v+1)
			}
		}
		if b.W != nil && b.DTheta[0] != nil {
			for j := range x.Len {
				if v := x.At(i, j); v > 0 {
					b.Give(0, i, j, v/theta.At(i, j))
				}
			}
		}
		return lp + portable.LogAbsGamma(total+1)
	})
}

// multinomialSample draws as many trials as x has, one binomial after another of those that are left.
func multinomialSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	left, rest := 0.0, 1.0
	for _, v := range x {
		left += v
	}
	for j, p := range theta[0] {
		if j == len(x)-1 {
			x[j] = left
			return
		}
		q := min(p/rest, 1)
		if rest <= 0 || left == 0 {
			q = 0
		}
		x[j] = drawBinomial(r, left, q, 1-q)
		left -= x[j]
		rest -= p
	}
}
