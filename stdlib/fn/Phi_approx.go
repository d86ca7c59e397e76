package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// PhiApprox is a logistic approximation of Phi.
func PhiApprox() def.Func {
	return def.Func{
		Name: "Phi_approx",
		Doc:  `Stan's approximation of Phi: inv_logit(0.07056 x³ + 1.5976 x), within 0.00014 of it. Source: Stan Functions Reference, "Phi_approx"; Bowling et al. (2009), A logistic approximation to the cumulative normal distribution.`,
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = portable.Sigmoid(v * (float64(0.07056*v*v) + 1.5976))
			}
		},
		Backward: func(dx, dy, x, y []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (y[i] * portable.Sigmoid(-v*(float64(0.07056*v*v)+
					1.5976)) * (float64(3*0.07056*v*v) + 1.5976)))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.PhiApproxLoop,
		Examples: []string{"Phi_approx(0) = 0.5", "Phi_approx(1) = 0.8413303471805675",
			"Phi_approx(-3) = 0.001231955278117661"},
		NonNegative: true,
	}
}
