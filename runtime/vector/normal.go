package vector

import "github.com/vflc/vflc/portable"

// LogPhi sets y = log Φ(a), the standard normal distribution function.
func LogPhi(n int, y, a []float64) { logPhi(active, n, y, a) }

// LogPhiSlope sets y = φ(a)/Φ(a), the derivative of log Φ.
func LogPhiSlope(n int, y, a []float64) { logPhiSlope(active, n, y, a) }

func logPhiGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.LogPhi(x)
	}
}

func logPhiSlopeGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.LogPhiSlope(x)
	}
}
