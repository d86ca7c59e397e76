package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log1mInvLogit is the logarithm of 1 - inv_logit.
func Log1mInvLogit() def.Func {
	return def.Func{
		Name: "log1m_inv_logit",
		Doc: "log(1 - inv_logit(x)), accurate for large |x|: the log probability of a " +
			"failure with log odds x.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = -portable.Log1pExp(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				dx[i] += float64(dy[i] * (-portable.Sigmoid(v)))
			}
		},
		Monotone: def.Decreasing,
		Vector:   def.Log1mInvLogitLoop,
		Examples: []string{"log1m_inv_logit(0) = -0.6931471805599453", "log1m_inv_logit(800) = -800",
			"log1m_inv_logit(-40) = -4.248354255291589e-18"},
	}
}
