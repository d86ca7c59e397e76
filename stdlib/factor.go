package stdlib

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Factor is what the statement `factor` adds to the log density: its argument. It is no distribution: x does
// not enter, and nothing can be drawn.
func Factor() def.Dist {
	return def.Dist{
		Name:       "factor",
		Doc:        "A term of the log density.",
		Params:     []def.Param{{Name: "value", Doc: "what is added", Domain: def.RealLine}},
		LocationAt: -1,
		ScaleAt:    -1,
		LogDensity: factorLogDensity,
		Expand: func(b def.DensityBuilder, _ def.Value, theta []def.Value) bool {
			b.Sum(theta[0], 1)
			return true
		},
		NoCDF: "it is no distribution",
	}
}

// factorLogDensity is the sum of the argument; one that is +∞ is no density either.
func factorLogDensity(b *def.Batch) float64 {
	value, slope := b.Theta[0], output(b, 0)
	sum := 0.0
	for i := range b.N {
		v := value.At(i)
		if math.IsInf(v, 1) {
			v = math.NaN()
		}
		sum += v
		set(b.LP, i, v)
		set(b.DX, i, 0)
		set(slope, i, 1)
	}
	return finish(b, sum)
}
