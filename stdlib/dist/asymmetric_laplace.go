package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// AsymmetricLaplace is the Laplace distribution whose location mu is a given quantile.
func AsymmetricLaplace() def.Dist {
	return derived(def.Dist{
		Name: "asymmetric_laplace",
		Doc: `The asymmetric Laplace distribution with scale sigma, of which mu is the quantile of the probability that quantile says. With that as a number, as 0.9, mu is the predictor of a
quantile regression: its mode is the estimate that least absolute deviations, weighted by side, give.

    log p(x) = log(quantile (1 - quantile)) - log(sigma) - z (quantile - (1 where z < 0, else 0)),  z = (x - mu)/sigma

Stan's skew_double_exponential(mu, 2 sigma, quantile) is the same.

Source: brms, "Parameterization of Response Distributions"; Yu and Moyeed (2001), Bayesian quantile regression, Statistics & Probability Letters 54.`,
		Params: []def.Param{
			{Name: "mu", Doc: "the quantile", Domain: def.RealLine},
			scaleParam,
			{Name: "quantile", Doc: "the probability of a value below mu", Domain: def.UnitInterval},
		},
		Mean:       "mu + sigma .* (1 - 2 * quantile) ./ (quantile .* (1 - quantile))",
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     asymmetricLaplaceExpand,
		Between:    betweenTails(asymmetricLaplaceBeyond(false), asymmetricLaplaceBeyond(true)),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			q := theta[2]
			up, down := portable.Exponential(r)/positive(q), portable.Exponential(r)/positive(1-q)
			return theta[0] + float64(positive(theta[1])*(up-down))
		},
		LogCDF: below(asymmetricLaplaceTail), LogCCDF: above(asymmetricLaplaceTail),
		Examples: []string{"data y : real[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\ny ~ " +
			"asymmetric_laplace(b * x, 1, 0.9)"},
	})
}

func asymmetricLaplaceExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	q := theta[2]
	z := scaled(b, x, theta[0], theta[1], 1)
	b.Sum(b.Mul(z, b.Sub(q, b.Call("lt", z, b.Number(0)))), -1)
	b.Sum(b.Func("log", q), 1)
	b.Sum(b.Func("log", b.Sub(b.Number(1), q)), 1)
	b.Sum(b.Func("log", theta[1]), -1)
	return true
}

// asymmetricLaplaceTail: beyond mu, on either side, the tail is that of an exponential variable.
func asymmetricLaplaceTail(x float64, theta [maxParams]float64, upper bool) point {
	sigma, q := positive(theta[1]), nonNegative(theta[2])
	rest := nonNegative(1 - q)
	z := (x - theta[0]) / sigma
	if math.IsNaN(z + rest) {
		return invalid()
	}
	p := point{lp: portable.Log(q) + times(rest, z), dx: rest / sigma,
		dtheta: [maxParams]float64{-rest / sigma, -times(rest/sigma, z), 1/q - z}}
	if z > 0 {
		p = point{lp: portable.Log(rest) - times(q, z), dx: -q / sigma,
			dtheta: [maxParams]float64{q / sigma, times(q/sigma, z), -1/rest - z}}
	}
	if upper != (z > 0) {
		return p.complement()
	}
	return p
}

// asymmetricLaplaceBeyond writes the log of the distribution function, or of its complement: on one side of
// mu it is that of the tail, on the other of its complement.
func asymmetricLaplaceBeyond(upper bool) Formula {
	return func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
		q, one := b.Apply(unit(), theta[2]), b.Number(1)
		z := standardized(b, x, theta)
		below := b.Add(b.Func("log", q), b.Mul(b.Sub(one, q), z))
		above := b.Sub(b.Func("log1m", q), b.Mul(q, z))
		at := b.Call("gt", z, b.Number(0))
		if upper {
			return b.Call("where", at, above, b.Func("log1m_exp", below))
		}
		return b.Call("where", at, b.Func("log1m_exp", above), below)
	}
}
