package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LogInvLogit is the logarithm of inv_logit.
func LogInvLogit() def.Func {
	return def.Func{
		Name: "log_inv_logit",
		Doc:  "log(inv_logit(x)), accurate for large |x|: the log probability of a success with log odds x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = -portable.Log1pExp(-v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * portable.Sigmoid(-v))
			}
		},
		Monotone: def.Increasing,
		Vector:   def.LogInvLogitLoop,
		Examples: []string{"log_inv_logit(0) = -0.6931471805599453", "log_inv_logit(-800) = -800",
			"log_inv_logit(40) = -4.248354255291589e-18"},
	}
}
