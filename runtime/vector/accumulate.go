package vector

import "math"

// Accumulate adds a to y.
func Accumulate(n int, y, a []float64) { accumulate(active, n, y, a) }

func accumulateGo(_ int, y, a []float64) {
	for i := range y {
		y[i] = y[i] + a[i]
	}
}

// Shift adds s to y.
func Shift(n int, y []float64, s float64) { shift(active, n, y, s) }

func shiftGo(_ int, y []float64, s float64) {
	for i := range y {
		y[i] = y[i] + s
	}
}

// Axpy adds s·a to y, rounding once.
func Axpy(n int, y []float64, s float64, a []float64) { axpy(active, n, y, s, a) }

func axpyGo(_ int, y []float64, s float64, a []float64) {
	for i := range y {
		y[i] = math.FMA(s, a[i], y[i])
	}
}

// MulAdd adds a·b, elementwise, to y, rounding once.
func MulAdd(n int, y, a, b []float64) { mulAdd(active, n, y, a, b) }

func mulAddGo(_ int, y, a, b []float64) {
	for i := range y {
		y[i] = math.FMA(a[i], b[i], y[i])
	}
}

// Approach adds s·(a - y) to y.
func Approach(n int, y []float64, s float64, a []float64) { approach(active, n, y, s, a) }

func approachGo(_ int, y []float64, s float64, a []float64) {
	for i := range y {
		y[i] = math.FMA(s, a[i]-y[i], y[i])
	}
}
