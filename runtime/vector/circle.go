package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Sin sets y = sin(a), a in radians.
func Sin(n int, y, a []float64) { angles(n, y, a, sine, portable.Sin) }

// Cos sets y = cos(a), a in radians.
func Cos(n int, y, a []float64) { angles(n, y, a, cosine, portable.Cos) }

func angles(n int, y, a []float64, near func(on InstructionSet, n int, y, a []float64),
	far func(float64) float64) {
	var beyond uint64 // its first bit is set where an angle is
	for _, x := range a[:n] {
		beyond |= portable.MostTurnedBits - math.Float64bits(x)&^(1<<63)
	}
	if int64(beyond) >= 0 {
		near(active, n, y, a)
		return
	}
	for i, x := range a[:n] {
		if math.Abs(x) <= portable.MostTurned {
			near(active, 1, y[i:], a[i:])
		} else {
			y[i] = far(x)
		}
	}
}

func sineGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.SinNear(x)
	}
}

func cosineGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.CosNear(x)
	}
}
