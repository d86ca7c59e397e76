package bijector

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// UnitVector maps to vectors of length 1.
func UnitVector() def.Structured {
	return def.Structured{
		Name: "unit_vector",
		Doc: `Vectors of length 1: y = u/‖u‖ with the K coordinates u. The map loses the length of u, which gets the density of independent standard normals: in place of
a log-Jacobian stands -½ u·u, so that y without another density is uniform on the sphere. There is no value at u = 0.

Source: Stan Reference Manual, "Unit vector"; Muller (1959), A note on a method for generating points uniformly on n-dimensional spheres, CACM 2.`,
		Support: def.UnitVector,
		Rank:    1,
		Least:   2,
		Free:    func(k int) int { return k },
		Forward: func(y, x, _ []float64, _ int) float64 {
			r := length(x)
			for i, u := range x {
				y[i] = u / r
			}
			return -0.5 * r * r
		},
		Backward: func(dx, dy, x, y, _ []float64, _ int, jacobian bool) {
			along, r := 0.0, length(x)
			for i, v := range y {
				along += float64(v * dy[i])
			}
			for i, v := range y {
				dx[i] += (dy[i] - float64(along*v)) / r
				if jacobian {
					dx[i] -= x[i]
				}
			}
		},
		Inverse:  func(x, y []float64, _ int) { copy(x, y) },
		Contains: func(y []float64, _ int) bool { return math.Abs(length(y)-1) <= 1e-8 },
	}
}

func length(x []float64) float64 {
	r := 0.0
	for _, v := range x {
		r = portable.Hypot(r, v)
	}
	return r
}
