package kernel

import (
	"fmt"
	"math"
	"testing"
)

// sizes are a tile, a block of rows, and what no longer fits into the first cache.
var sizes = []int{32, 256, 2048}

// onSets runs a benchmark on every set and size.
func onSets(b *testing.B, run func(on Set, n int)) {
	for _, n := range sizes {
		for _, set := range Sets() {
			b.Run(fmt.Sprintf("n=%d/%v", n, set), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					run(set, n)
				}
			})
		}
	}
}

// ramp returns numbers between lo and hi.
func ramp(n int, lo, hi float64) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = lo + (hi-lo)*math.Mod(float64(i)*0.6180339887, 1)
	}
	return a
}

func BenchmarkFunction(b *testing.B) {
	for _, f := range functions() {
		y, a := make([]float64, 2048), ramp(2048, max(f.lo, -4), min(f.hi, 12))
		b.Run(f.name, func(b *testing.B) { onSets(b, func(on Set, n int) { f.on(on, n, y, a) }) })
	}
}

func BenchmarkElementwise(b *testing.B) {
	y, x, z := make([]float64, 2048), ramp(2048, 1, 2), ramp(2048, 1, 2)
	b.Run("add", func(b *testing.B) { onSets(b, func(on Set, n int) { add(on, n, y, x, z) }) })
	b.Run("axpy", func(b *testing.B) { onSets(b, func(on Set, n int) { axpy(on, n, y, 1e-9, x) }) })
	b.Run("sum", func(b *testing.B) { onSets(b, func(on Set, n int) { sum(on, n, x) }) })
	b.Run("dot", func(b *testing.B) { onSets(b, func(on Set, n int) { dot(on, n, x, z) }) })
}
