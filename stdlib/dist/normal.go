package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/special"
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
		Elements:   normalElements,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] + float64(positive(theta[1])*portable.Normal(r))
		},
		LogCDF: below(normalTail.at), LogCCDF: above(normalTail.at),
		Examples: []string{
			"param mu ~ normal(0, 5)",
			"data y : real[N]\nparam mu ~ normal(0, 5)\nparam sigma ~ half_normal(2)\ny ~ normal(mu, sigma)",
		},
		Cases: []def.Case{
			{X: 0, Theta: []float64{0, 1}, LogP: -0.9189385332046728},
			{X: 1.5, Theta: []float64{-0.5, 2}, LogP: -2.112085713764618},
			{X: -30, Theta: []float64{1, 0.5}, LogP: -1922.2257913526448},
			{X: 100000, Theta: []float64{100000.125, 0.001}, LogP: -7806.5111832542225},
			{X: 3, Theta: []float64{3, 1e-08}, LogP: 17.501742210747693},
			{X: -100000000, Theta: []float64{2, 5}, LogP: -200000008000002.6},
			{X: 0.1, Theta: []float64{0.3, 1000000}, LogP: -14.734449091168967},
		},
	}
}

func standardNormal(z float64) (lp, score float64) { return -0.5 * z * z, -z }

func normalLogDensity(b *def.Batch) float64 {
	if b.X.Step == 1 && b.Theta[1].Step == 0 && b.LP == nil && b.N > 0 {
		return finish(b, normalRows(b))
	}
	return locationScale(b, -halfLogTwoPi, standardNormal)
}

// normalRows is the loop over contiguous x with one sigma.
func normalRows(b *def.Batch) float64 {
	s := positive(b.Theta[1].V[0])
	inv := 1 / s
	squares := 0.0
	x, dx, dmu, dsigma := b.X.V[:b.N], b.DX, partial(b, 0), partial(b, 1)
	if mu := b.Theta[0]; mu.Step == 0 {
		squares = residuals(x, mu.V[0], inv, dx, dmu, dsigma)
	} else {
		squares = residualsFrom(x, mu.V[:b.N], inv, dx, dmu, dsigma)
	}
	return float64(-0.5*squares) - float64(float64(b.N)*(portable.Log(s)+halfLogTwoPi))
}

// residuals returns Σ z², with z = (x - mu)·inv, and sets the partials that are wanted.
func residuals(x []float64, mu, inv float64, dx, dmu, dsigma []float64) float64 {
	sum := 0.0
	for i, v := range x {
		z := (v - mu) * inv
		sum += float64(z * z)
		set(dx, i, -z*inv)
		set(dmu, i, z*inv)
		set(dsigma, i, (float64(z*z)-1)*inv)
	}
	return sum
}

// residualsFrom is residuals with a mean for each element.
func residualsFrom(x, mu []float64, inv float64, dx, dmu, dsigma []float64) float64 {
	sum := 0.0
	mu = mu[:len(x)]
	for i, v := range x {
		z := (v - mu[i]) * inv
		sum += float64(z * z)
		set(dx, i, -z*inv)
		set(dmu, i, z*inv)
		set(dsigma, i, (float64(z*z)-1)*inv)
	}
	return sum
}

func normalElements(b def.Builder, x def.Value, theta []def.Value) bool {
	z := scaled(b, x, theta[0], theta[1], 1)
	b.Sum(b.Mul(z, z), -0.5)
	b.Sum(b.Func("log", theta[1]), -1)
	b.Each(-halfLogTwoPi)
	return true
}

var normalTail = symmetric(special.LogPhi)
