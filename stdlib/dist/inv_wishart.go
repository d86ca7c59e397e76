package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// InvWishart is the distribution of the inverse of a Wishart matrix.
func InvWishart() def.Dist {
	return def.Dist{
		Name: "inv_wishart",
		Doc: `The distribution of x where x⁻¹ is wishart(nu, S⁻¹): the conjugate prior of the covariance of normal vectors. Its mean is S/(nu - K - 1). It needs nu > K - 1.

    log p(x) = ½ nu log|S| - ½(nu+K+1) log|x| - ½ tr(S x⁻¹) - ½ nu K log 2 - lgamma_K(½ nu)

Source: Stan Functions Reference, "Inverse Wishart distribution".`,
		Params:     wishartParams(),
		Support:    def.CovMatrix,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 2, Least: 1, Density: func(b *def.Events) {
				wishartDensity(b, true)
			}, Work: wishartWork, Check: wishartCheck,
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, k int) {
				s := make([]float64, k*k)
				linear.Inverse(s, factorOf(theta[1], k), k)
				wishartSample(r, x, theta[0][0], s, k)
				linear.Inverse(x, factorOf(x, k), k)
			},
		},
		Examples: []string{"data y : real[N, 2]\nparam Sigma : cov_matrix[2] ~ inv_wishart(4, [[1, 0], [0, " +
			"1]])\ny ~ multi_normal(0, Sigma)"},
	}
}
