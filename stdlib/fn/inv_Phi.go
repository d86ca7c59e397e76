package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InvPhi is the inverse of Phi.
func InvPhi() def.Func {
	return def.Func{
		Name: "inv_Phi",
		Doc: "The inverse of Phi, from a probability to a probit: the quantile of the " +
			"standard normal distribution.",
		Domain: "0 < x < 1",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.InvPhi(v)
			}
		},
		Backward: func(dx, dy, x, y []float64) {
			for i, v := range y {
				density := 0.0
				if x[i] != 0 { // x·φ/Φ(y), since the rounding of y shows in the density
					density = x[i] * portable.LogPhiSlope(v)
				}
				dx[i] += dy[i] / density
			}
		},
		Monotone: def.Increasing,
		Undoes:   "Phi",
		Vector:   def.InvPhiLoop,
		Examples: []string{"inv_Phi(0.5) = 0", "inv_Phi(0.975) = 1.9599639845400538",
			"inv_Phi(1e-300) = -37.0470962993612", "inv_Phi(1e-20) = -9.262340089798407",
			"inv_Phi(0.25) = -0.6744897501960817"},
	}
}
