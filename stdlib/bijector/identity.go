package bijector

import "github.com/vflc/vflc/stdlib/def"

// Identity maps the real line to itself; it ignores its bounds.
func Identity() def.Bijector {
	return def.Bijector{
		Name:     "identity",
		Identity: true,
		Doc:      "The real line as it is: y = u.",
		Forward: func(y, x []float64, _, _ float64) float64 {
			copy(y, x)
			return 0
		},
		Backward: func(dx, dy, _, _ []float64, _, _ float64) {
			for i, d := range dy {
				dx[i] += d
			}
		},
		Inverse: func(x, y []float64, _, _ float64) { copy(x, y) },
	}
}
