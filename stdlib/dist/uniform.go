package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Uniform is the uniform distribution between alpha and beta.
func Uniform() def.Dist {
	return derived(def.Dist{
		Name: "uniform",
		Doc: `The uniform distribution on the interval from alpha to beta, alpha < beta.

    log p(x) = -log(beta - alpha)        for alpha ≤ x ≤ beta

Source: Stan Functions Reference, "Uniform distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "lower bound", Domain: def.RealLine},
			{Name: "beta", Doc: "upper bound", Domain: def.RealLine},
		},
		Mean:       "0.5 * (alpha + beta)",
		Support:    def.Interval,
		LocationAt: -1,
		ScaleAt:    -1,
		Expand:     uniformExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			lower, upper := theta[0], theta[1]
			return min(lower+float64(positive(upper-lower)*r.Float64()), upper)
		},
		LogCDF: below(uniformTail), LogCCDF: above(uniformTail),
		SlowTails: movingEnds,
		Examples:  []string{"param p ~ uniform(0, 1)"},
	})
}

func uniformExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if _, known := b.Const(theta[0]); !known {
		b.Least(x, theta[0])
	}
	if _, known := b.Const(theta[1]); !known {
		b.Most(x, theta[1])
	}
	b.Sum(b.Func("log", b.Sub(theta[1], theta[0])), -1)
	return true
}

func uniformTail(x float64, theta [maxParams]float64, upper bool) point {
	a, b := theta[0], theta[1]
	switch {
	case !(a < b) || math.IsNaN(x):
		return invalid()
	case x <= a:
		return below0(upper)
	case x >= b:
		return above1(upper)
	case upper:
		return point{lp: portable.Log((b - x) / (b - a)), dx: -1 / (b - x),
			dtheta: [maxParams]float64{1 / (b - a), 1/(b-x) - 1/(b-a)}}
	}
	return point{lp: portable.Log((x - a) / (b - a)), dx: 1 / (x - a),
		dtheta: [maxParams]float64{1/(b-a) - 1/(x-a), -1 / (b - a)}}
}
