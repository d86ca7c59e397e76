package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// GenPareto is the generalised Pareto distribution above mu with scale sigma and shape xi.
func GenPareto() def.Dist {
	return derived(def.Dist{
		Name: "gen_pareto",
		Doc: `The generalised Pareto distribution of excesses over a threshold mu: exponential where xi is 0, with a heavy tail, whose moments of order 1/xi and more are infinite, where it is positive,
and with an upper end at mu - sigma/xi where it is negative.

    log p(x) = -log(sigma) - (1 + xi) h,  h = log(1 + xi (x - mu)/sigma)/xi, or (x - mu)/sigma where xi is 0        for x ≥ mu with 1 + xi (x - mu)/sigma > 0

With xi below -1 the density has no bound at the upper end: a prior for xi keeps away from there.

Source: Pickands (1975), Statistical inference using extreme order statistics, Annals of Statistics 3; Coles (2001), An Introduction to Statistical Modeling of Extreme Values, 4.2.`,
		Params: []def.Param{
			{Name: "mu", Doc: "threshold", Domain: def.RealLine},
			scaleParam,
			shapeOfExtremes,
		},
		Support:    def.FromFirst,
		Narrow:     endOfExtremes,
		LocationAt: 0,
		ScaleAt:    1,
		Upper:      def.End{Faster: func(theta []float64) bool { return theta[2] < 0 }},
		Expand:     genParetoExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return extreme(theta, portable.Exponential(r))
		},
		LogCDF: below(genParetoTail), LogCCDF: above(genParetoTail),
		SlowTails: movingEnds,
		Slow:      oneBoxCox,
		Examples: []string{"data excess : real<lower=0>[N]\nparam sigma ~ lognormal(0, 1)\nparam xi ~ normal(0, 0.3)\n" +
			"excess ~ gen_pareto(0, sigma, xi)"},
	})
}

var shapeOfExtremes = def.Param{Name: "xi", Doc: "shape, positive where the upper tail is heavy", Domain: def.RealLine}

// endOfExtremes is the end at mu - sigma/xi, above where the shape is negative and else below.
func endOfExtremes(theta []float64, lower, upper float64) (float64, float64) {
	switch end := theta[0] - theta[1]/theta[2]; {
	case theta[2] < 0 && end < upper:
		return lower, end
	case theta[2] > 0 && end > lower:
		return end, upper
	}
	return lower, upper
}

func genParetoExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	if _, known := b.Const(theta[0]); !known {
		b.Least(x, theta[0])
	}
	b.Sum(b.Mul(b.Add(b.Number(1), theta[2]), boxCoxed(b, x, theta)), -1)
	b.Sum(b.Func("log", theta[1]), -1)
	return true
}

// boxCoxed is log(1 + xi z)/xi, z = (x - mu)/sigma: of a variable with a shape that without one, by the
// inverse of a transform of Box and Cox. Beyond the end of the support there is no density, and no slope.
func boxCoxed(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
	z := scaled(b, x, theta[0], theta[1], 1)
	b.Least(b.Mul(theta[2], z), b.Number(-1))
	return b.BoxCox(z, theta[2])
}

// boxCox is log(1 + xi·z)/xi, of which a shape of 0 is no special case, and boxCoxSlopes its derivatives.
func boxCox(z, xi float64) float64 { return z * log1pRatioAt(float64(xi*z)) }

func boxCoxSlopes(z, xi float64) (byZ, byXi float64) {
	w := float64(xi * z)
	if w <= -1 {
		return 0, 0
	}
	return 1 / (1 + w), float64(z*z) * log1pRatioSlope(w, log1pRatioAt(w))
}

// seriesWithin is the |w| up to which log(1 + w) is taken as 2 atanh(v), v = w/(2 + w), by its power series
// (NIST DLMF 4.6.4): the terms of the slope cancel near 0.
const seriesWithin = 0.3

// log1pRatioAt is log(1 + w)/w, 0 up to -1, where it does not exist.
func log1pRatioAt(w float64) float64 {
	if w <= -1 {
		return 0
	}
	if !(math.Abs(w) < seriesWithin) {
		return portable.Log1p(w) / w
	}
	part := 1 / (2 + w)
	u, sum := w*part*w*part, 0.0
	for n := len(odd) - 1; n >= 0; n-- {
		sum = float64(sum*u) + odd[n]
	}
	return 2 * part * sum
}

func log1pRatioSlope(w, value float64) float64 {
	if w <= -1 {
		return 0
	}
	if !(math.Abs(w) < seriesWithin) {
		return (1/(1+w) - value) / w
	}
	part := 1 / (2 + w)
	v, sum := w*part, 0.0
	for n := len(odd) - 1; n > 0; n-- {
		sum = float64(sum*v*v) + float64(float64(n)*odd[n])
	}
	return part * (float64(8*v*part*part*sum) - value)
}

// odd has 1/(2n + 1).
var odd = [12]float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21,
	1. / 23}

// extreme is the value whose boxCoxed is u. It stays inside the support where it rounds to the end.
func extreme(theta []float64, u float64) float64 {
	const least = -34 // exp(least) can still be told from 0 beside 1
	if w := max(theta[2]*u, least); w != 0 {
		u *= portable.Expm1(w) / (theta[2] * u)
	}
	return theta[0] + float64(positive(theta[1])*u)
}

// boxCoxedAt has minus boxCoxed of x, with its derivatives.
func boxCoxedAt(x float64, theta [maxParams]float64) point {
	sigma := positive(theta[1])
	z := (x - theta[0]) / sigma
	w := float64(theta[2] * z) // rounded before it is added to
	ratio := log1pRatioAt(w)
	dx := -1 / (sigma * (1 + w))
	return point{lp: -z * ratio, dx: dx,
		dtheta: [maxParams]float64{-dx, -z * dx, -z * z * log1pRatioSlope(w, ratio)}}
}

func genParetoTail(x float64, theta [maxParams]float64, upper bool) point {
	least, most := endOfExtremes(theta[:], theta[0], math.Inf(1))
	switch {
	case math.IsNaN(x + theta[0] + positive(theta[1]) + theta[2]):
		return invalid()
	case x <= max(least, theta[0]):
		return below0(upper)
	case x >= most:
		return above1(upper)
	case upper:
		return boxCoxedAt(x, theta)
	}
	return boxCoxedAt(x, theta).complement()
}
