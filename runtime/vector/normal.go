package vector

import "github.com/vflc/vflc/portable"

// LogPhi sets y = log Φ(a), the standard normal distribution function.
func LogPhi(n int, y, a []float64) { logPhi(active, n, y, a) }

// LogPhiSlope sets y = φ(a)/Φ(a), the derivative of log Φ.
func LogPhiSlope(n int, y, a []float64) { logPhiSlope(active, n, y, nil, a) }

// Phi sets y = Φ(a).
func Phi(n int, y, a []float64) { logPhiSlope(active, n, nil, y, a) }

// PhiAndSlope sets y = Φ(a) and slope = φ(a)/Φ(a), of which φ(a) is the product.
func PhiAndSlope(n int, y, slope, a []float64) { logPhiSlope(active, n, slope, y, a) }

func logPhiGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.LogPhi(x)
	}
}

func logPhiSlopeGo(_ int, y, phi, a []float64) {
	for i, x := range a {
		if y != nil {
			y[i] = portable.LogPhiSlope(x)
		}
		if phi != nil {
			phi[i] = portable.Phi(x)
		}
	}
}
