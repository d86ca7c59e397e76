package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Beta is the beta distribution with shapes alpha and beta.
func Beta() def.Dist {
	return def.Dist{
		Name:    "beta",
		Sums:    true,
		Grouped: betaGroups(),
		Doc: `The beta distribution on (0, 1) with mean alpha/(alpha + beta).

    log p(x) = (alpha - 1) log(x) + (beta - 1) log(1 - x) - log B(alpha, beta)        for 0 < x < 1, for x = 0 where alpha is 1, and for x = 1 where beta is 1

Source: Stan Functions Reference, "Beta distribution".`,
		Params: []def.Param{
			{Name: "alpha", Doc: "first shape, prior successes", Domain: def.Positive},
			{Name: "beta", Doc: "second shape, prior failures", Domain: def.Positive},
		},
		Mean:       "alpha ./ (alpha + beta)",
		Support:    def.UnitInterval,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Exponent: def.LessOne(0)},
		Upper:      def.End{Exponent: def.LessOne(1)},
		LogDensity: betaLogDensity,
		Expand:     betaExpand,
		Loop:       "the log gamma functions of the vector form cancel where the shapes are large",
		Sample:     func(r *rand.Rand, theta []float64) float64 { return drawBeta(r, theta[0], theta[1]) },
		LogCDF:     below(betaDistTail), LogCCDF: above(betaDistTail),
		SlowTails: incompleteBeta,
		Slow:      twoLgammas,
		Examples:  []string{"param p ~ beta(2, 2)"},
	}
}

func betaLogDensity(b *def.Batch) float64 {
	alpha, beta := b.Theta[0], b.Theta[1]
	dalpha, dbeta := partial(b, 0), partial(b, 1)
	var p, q, norm, dp, dq, sum float64
	for i := range b.N {
		if i == 0 || alpha.Step != 0 || beta.Step != 0 {
			p, q = positive(alpha.At(i)), positive(beta.At(i))
			norm = b.Known(portable.LogBeta, p, q)
			if dalpha != nil || dbeta != nil {
				dp, dq = portable.DigammaDiff(p, q), portable.DigammaDiff(q, p)
			}
		}
		x := nonNegative(b.X.At(i))
		logX, log1mX := portable.Log(x), portable.Log1p(-x) // -Inf at an end, NaN above 1: no density
		lp := times(p-1, logX) + times(q-1, log1mX) - norm
		sum += lp
		set(b.LP, i, lp)
		set(b.DX, i, quotient(p-1, x)-quotient(q-1, 1-x))
		set(dalpha, i, logX+dp)
		set(dbeta, i, log1mX+dq)
	}
	return finish(b, sum)
}

// betaExpand leaves log x out where its factor is 0: at an end of the support it would be 0·∞.
func betaExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	for k, name := range []string{"log", "log1m"} {
		if v, ok := b.Const(theta[k]); !ok || v != 1 {
			b.Sum(b.Mul(b.Sub(theta[k], b.Number(1)), b.Func(name, x)), 1)
		}
		b.Sum(b.Func("lgamma", theta[k]), -1)
	}
	b.Sum(b.Func("lgamma", b.Add(theta[0], theta[1])), 1)
	return true
}

func betaDistTail(x float64, theta [maxParams]float64, upper bool) point {
	lp, da, db, flow := betaTail(theta[0], theta[1], x, 1-x, upper)
	return point{lp: lp, dx: quotient(flow, x*(1-x)), dtheta: [maxParams]float64{da, db}}
}
