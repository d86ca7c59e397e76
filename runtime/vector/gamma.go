package vector

import "github.com/vflc/vflc/portable"

// Lgamma sets y = log Γ(a) for a ≥ 0, and NaN below.
func Lgamma(n int, y, a []float64) { lgamma(active, n, y, a) }

// Digamma sets y = ψ(a), the derivative of log Γ, for a ≥ 0, and NaN below.
func Digamma(n int, y, a []float64) { digamma(active, n, y, a) }

func lgammaGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Lgamma(x)
	}
}

func digammaGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Digamma(x)
	}
}
