package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// DiscreteRange is the uniform distribution on whole numbers from lower to upper.
func DiscreteRange() def.Dist {
	return derived(def.Dist{
		Name: "discrete_range",
		Doc: `The uniform distribution on the whole numbers from lower to upper. Both are data, so that it adds a constant to a model; vflc simulate draws from it.

    log p(x) = -log(upper - lower + 1)        for x = lower, …, upper

Source: Stan Functions Reference, "Discrete range distribution".`,
		Params: []def.Param{
			{Name: "lower", Doc: "least value", Domain: def.RealLine, Integral: true},
			{Name: "upper", Doc: "greatest value, no less than lower", Domain: def.RealLine, Integral: true},
		},
		Support:    def.WholeInterval,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       "0.5 * (lower + upper)",
		Slow:       nothingToCompute,
		Carrier: func(x float64, theta []float64) float64 {
			lower, upper := whole(theta[0]), whole(theta[1])
			if x := whole(x); lower <= x && x <= upper {
				return -portable.Log(upper - lower + 1)
			}
			return math.Inf(-1)
		},
		Sample: func(r *rand.Rand, theta []float64) float64 {
			lower, size := whole(theta[0]), nonNegative(whole(theta[1])-theta[0])+1
			return lower + min(math.Floor(size*r.Float64()), size-1)
		},
		LogCDF: below(discreteRangeTail), LogCCDF: above(discreteRangeTail),
		SlowTails: fewCounts,
		Examples:  []string{"data y : int[N]\ny ~ discrete_range(-2, 5)"},
	})
}

// whole returns v where it is a whole number.
func whole(v float64) float64 {
	if v == math.Floor(v) && !math.IsInf(v, 0) {
		return v
	}
	return math.NaN()
}

func discreteRangeTail(x float64, theta [maxParams]float64, upper bool) point {
	least, most := whole(theta[0]), whole(theta[1])
	count := math.Floor(x) - least + 1 // of values that are no greater
	size := most - least + 1
	switch {
	case !(size >= 1) || math.IsNaN(x):
		return invalid()
	case count <= 0:
		return below0(upper)
	case count >= size:
		return above1(upper)
	case upper:
		return point{lp: portable.Log((size - count) / size)}
	}
	return point{lp: portable.Log(count / size)}
}
