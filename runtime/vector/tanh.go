package vector

import "github.com/vflc/vflc/portable"

// Sigmoid sets y = 1/(1 + e^-a).
func Sigmoid(n int, y, a []float64) { sigmoid(active, n, y, a) }

// Tanh sets y = tanh a.
func Tanh(n int, y, a []float64) { tanh(active, n, y, a) }

func sigmoidGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Sigmoid(x)
	}
}

func tanhGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Tanh(x)
	}
}
