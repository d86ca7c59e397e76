package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// MultiNormalPrec is the multivariate normal distribution with a precision matrix.
func MultiNormalPrec() def.Dist {
	d := multiNormal(func(b *def.Events) { ellipticDensity(b, def.ByPrecision, normalRadial) })
	d.Name, d.Event.Scatter = "multi_normal_prec", def.ByPrecision
	d.Doc = `The multivariate normal distribution with a mean vector and a precision matrix, the inverse of the covariance.

    log p(x) = -½ (x - mu)ᵀ Omega (x - mu) + ½ log|Omega| - ½ K log(2π)

Source: Stan Functions Reference, "Multivariate normal distribution, precision parameterization".`
	d.Params = []def.Param{meanVector(), {Name: "Omega", Doc: "precision matrix", Domain: def.CovMatrix,
		Rank: 2}}
	d.Event.Sample = func(r *rand.Rand, x []float64, theta [][]float64, k int) {
		l := factorOf(theta[1], k)
		for j := range x {
			x[j] = portable.Normal(r)
		}
		linear.SolveUpper(x, l, k)
		for j := range x {
			x[j] += theta[0][j]
		}
	}
	d.Examples = []string{"data y : real[N, 2]\nparam mu : real[2] ~ normal(0, 1)\nparam Omega : " +
		"cov_matrix[2] ~ wishart(4, [[1, 0], [0, 1]])\ny ~ multi_normal_prec(mu, Omega)"}
	return d
}
