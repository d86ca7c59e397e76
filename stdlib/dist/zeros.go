package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Counts with extra zeros: a zero with probability theta, else a count of another distribution, which may be
// 0 too (zero-inflated) or not (hurdle).

var zeroParam = def.Param{Name: "theta", Doc: "probability of an extra zero", Domain: def.UnitInterval}

// inflatedExpand and hurdleExpand are the densities by rows with the count 0 and rows above it, given the
// distribution of the counts and the log of its mass at 0. Where theta is inv_logit(m), log theta at 0 and
// log(1 - theta) above are the terms of a Bernoulli variable with log odds m, and log(theta + (1 - theta) q)
// = log theta + log(1 + q/e^m).
func inflatedExpand(count def.Dist,
	zero func(b def.DensityBuilder, theta []def.Value) def.Value) func(b def.DensityBuilder,
	x def.Value, theta []def.Value) bool {
	capped := func(b def.DensityBuilder, theta []def.Value) def.Value {
		return zero(b, append([]def.Value{b.Apply(belowOverflow(), theta[0])}, theta[1:]...))
	}
	return zerosExpand(count, func(b def.DensityBuilder, p def.Value, logit bool, rest []def.Value) {
		none := capped(b, rest)
		if logit {
			b.Sum(b.Func("softplus", b.Sub(none, p)), 1)
			return
		}
		b.Sum(b.Func("log", b.Add(p, b.Mul(b.Sub(b.Number(1), p), b.Func("exp", none)))), 1)
	}, func(def.DensityBuilder, []def.Value) {})
}

func hurdleExpand(count def.Dist,
	zero func(b def.DensityBuilder, theta []def.Value) def.Value) func(b def.DensityBuilder,
	x def.Value, theta []def.Value) bool {
	return zerosExpand(count, func(b def.DensityBuilder, p def.Value, logit bool, rest []def.Value) {
		if !logit {
			b.Sum(b.Func("log", p), 1)
		}
		b.Sum(zero(b, rest), 0) // no density where the count has none
	}, func(b def.DensityBuilder, rest []def.Value) {
		b.Sum(b.Func("log", b.Sub(b.Number(0), b.Func("expm1", zero(b, rest)))), -1)
	})
}

// zerosExpand calls at with the rows that are 0, where p is theta or its log odds, and above with the others.
func zerosExpand(count def.Dist, at func(b def.DensityBuilder, p def.Value, logit bool, rest []def.Value),
	above func(b def.DensityBuilder, rest []def.Value)) func(b def.DensityBuilder, x def.Value,
	theta []def.Value) bool {
	count.Carrier = nil // that of the whole
	return func(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
		m, logit := b.Argument("inv_logit", theta[0])
		p := m
		if !logit {
			p = b.Apply(unit(), theta[0])
		}
		rest := func(of func(def.Value) def.Value) []def.Value {
			out := make([]def.Value, len(theta)-1)
			for k := range out {
				out[k] = of(theta[k+1])
			}
			return out
		}
		split := b.Split([]def.Value{x}, func(x []float64) bool {
			return x[0] == 0
		}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
			at(b, of(p), logit, rest(of))
		}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
			if !logit {
				b.Sum(b.Func("log1m", of(p)), 1)
			}
			b.Density(count, of(x), rest(of)...)
			above(b, rest(of))
		})
		if split && logit {
			b.Density(BernoulliLogit(), b.Apply(isZero(), x), m)
		}
		return split
	}
}

// isZero is 1 where a count is 0, and 0 elsewhere.
func isZero() *def.Func {
	return &def.Func{
		Name: "is_zero", Light: true,
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = 0
				if v == 0 {
					y[i] = 1
				}
			}
		},
		Backward: func(_, _, _, _ []float64) {},
	}
}

// belowOverflow keeps the exponential of a log rate finite. The mass at 0 is then 0 in any case, and so are
// its derivatives.
func belowOverflow() *def.Func {
	return &def.Func{
		Name: "below_overflow", Light: true,
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = min(v, 700)
			}
		},
		Backward: passOn,
	}
}

// poissonZero and negBinomialZero are the log mass at 0.
func poissonZero(b def.DensityBuilder, theta []def.Value) def.Value {
	return b.Sub(b.Number(0), b.Func("exp", theta[0]))
}

func negBinomialZero(b def.DensityBuilder, theta []def.Value) def.Value {
	return b.Sub(b.Number(0), b.Mul(theta[1], b.Func("softplus", b.Sub(theta[0], b.Func("log", theta[1])))))
}

