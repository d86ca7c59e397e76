package vector

import "github.com/vflc/vflc/portable"

// Exp sets y = e^a.
func Exp(n int, y, a []float64) { exp(active, n, y, a) }

// Expm1 sets y = e^a - 1, without cancellation.
func Expm1(n int, y, a []float64) { expm1(active, n, y, a) }

func expGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Exp(x)
	}
}

func expm1Go(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Expm1(x)
	}
}
