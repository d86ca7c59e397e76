package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Log sets y = log a.
func Log(n int, y, a []float64) { log(active, n, y, a) }

// Log1p sets y = log(1 + a), without cancellation.
func Log1p(n int, y, a []float64) { log1p(active, n, y, a) }

// Log1pExp sets y = log(1 + e^a).
func Log1pExp(n int, y, a []float64) { log1pExp(active, n, y, a) }

func logGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log(x)
	}
}

func log1pGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log1p(x)
	}
}

func log1pExpGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log1pExp(x)
	}
}

// Log1mExp sets y = log(1 - e^a) for a < 0, without cancellation.
func Log1mExp(n int, y, a []float64) {
	const block = 128
	var near, most [block]float64 // near is not 0 where 1 - e^a is below one half
	for from := 0; from < n; from += block {
		m := min(block, n-from)
		y, a := y[from:][:m], a[from:][:m]
		AddScalar(m, near[:], a, math.Ln2)
		Relu(m, near[:], near[:])
		Exp(m, most[:], a)
		Neg(m, most[:], most[:])
		Log1p(m, most[:], most[:])
		Expm1(m, y, a)
		Neg(m, y, y)
		Log(m, y, y)
		Select(m, y, near[:], y, most[:])
	}
}
