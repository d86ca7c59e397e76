package fn

import "github.com/vflc/vflc/stdlib/def"

// Relu is max(x, 0).
func Relu() def.Func {
	return def.Func{
		Name: "relu",
		Doc:  "max(x, 0), an activation of neural networks. Its derivative at 0 is taken as 0.",
		Forward: func(y, x []float64) {
			for i, v := range x {
				y[i] = max(v, 0)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, v := range x {
				if v > 0 {
					dx[i] += dy[i]
				}
			}
		},
		Monotone:    def.Nondecreasing,
		Examples:    []string{"relu(2.5) = 2.5", "relu(-1) = 0", "relu(0) = 0"},
		Vector:      def.ReluLoop,
		NonNegative: true,
	}
}
