package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// MultiNormalCholesky is the multivariate normal distribution with the Cholesky factor of its covariance
// matrix.
func MultiNormalCholesky() def.Dist {
	d := multiNormal(func(b *def.Events) { ellipticDensity(b, def.ByFactor, normalRadial) })
	d.Name, d.Event.Scatter = "multi_normal_cholesky", def.ByFactor
	d.Doc = `The multivariate normal distribution with a mean vector and the lower triangular Cholesky factor L of its covariance L Lᵀ. Correlated effects of groups have L = ` + "`col(tau) .* L`" + `
of standard deviations tau and a factor of their correlations.

    log p(x) = -½ |L⁻¹(x - mu)|² - Σ_k log L_kk - ½ K log(2π)

Source: Stan Functions Reference, "Multivariate normal distribution, Cholesky parameterization".`
	d.Params = []def.Param{meanVector(), {Name: "L", Doc: "Cholesky factor of the covariance matrix",
		Domain: def.CholeskyFactor, Rank: 2}}
	d.Event.Sample = func(r *rand.Rand, x []float64, theta [][]float64, k int) {
		ellipticSample(r, x, theta[0], theta[1], 1, k)
	}
	d.Examples = []string{
		"data y : real[N]\ndata x : real[N]\ndata ward : level(J)[N]\nparam tau : real[2] ~ " +
			"half_normal(1)\nparam L : corr_cholesky[2] ~ lkj_corr_cholesky(2)\nparam u : real[J, 2] ~ " +
			"multi_normal_cholesky(0, col(tau) .* L)\ny ~ normal(u[ward, 1] + u[ward, 2] .* x, 1)",
	}
	return d
}
