package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LogNormal is the distribution of exp(u) for u normal with mean mu and standard deviation sigma.
func LogNormal() def.Dist {
	return derived(def.Dist{
		Name: "lognormal",
		Sums: true,
		Doc: `The distribution of exp(u) for u ~ normal(mu, sigma). Its median is exp(mu).

    log p(x) = -(log(x) - mu)² / (2 sigma²) - log(x) - log(sigma) - log(2π)/2        for x > 0

Source: Stan Functions Reference, "Lognormal distribution".`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean of log(x)", Domain: def.RealLine, LinearIn: itsLog},
			{Name: "sigma", Doc: "standard deviation of log(x)", Domain: def.Positive},
		},
		Mean:       "exp(mu + 0.5 * sigma .* sigma)",
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		OfLog:      &def.LocationScale{Location: 0, Scale: 1},
		Link:       def.Link{Scale: def.LogLink, Param: 0},
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     logNormalExpand,
		Between:    betweenSymmetric(standardizedLog, logPhi),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return tiny(portable.Exp(theta[0] + float64(positive(theta[1])*portable.Normal(r))))
		},
		LogCDF: below(normalTail.ofLog), LogCCDF: above(normalTail.ofLog),
		Examples: []string{"param dose ~ lognormal(0, 0.5)"},
	})
}

// logNormalExpand is the normal density of log(x), and its Jacobian.
func logNormalExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	logX := b.Func("log", x)
	b.Density(Normal(), logX, theta...)
	b.Sum(logX, -1)
	return true
}
