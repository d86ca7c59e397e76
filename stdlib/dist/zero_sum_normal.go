package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// ZeroSumNormal is the distribution of normal variables that sum to 0.
func ZeroSumNormal() def.Dist {
	return def.Dist{
		Name: "zero_sum_normal",
		Doc: `Independent normal variables with mean 0, given that they sum to 0: effects of K groups beside an intercept, which they do not move. Each has the variance sigma²(1 - 1/K).
Where sigma is a parameter, the density counts K - 1 elements, since the last follows from the others.

    log p(x) = -Σ_k x_k² / (2 sigma²) - (K - 1)(log(sigma) + log(2π)/2) + log(K)/2, of the first K - 1 elements

Source: PyMC, "ZeroSumNormal"; Stan Reference Manual, "Zero sum vector".`,
		Params:     []def.Param{{Name: "sigma", Doc: "standard deviation before the sum is fixed", Domain: def.Positive}},
		Support:    def.ZeroSum,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 1, Least: 1, Density: zeroSumNormalDensity,
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, _ int) {
				mean, sigma := 0.0, positive(theta[0][0])
				for j := range x {
					x[j] = float64(sigma * portable.Normal(r))
					mean += x[j]
				}
				mean /= float64(len(x))
				for j := range x {
					x[j] -= mean
				}
			},
		},
		Examples: []string{"data y : real[N]\ndata g : level(G)[N]\nparam a ~ normal(0, 5)\nparam tau ~ half_normal(1)\n" +
			"param u : sum_to_zero[G] ~ zero_sum_normal(tau)\nparam s ~ half_normal(1)\ny ~ normal(a + u[g], s)"},
	}
}

func zeroSumNormalDensity(b *def.Events) {
	eachEvent(b, func(i int) float64 {
		sigma, n := positive(b.Theta[0].At(i, 0)), float64(b.X.Len)
		sum, size, squares := 0.0, 1.0, 0.0
		for j := range b.X.Len {
			x := b.X.At(i, j)
			z := x / sigma
			sum, size, squares = sum+x, size+math.Abs(x), squares+float64(z*z)
			if b.W != nil {
				b.GiveX(i, j, -z/sigma)
			}
		}
		if !(math.Abs(sum) <= 1e-8*size) {
			return math.Inf(-1)
		}
		if b.W != nil {
			b.Give(0, i, 0, (squares-(n-1))/sigma)
		}
		return float64(0.5*(portable.Log(n)-squares)) - float64((n-1)*(portable.Log(sigma)+halfLogTwoPi))
	})
}
