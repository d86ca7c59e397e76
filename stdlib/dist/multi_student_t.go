package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// MultiStudentT is the multivariate Student t distribution.
func MultiStudentT() def.Dist {
	d := multiNormal(func(b *def.Events) { ellipticDensity(b, def.ByCovariance, studentRadial) })
	d.Name = "multi_student_t"
	d.Doc = `The multivariate Student t distribution with a location and a scale matrix; the covariance is Sigma·nu/(nu - 2).

    log p(x) = lgamma((nu+K)/2) - lgamma(nu/2) - ½ K log(nu π) - ½ log|Sigma| - ½ (nu+K) log(1 + (x - mu)ᵀ Sigma⁻¹ (x - mu)/nu)

Source: Stan Functions Reference, "Multivariate Student-t distribution".`
	d.Params = []def.Param{
		{Name: "nu", Doc: "degrees of freedom", Domain: def.Positive}, meanVector(),
		{Name: "Sigma", Doc: "scale matrix", Domain: def.CovMatrix, Rank: 2},
	}
	d.Event.Sample = func(r *rand.Rand, x []float64, theta [][]float64, k int) {
		nu := theta[0][0]
		ellipticSample(r, x, theta[1], factorOf(theta[2], k), math.Sqrt(nu/(2*drawGamma(r, nu/2))), k)
	}
	d.Examples = []string{"data y : real[N, 2]\nparam mu : real[2] ~ normal(0, 1)\nparam Sigma : " +
		"cov_matrix[2] ~ inv_wishart(4, [[1, 0], [0, 1]])\ny ~ multi_student_t(4, mu, Sigma)"}
	return d
}

func studentRadial(b *def.Events, i int, q float64, k int) (lp, weight float64) {
	nu, n := b.Theta[0].At(i, 0), float64(k)
	if !(nu > 0) || math.IsInf(nu, 1) {
		return math.Inf(-1), 0
	}
	tail := portable.Log1p(q / nu)
	if b.W != nil && b.DTheta[0] != nil {
		b.Give(0, i, 0, 0.5*(portable.DigammaDiff(nu/2, n/2)-n/nu-tail+(nu+n)*q/(nu*(nu+q))))
	}
	value := portable.LgammaDiff(nu/2, n/2) - float64(0.5*n*portable.Log(nu*math.Pi))
	return value - float64(0.5*(nu+n)*tail), (nu + n) / (nu + q)
}
