package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LogLogistic is the log-logistic distribution with scale alpha and shape beta.
func LogLogistic() def.Dist {
	return derived(def.Dist{
		Name: "loglogistic",
		Doc: `The log-logistic distribution with scale alpha, its median, and shape beta: that of exp(u) for u ~ logistic(log(alpha), 1/beta).

    log p(x) = log(beta) + u - 2 log(1 + exp(u)) - log(x),  u = beta log(x/alpha)        for x > 0, and for x = 0 where beta is 1

Source: Stan Functions Reference, "Log-logistic distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "scale, the median", Domain: def.Positive},
			{Name: "beta", Doc: "shape", Domain: def.Positive},
		},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    0,
		Lower:      def.End{Exponent: def.LessOne(1)},
		Expand:     logLogisticExpand,
		Between: betweenSymmetric(func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
			return logPower(b, x, theta[1], theta[0])
		}, logSigmoid),
		Sample: func(r *rand.Rand, theta []float64) float64 {
			u := r.Float64()
			return tiny(positive(theta[0]) * portable.Exp((portable.Log(tiny(u))-
				portable.Log1p(-u))/positive(theta[1])))
		},
		LogCDF: below(logLogisticTail), LogCCDF: above(logLogisticTail),
		Examples: []string{"data time : real<lower=0>[N]\nparam median ~ lognormal(0, 2)\ntime " +
			"~ loglogistic(median, 2)"},
	})
}

// logLogisticExpand takes the logarithm of x, which an x of 0 with a shape of 1 does not have.
func logLogisticExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if beta, ok := b.Const(theta[1]); ok && beta == 1 {
		b.Sum(b.Func("log1p", b.Div(x, theta[0])), -2)
		b.Sum(b.Func("log", theta[0]), -1)
		return true
	}
	logX := b.Func("log", x)
	bothOutcomes(b, b.Mul(theta[1], b.Sub(logX, b.Func("log", theta[0]))))
	b.Sum(b.Func("log", theta[1]), 1)
	b.Sum(logX, -1)
	return true
}

func logLogisticTail(x float64, theta [maxParams]float64, upper bool) point {
	alpha, beta := positive(theta[0]), positive(theta[1])
	u := portable.Log(max(x, 0)) - portable.Log(alpha)
	switch {
	case math.IsNaN(u + beta):
		return invalid()
	case x <= 0:
		return below0(upper)
	}
	lp, slope := logisticTail(beta*u, upper)
	return point{lp: lp, dx: slope * beta / x, dtheta: [maxParams]float64{-slope * beta / alpha,
		times(slope, u)}}
}
