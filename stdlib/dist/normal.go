package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Normal is the normal distribution with mean mu and standard deviation sigma.
func Normal() def.Dist {
	return def.Dist{
		Name: "normal",
		Sums: true,
		Doc: `The normal (Gaussian) distribution with mean mu and standard deviation sigma.

    log p(x) = -(x - mu)² / (2 sigma²) - log(sigma) - log(2π)/2

Source: Stan Functions Reference, "Normal distribution"; Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, chapter 13.`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean", Domain: def.RealLine, LinearIn: theValue},
			{Name: "sigma", Doc: "standard deviation", Domain: def.Positive},
		},
		Mean:       "mu",
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Exponential},
		Upper:      def.End{Decay: def.Exponential},
		LogDensity: normalLogDensity,
		Rows:       def.NormalRows,
		Loop:       "components of mixtures and priors of a few effects are computed by it",
		Elements:   normalElements,
		Between:    betweenSymmetric(standardized, logPhi),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] + float64(positive(theta[1])*portable.Normal(r))
		},
		LogCDF: below(normalTail.at), LogCCDF: above(normalTail.at),
		Examples: []string{
			"param mu ~ normal(0, 5)",
			"data y : real[N]\nparam mu ~ normal(0, 5)\nparam sigma ~ half_normal(2)\ny ~ normal(mu, sigma)",
		},
	}
}

func normalLogDensity(b *def.Batch) float64 {
	mu, sigma := b.Theta[0], b.Theta[1]
	dmu, dsigma := partial(b, 0), partial(b, 1)
	var s, norm, sum float64
	for i := range b.N {
		if i == 0 || sigma.Step != 0 {
			s = positive(sigma.At(i))
			norm = -halfLogTwoPi - b.Log(s)
		}
		z := (b.X.At(i) - mu.At(i)) / s
		lp := norm - float64(0.5*z*z)
		sum += lp
		set(b.LP, i, lp)
		set(b.DX, i, -z/s)
		set(dmu, i, z/s)
		set(dsigma, i, (float64(z*z)-1)/s)
	}
	return finish(b, sum)
}

func normalElements(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	z := scaled(b, x, theta[0], theta[1], 1)
	b.Sum(b.Mul(z, z), -0.5)
	b.Sum(b.Func("log", theta[1]), -1)
	b.Each(-halfLogTwoPi)
	return true
}

var normalTail = symmetric(portable.LogPhiAndSlope)
