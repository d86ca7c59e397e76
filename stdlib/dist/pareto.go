package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Pareto is the Pareto distribution above y_min with shape alpha.
func Pareto() def.Dist {
	return derived(def.Dist{
		Name: "pareto",
		Doc: `The Pareto distribution above y_min with shape alpha: log(x/y_min) is exponential with rate alpha.

    log p(x) = log(alpha) + alpha log(y_min) - (alpha + 1) log(x)        for x ≥ y_min

Source: Stan Functions Reference, "Pareto distribution".`,
		Params: []def.Param{
			{Name: "y_min", Doc: "lower bound", Domain: def.Positive},
			{Name: "alpha", Doc: "shape", Domain: def.Positive},
		},
		Support:    def.FromFirst,
		LocationAt: -1,
		ScaleAt:    0,
		Expand:     paretoExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			least := positive(theta[0])
			return max(least, least*portable.Exp(portable.Exponential(r)/positive(theta[1])))
		},
		LogCDF: below(paretoTail), LogCCDF: above(paretoTail),
		SlowTails: movingEnds,
		Examples: []string{"data wealth : real<lower=1>[N]\nparam alpha ~ gamma(2, " +
			"1)\nwealth ~ pareto(1, alpha)"},
	})
}

// paretoExpand compares x with a bound that is not known.
func paretoExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if _, known := b.Const(theta[0]); !known {
		b.Least(x, theta[0])
	}
	logX := b.Func("log", x)
	b.Sum(b.Mul(theta[1], b.Sub(logX, b.Func("log", theta[0]))), -1)
	b.Sum(logX, -1)
	b.Sum(b.Func("log", theta[1]), 1)
	return true
}

func paretoTail(x float64, theta [maxParams]float64, upper bool) point {
	least, alpha := positive(theta[0]), positive(theta[1])
	u := portable.Log(max(x, least)) - portable.Log(least)
	switch {
	case math.IsNaN(x + u + alpha):
		return invalid()
	case x <= least:
		return below0(upper)
	}
	u = portable.Log1p((x - least) / least)
	return hazard(point{lp: portable.Log(alpha) + portable.Log(u), dx: 1 / (x * u),
		dtheta: [maxParams]float64{-1 / (least * u), 1 / alpha}}, upper)
}
