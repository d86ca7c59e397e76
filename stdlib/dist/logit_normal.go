package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LogitNormal is the distribution of inv_logit(u) for u normal.
func LogitNormal() def.Dist {
	return derived(def.Dist{
		Name: "logit_normal",
		Sums: true,
		Doc: `The distribution of inv_logit(u) for u ~ normal(mu, sigma). Its median is inv_logit(mu).

    log p(x) = -(logit(x) - mu)² / (2 sigma²) - log(x) - log(1 - x) - log(sigma) - log(2π)/2        for 0 < x < 1

Source: Atchison and Shen (1980), Logistic-normal distributions, Biometrika 67.`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean of logit(x)", Domain: def.RealLine, LinearIn: itsLogit},
			{Name: "sigma", Doc: "standard deviation of logit(x)", Domain: def.Positive},
		},
		Support:    def.UnitInterval,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     logitNormalExpand,
		Between: betweenSymmetric(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return standardized(b, b.Func("logit", x), theta)
		}, logPhi),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			const last = 1 - 0x1p-53
			return min(tiny(portable.Sigmoid(theta[0]+float64(positive(theta[1])*portable.Normal(r)))), last)
		},
		LogCDF: below(logitNormalTail), LogCCDF: above(logitNormalTail),
		Examples: []string{"param p ~ logit_normal(0, 1.5)"},
	})
}

// logitNormalExpand is the normal density of logit(x), and its Jacobian.
func logitNormalExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	logX, log1mX := b.Func("log", x), b.Func("log1m", x)
	b.Density(Normal(), b.Sub(logX, log1mX), theta...)
	b.Sum(logX, -1)
	b.Sum(log1mX, -1)
	return true
}

func logitNormalTail(x float64, theta [maxParams]float64, upper bool) point {
	switch {
	case x <= 0:
		return below0(upper).of(normalTail.at(0, theta, upper))
	case x >= 1:
		return above1(upper).of(normalTail.at(0, theta, upper))
	}
	p := normalTail.at(portable.Log(x)-portable.Log1p(-x), theta, upper)
	p.dx /= x * (1 - x)
	return p
}
