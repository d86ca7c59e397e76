package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// OrderedProbit is the distribution of an ordered category by cutpoints on the normal scale.
func OrderedProbit() def.Dist {
	return def.Dist{
		Name: "ordered_probit",
		Doc: `The distribution of one of the ordered categories 1, …, K by K - 1 cutpoints: that of the interval between cutpoints in which a normal variable around eta, with
standard deviation 1, lies.

    log p(x) = log(Phi(eta - cutpoints[x-1]) - Phi(eta - cutpoints[x])), where cutpoints[0] = -∞ and cutpoints[K] = ∞

Source: Stan Functions Reference, "Ordered probit distribution"; Albert and Chib (1993), JASA 88.`,
		Params:     orderedParams(),
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "Phi(row(cutpoints) - outer(eta, 0 * cutpoints + 1))",
		Link:       def.Link{Scale: def.ProbitLink, Param: 0},
		Event: &def.Event{Least: 1, More: 1, InOrder: true, Density: func(b *def.Events) {
			orderedDensity(b, normalBetween)
		}, Expand: orderedProbitExpand, Sample: orderedProbitSample},
		Slow: "two log Phi and their slopes, an expm1 and a logarithm in each row between two cutpoints; " +
			"rows are divided by category and joined again",
		Examples: []string{
			"data y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : ordered[K - 1] ~ " +
				"normal(0, 3)\ny ~ ordered_probit(b * x, c)",
		},
	}
}

// orderedProbitExpand is the same by vectors: log Phi for the first and the last category, and for the others
// the difference of two Phi, of ends mirrored to the side where both are below the middle.
func orderedProbitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	eta := theta[0]
	table, at, n := cells(b, x, theta[1])
	// no row of the first category reads the first column, and none of the last category the last
	all := b.Between(0, table, 0)
	below, above := b.Head(all, n), b.Tail(all, n) // the ends of each category
	last := float64(b.Dims(below)[0] / n)
	is := func(code float64) func([]float64) bool { return func(x []float64) bool { return x[0] == code } }
	return b.Split([]def.Value{x}, is(1), func(b def.DensityBuilder, of func(def.Value) def.Value) {
		b.Density(BernoulliProbit(), b.Fill(0), b.Sub(of(eta), b.Gather(above, of(at))))
	}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
		x, at, eta := of(x), of(at), of(eta)
		b.Split([]def.Value{x}, is(last), func(b def.DensityBuilder, of func(def.Value) def.Value) {
			b.Density(BernoulliProbit(), b.Fill(1), b.Sub(of(eta), b.Gather(below, of(at))))
		}, func(b def.DensityBuilder, of func(def.Value) def.Value) {
			lower, upper := b.Gather(below, of(at)), b.Gather(above, of(at))
			half := b.Mul(b.Number(0.5), b.Sub(upper, lower))
			away := b.Func("abs", b.Sub(b.Mul(b.Number(0.5), b.Add(lower, upper)), of(eta)))
			top := b.Func("log_Phi", b.Sub(half, away))
			bottom := b.Func("log_Phi", b.Sub(b.Sub(b.Number(0), half), away))
			b.Sum(top, 1)
			b.Sum(b.Func("log", b.Sub(b.Number(0), b.Func("expm1", b.Sub(bottom, top)))), 1)
		})
	})
}

// narrow is the width, times 1 plus the distance from 0, below which an interval has its probability from the
// series around its middle, of error w⁴/1920: a difference would lose digits.
const narrow = 2e-3

// normalBetween is log(Phi(upper) - Phi(lower)), computed in the lower tail, where neither is close to 1.
func normalBetween(lower, upper float64) (lp, dLower, dUpper float64) {
	if lower > 0 {
		lp, a, b := normalBetween(-upper, -lower)
		return lp, -b, -a
	}
	if w, m := upper-lower, 0.5*(upper+lower); w*(1+math.Abs(m)) < narrow {
		lp = float64(-0.5*m*m) - halfLogTwoPi + portable.Log(w) + portable.Log1p((float64(m*m)-1)*w*w/24)
		return lp, -portable.Exp(float64(-0.5*lower*lower) - halfLogTwoPi - lp),
			portable.Exp(float64(-0.5*upper*upper) - halfLogTwoPi - lp)
	}
	top, _ := portable.LogPhiAndSlope(upper)
	if math.IsInf(upper, 1) {
		top = 0
	}
	lp = top
	if !math.IsInf(lower, -1) {
		bottom, _ := portable.LogPhiAndSlope(lower)
		lp += portable.Log1mExp(bottom - top)
		dLower = -portable.Exp(float64(-0.5*lower*lower) - halfLogTwoPi - lp)
	}
	if !math.IsInf(upper, 1) {
		dUpper = portable.Exp(float64(-0.5*upper*upper) - halfLogTwoPi - lp)
	}
	return lp, dLower, dUpper
}

func orderedProbitSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	x[0] = interval(theta[0][0]+portable.Normal(r), theta[1])
}
