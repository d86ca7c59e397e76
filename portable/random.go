package portable

import (
	"math"
	"math/rand/v2"
)

// A layers divides the area below a density into n pieces of the same size, by the method of Marsaglia and
// Tsang (2000), The ziggurat method for generating random variables: layer i is as wide as edge[i] times a
// random integer, and a random integer below inside[i] lies in all of it.
type layers struct {
	inside []uint32
	edge   []float32
	height []float32
}

const (
	normalLayers, normalLast           = 128, 3.442619855899
	normalArea                         = 9.91256303526217e-3
	exponentialLayers, exponentialLast = 256, 7.69711747013104972
	exponentialArea                    = 3.949659822581572e-3
)

var (
	normalTable = newLayers(normalLayers, 1<<31, normalLast, normalArea, normalHeight,
		func(y float64) float64 {
			return math.Sqrt(-2 * Log(y))
		})
	exponentialTable = newLayers(exponentialLayers, 1<<32, exponentialLast, exponentialArea,
		exponentialHeight, func(y float64) float64 {
			return -Log(y)
		})
)

func normalHeight(x float64) float64      { return Exp(float64(-0.5*x) * x) }
func exponentialHeight(x float64) float64 { return Exp(-x) }

// newLayers computes the tables for random integers below unit; last is where the lowest layer ends and the
// tail begins.
func newLayers(n int, unit, last, area float64, height, inverse func(float64) float64) layers {
	l := layers{make([]uint32, n), make([]float32, n), make([]float32, n)}
	lowest := area / height(last)
	l.inside[0], l.edge[0], l.height[0] = uint32(last/lowest*unit), float32(lowest/unit), 1
	l.edge[n-1], l.height[n-1] = float32(last/unit), float32(height(last))
	for i, x := n-2, last; i >= 1; i-- {
		before := x
		x = inverse(area/x + height(x))
		l.inside[i+1] = uint32(x / before * unit)
		l.edge[i], l.height[i] = float32(x/unit), float32(height(x))
	}
	return l
}

// below reports whether a random height within layer i is below the density at x.
func (l *layers) below(i uint64, u, height float64) bool {
	return l.height[i]+float32(float32(u)*(l.height[i-1]-l.height[i])) < float32(height)
}

// Normal returns a standard normal number: the same as r.NormFloat64.
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := int32(u), u>>32&(normalLayers-1)
		x := float64(j) * float64(normalTable.edge[i])
		if size := max(j, -j); uint32(size) < normalTable.inside[i] {
			return x
		}
		if i == 0 {
			return normalTailDraw(r, j > 0)
		}
		if normalTable.below(i, r.Float64(), normalHeight(x)) {
			return x
		}
	}
}

// normalTailDraw draws beyond the lowest layer, by Marsaglia (1964).
func normalTailDraw(r *rand.Rand, positive bool) float64 {
	for {
		x := float64(-Log(r.Float64()) * (1 / normalLast))
		y := -Log(r.Float64())
		if y+y < float64(x*x) {
			continue
		}
		if positive {
			return normalLast + x
		}
		return -normalLast - x
	}
}

// Exponential returns an exponential number of mean 1: the same as r.ExpFloat64.
func Exponential(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := uint32(u), u>>32&(exponentialLayers-1)
		x := float64(j) * float64(exponentialTable.edge[i])
		if j < exponentialTable.inside[i] {
			return x
		}
		if i == 0 {
			return exponentialLast - Log(r.Float64())
		}
		if exponentialTable.below(i, r.Float64(), exponentialHeight(x)) {
			return x
		}
	}
}
