package dist

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A between is how the probability of an interval is written by vectors: see def.Dist.
type between func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value

// betweenTails takes the difference of the two distribution functions, or of their complements where the
// lower end is above the median: the smaller ones keep their digits.
func betweenTails(cdf, ccdf Formula) between {
	return func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value {
		switch def.None {
		case lower:
			return cdf(b, upper, theta)
		case upper:
			return ccdf(b, lower, theta)
		}
		left := cdf(b, lower, theta)
		above := b.Call("gt", left, b.Number(-math.Ln2))
		return logDifference(b, b.Call("where", above, ccdf(b, lower, theta), cdf(b, upper, theta)),
			b.Call("where", above, ccdf(b, upper, theta), left))
	}
}

// betweenSymmetric is betweenTails where the distribution function at x is cdf at z, which grows with x, and
// that of -z has the same distribution: one function serves both sides.
func betweenSymmetric(z Formula, cdf func(b def.DensityBuilder, z def.Value) def.Value) between {
	return func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value {
		switch def.None {
		case lower:
			return cdf(b, z(b, upper, theta))
		case upper:
			return cdf(b, b.Func("neg", z(b, lower, theta)))
		}
		from, to := z(b, lower, theta), z(b, upper, theta)
		above := b.Call("gt", b.Add(from, to), b.Number(0))
		return logDifference(b, cdf(b, b.Call("where", above, b.Func("neg", from), to)),
			cdf(b, b.Call("where", above, b.Func("neg", to), from)))
	}
}

// logDifference is log(exp(more) - exp(less)).
func logDifference(b def.DensityBuilder, more, less def.Value) def.Value {
	return b.Add(more, b.Func("log1m_exp", b.Sub(less, more)))
}

// betweenHalf is that of sigma·|u| for a u with the distribution function cdf, which is symmetric about 0:
// twice the probability that u lies there. From 0 on it is within, the log distribution function of |u|.
func betweenHalf(cdf func(b def.DensityBuilder, z def.Value) def.Value, within *def.Func) between {
	return func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value {
		z := func(x def.Value) def.Value { return b.Div(x, b.Apply(above0(), theta[0])) }
		beyond := func(x def.Value) def.Value { return cdf(b, b.Func("neg", z(x))) }
		twice := func(lp def.Value) def.Value { return b.Add(lp, b.Number(math.Ln2)) }
		switch def.None {
		case lower:
			return b.Apply(within, z(upper))
		case upper:
			return twice(beyond(lower))
		}
		return twice(logDifference(b, beyond(lower), beyond(upper)))
	}
}

// withinHalf is the log distribution function of |u| at z > 0, given that of u and that of |u|.
func withinHalf(name string, loop def.FuncLoop, f standardTail, cdf func(z float64) float64) *def.Func {
	return &def.Func{
		Name:   name,
		Vector: loop,
		Forward: func(y, x []float64) {
			for i, z := range x {
				y[i], _ = doubled(f, cdf, z, false)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, z := range x {
				_, slope := doubled(f, cdf, z, false)
				dx[i] += float64(dy[i] * slope)
			}
		},
	}
}

// logCauchy is the log of the distribution function of the standard Cauchy distribution.
func logCauchy(b def.DensityBuilder, z def.Value) def.Value {
	return b.Apply(&def.Func{
		Name:   "log_cauchy_cdf",
		Vector: def.CauchyLoop,
		Forward: func(y, x []float64) {
			for i, z := range x {
				y[i], _ = cauchyCDF(z)
			}
		},
		Backward: func(dx, dy, x, y []float64) {
			for i, z := range x {
				dx[i] += float64(dy[i] * portable.Exp(-y[i]) / (math.Pi * (1 + float64(z*z))))
			}
		},
	}, z)
}

// betweenHazard is that of a distribution whose log probability of a greater value is -exp(h), with h the log
// of the cumulative hazard H.
func betweenHazard(h Formula) between {
	return func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value {
		switch def.None {
		case lower:
			return logHit(b, h(b, upper, theta))
		case upper:
			return b.Func("neg", b.Func("exp", h(b, lower, theta)))
		}
		return b.Hazards(h(b, lower, theta), h(b, upper, theta))
	}
}

// exp(-noDigits) has no digits beside 1.
const noDigits = 40

// betweenReversed is betweenHazard of a distribution whose log probability of a smaller value is -exp(h).
func betweenReversed(h Formula) between {
	forward := betweenHazard(h)
	return func(b def.DensityBuilder, lower, upper def.Value, theta []def.Value) def.Value {
		return forward(b, upper, lower, theta)
	}
}

// logHit is log(1 - exp(-exp(h))), which is h where exp(h) has no digits beside 1: a factor is taken out
// there, so that exp(h) is not 0.
func logHit(b def.DensityBuilder, h def.Value) def.Value {
	shift := b.Func("relu", b.Sub(b.Number(-noDigits), h))
	return b.Sub(b.Func("log1m_exp", b.Func("neg", b.Func("exp", b.Add(h, shift)))), shift)
}

// standardized is (x - mu)/sigma, NaN where sigma is not positive.
func standardized(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
	return scaled(b, x, theta[0], b.Apply(above0(), theta[1]), 1)
}

// standardizedLog is that of log x.
func standardizedLog(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
	return standardized(b, b.Func("log", x), theta)
}

// logPower is alpha·log(x/sigma).
func logPower(b def.DensityBuilder, x, alpha, sigma def.Value) def.Value {
	return b.Mul(b.Apply(above0(), alpha), b.Sub(b.Func("log", x), b.Func("log", sigma)))
}

// logPhi is the log of the distribution function of the standard normal distribution.
func logPhi(b def.DensityBuilder, z def.Value) def.Value { return b.Func("log_Phi", z) }

// logSigmoid is that of the standard logistic distribution.
func logSigmoid(b def.DensityBuilder, z def.Value) def.Value {
	return b.Func("neg", b.Func("softplus", b.Func("neg", z)))
}
