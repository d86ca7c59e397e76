package dist

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/stdlib/def"
)

// The gradient of a distribution is a sum over few functions of the value, each times a function of the
// parameters, where Sums says so and nowhere else: as a matrix over values and parameters it has a small
// rank. Where it has none, the gradient at enough parameters tells the values.
func TestSums(t *testing.T) {
	const values, points, most, tolerance = 24, 60, 4, 1e-9
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(5, 6))
		theta := drawTheta(d, r)
		x := make([]float64, values)
		for i := range x {
			if x[i] = drawX(d, r, theta); d.Discrete && d.Inside(float64(i), theta) {
				x[i] = float64(i) // draws may all be the same few
			}
		}
		var rows []float64
		bounded := false
		for range points {
			other := drawTheta(d, r)
			for k, p := range d.Params {
				if p.Integral || p.Data {
					other[k] = theta[k]
				}
			}
			for k, p := range d.Params {
				if p.Integral || p.Data {
					continue
				}
				row, size := make([]float64, values), 0.0
				for i := range x {
					partials := make([][]float64, len(d.Params))
					partials[k] = []float64{0}
					args := make([]def.BlockArg, len(other))
					for j, v := range other {
						args[j] = def.Scalar(v)
					}
					lp := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x[i]), Theta: args, DTheta: partials})
					bounded = bounded || math.IsInf(lp, -1)
					row[i] = partials[k][0]
					size = max(size, math.Abs(row[i]))
				}
				lower, upper := d.Support.Bounds(theta)
				below, above := d.Support.Bounds(other)
				bounded = bounded || lower != below || upper != above
				if !(size > 0) || math.IsInf(size, 0) {
					continue
				}
				for i := range row {
					row[i] /= size
				}
				rows = append(rows, row...)
			}
		}
		few := !bounded && len(rows) > 0
		rank := 0
		if few {
			var svd mat.SVD
			if !svd.Factorize(mat.NewDense(len(rows)/values, values, rows), mat.SVDNone) {
				t.Fatal("no singular values")
			}
			s := svd.Values(nil)
			for _, v := range s {
				if v > tolerance*s[0] {
					rank++
				}
			}
			few = rank <= most
		}
		if few != d.Sums {
			t.Errorf("Sums is %v, and the rank of the gradients is %d (bounds that parameters move: %v)",
				d.Sums, rank, bounded)
		}
	})
}
