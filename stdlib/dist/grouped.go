package dist

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// standIn is the density of groups of values as that of so many values that are all equal to one, and the
// rest.
func standIn(d func() def.Dist, one func(x []float64) float64, rest ...def.GroupStatistic) *def.Grouped {
	return &def.Grouped{One: one, Rest: rest,
		Write: func(b def.DensityBuilder, one, count def.Value, theta []def.Value) {
			b.Sum(b.Mul(count, b.Elements(d(), one, theta...)), 1)
		}}
}

// total is the density of groups of counts as that of the sum of each.
func total(write func(b def.DensityBuilder, sum, count def.Value, theta []def.Value),
	rest ...def.GroupStatistic) *def.Grouped {
	return &def.Grouped{One: sumOf, Write: write, Rest: rest}
}

// successes is total of numbers of successes in one trial, or in as many as the first parameter says.
func successes(binomial func() def.Dist) *def.Grouped {
	return total(func(b def.DensityBuilder, sum, count def.Value, theta []def.Value) {
		chance := theta[len(theta)-1]
		if len(theta) > 1 {
			count = b.Mul(count, theta[0])
		}
		b.Density(withoutCarrier(binomial()), sum, count, chance)
	})
}

// withoutCarrier is a distribution without its carrier.
func withoutCarrier(d def.Dist) def.Dist {
	d.Carrier = nil
	return d
}

// besides is Σ f(x) of a group, less that of as many values that are equal to one, times a function of the
// parameters.
func besides(f func(x float64) float64,
	by func(b def.DensityBuilder, theta []def.Value) def.Value) def.GroupStatistic {
	return def.GroupStatistic{
		Of: func(x []float64, one float64) float64 {
			at, sum := f(one), 0.0
			for _, v := range x {
				sum += f(v) - at
			}
			return sum
		},
		By: func(b def.DensityBuilder, _ def.Value, theta []def.Value) def.Value { return by(b, theta) },
	}
}

// affine is scale·θ_k + offset.
func affine(k int, scale, offset float64) func(b def.DensityBuilder, theta []def.Value) def.Value {
	return func(b def.DensityBuilder, theta []def.Value) def.Value {
		return b.Add(b.Mul(b.Number(scale), theta[k]), b.Number(offset))
	}
}

func always(v float64) func(b def.DensityBuilder, theta []def.Value) def.Value {
	return func(b def.DensityBuilder, _ []def.Value) def.Value { return b.Number(v) }
}

func sumOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

func meanOf(x []float64) float64 { return sumOf(x) / float64(len(x)) }

// by is f's inverse of the mean of f(x).
func by(f, inverse func(float64) float64) func(x []float64) float64 {
	return func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += f(v)
		}
		return inverse(sum / float64(len(x)))
	}
}

func inverse(x float64) float64 { return 1 / x }

func log1m(x float64) float64 { return portable.Log1p(-x) }

var harmonicMean = by(inverse, inverse)

// inverseGaussianGroups: Σ (x - mu)²/(mu² x) is n·(mean - mu)²/(mu² mean) + Σ (1/x - 1/mean). Tweedie,
// Statistical properties of inverse Gaussian distributions, Annals of Mathematical Statistics 28 (1957).
func inverseGaussianGroups() *def.Grouped {
	return standIn(InverseGaussian, meanOf, besides(inverse, affine(1, -0.5, 0)),
		besides(portable.Log, always(-1.5)))
}

// vonMisesGroups: Σ cos(x - mu) is R·cos(mean - mu), with mean the direction of the sum of unit vectors and
// R its length.
func vonMisesGroups() *def.Grouped {
	direction := func(x []float64) (mean, length float64) {
		var sum, across float64
		for _, v := range x {
			sum, across = sum+portable.Cos(v), across+portable.Sin(v)
		}
		return portable.Atan2(across, sum), portable.Hypot(sum, across)
	}
	return standIn(VonMises, func(x []float64) float64 {
		mean, _ := direction(x)
		return mean
	}, def.GroupStatistic{
		Of: func(x []float64, _ float64) float64 {
			_, length := direction(x)
			return length - float64(len(x))
		},
		By: func(b def.DensityBuilder, mean def.Value, theta []def.Value) def.Value {
			return b.Mul(theta[1], b.Func("cos", b.Sub(mean, theta[0])))
		},
	})
}

func betaGroups() *def.Grouped {
	return standIn(Beta, meanOf, besides(portable.Log, affine(0, 1, -1)), besides(log1m, affine(1, 1, -1)))
}

func betaProportionGroups() *def.Grouped {
	less1 := func(b def.DensityBuilder, x def.Value) def.Value { return b.Sub(x, b.Number(1)) }
	return standIn(BetaProportion, meanOf,
		besides(portable.Log, func(b def.DensityBuilder, theta []def.Value) def.Value {
			return less1(b, b.Mul(theta[0], theta[1]))
		}),
		besides(log1m, func(b def.DensityBuilder, theta []def.Value) def.Value {
			return less1(b, b.Mul(b.Sub(b.Number(1), theta[0]), theta[1]))
		}))
}

// poissonGroups: a sum of counts has the sum of their rates; log n of each value is too much by that.
func poissonGroups(d func() def.Dist,
	times func(b def.DensityBuilder, rate, count def.Value) def.Value) *def.Grouped {
	return total(func(b def.DensityBuilder, sum, count def.Value, theta []def.Value) {
		b.Density(withoutCarrier(d()), sum, times(b, theta[0], count))
	}, def.GroupStatistic{
		Of: func(x []float64, sum float64) float64 { return -sum * portable.Log(float64(len(x))) },
		By: func(b def.DensityBuilder, _ def.Value, _ []def.Value) def.Value { return b.Number(1) },
	})
}
