package fn

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LogPhi is the logarithm of Phi.
func LogPhi() def.Func {
	return def.Func{
		Name: "log_Phi",
		Doc:  "log(Phi(x)), accurate where Phi(x) underflows.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i], _ = portable.LogPhiAndSlope(v)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				_, slope := portable.LogPhiAndSlope(v)
				dx[i] += float64(dy[i] * slope)
			}
		},
		Vector:   def.LogPhiLoop,
		Monotone: def.Increasing,
		Examples: []string{"log_Phi(0) = -0.6931471805599453", "log_Phi(-40) = -804.6084420137538"},
	}
}