// zerosTail is the tail of a count with extra zeros, given that of the count: theta + (1 - theta) P(count ≤
// x), where the count of a hurdle is that given that it is not 0. The smaller of the two probabilities is
// computed, and the other as its complement.
func zerosTail(count tail, hurdle bool) tail {
	return func(x float64, theta [maxParams]float64, upper bool) point {
		p, rest := nonNegative(theta[0]), nonNegative(1-theta[0])
		args := [maxParams]float64{theta[1], theta[2]}
		lower, above := count(x, args, false), count(x, args, true)
		switch {
		case math.IsNaN(p + rest + float64(0*portable.Exp(lower.lp)) + float64(0*portable.Exp(above.lp)) +
			float64(0*x)):
			return invalid()
		case x < 0:
			return below0(upper)
		}
		if hurdle {
			lower, above = givenSome(count, args, lower, above)
		}
		lower, above = withZeros(lower, p, rest), point{lp: above.lp + portable.Log(rest),
			dtheta: [maxParams]float64{-1 / rest, above.dtheta[0], above.dtheta[1]}}
		switch small := lower.lp < -math.Ln2; {
		case upper && small:
			return complement(lower)
		case !upper && !small:
			return complement(above)
		case upper:
			return above
		}
		return lower
	}
}

// givenSome gives both tails of a count given that it is not 0.
func givenSome(count tail, args [maxParams]float64, lower, above point) (point, point) {
	none, some := count(0, args, false), count(0, args, true)
	share := portable.Exp(none.lp - lower.lp)
	out := point{lp: lower.lp + portable.Log1p(-share) - some.lp}
	for k := range out.dtheta {
		if share < 1 {
			out.dtheta[k] = (lower.dtheta[k]-float64(share*none.dtheta[k]))/(1-share) - some.dtheta[k]
		}
		above.dtheta[k] -= some.dtheta[k]
	}
	above.lp -= some.lp
	return out, above
}

// withZeros is the log of theta + rest·exp(lower.lp).
func withZeros(lower point, theta, rest float64) point {
	a, c := portable.Log(theta), portable.Log(rest)+lower.lp
	lp := math.Max(a, c)
	if !math.IsInf(lp, -1) {
		lp += portable.Log1p(portable.Exp(-math.Abs(a - c)))
	}
	if math.IsInf(a, -1) || math.IsInf(c, -1) {
		lp = math.Max(a, c)
	}
	share := portable.Exp(c - lp)
	return point{lp: lp, dtheta: [maxParams]float64{-portable.Expm1(lower.lp) * portable.Exp(-lp),
		times(share, lower.dtheta[0]), times(share, lower.dtheta[1])}}
}

// complement is log(1 - exp) of a log probability.
func complement(p point) point {
	odds := portable.Exp(p.lp) / -portable.Expm1(p.lp)
	out := point{lp: portable.Log1mExp(p.lp), dx: -times(odds, p.dx)}
	for k, d := range p.dtheta {
		out.dtheta[k] = -times(odds, d)
	}
	return out
}

// unless draws from count where a coin with probability theta shows no extra zero.
func unless(r *rand.Rand, theta float64, count func() float64) float64 {
	p := nonNegative(theta) + float64(0*nonNegative(1-theta))
	extra := drawBinary(r, p)
	x := count()
	if extra == 1 {
		return 0 * x
	}
	return x + float64(0*extra)
}

// positivePoisson draws from poisson(rate) given that it is not 0: the first arrival in [0, rate], then the
// others.
func positivePoisson(r *rand.Rand, rate float64) float64 {
	first := -portable.Log1p(r.Float64() * portable.Expm1(-rate))
	return 1 + drawPoisson(r, max(rate-first, 0))
}

// positiveNegBinomial draws from neg_binomial_2_log(eta, phi) given that it is not 0: by rejection, or where
// 0 is likely by inversion.
func positiveNegBinomial(r *rand.Rand, eta, phi float64) float64 {
	phi = positive(phi)
	t := eta - portable.Log(phi)
	above := -portable.Expm1(-phi * portable.Log1pExp(t))
	if math.IsNaN(above) {
		return above
	}
	for above > 0.1 {
		if x := drawPoisson(r, portable.Exp(eta)*(drawGamma(r, phi)/phi)); x != 0 {
			return x
		}
	}
	p, x := portable.Sigmoid(t), 1.0
	mass := float64(phi*p*portable.Exp(-phi*portable.Log1pExp(t))) / above
	for u := float64(r.Float64()) - mass; u > 0 && mass > 1e-300; u -= mass {
		mass = float64(mass * (p * (x + phi) / (x + 1)))
		x++
	}
	return x
}
