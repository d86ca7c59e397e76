package graph

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/stdlib/linear"
)

// The factor of a large matrix, its reverse and the inverse are the same by vector functions and by loops.
func TestMatrixProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, k := range []int{17, 90, 203} {
		a, w := make([]float64, k*k), make([]float64, k*k)
		for j := range k {
			for i := range k {
				d := float64(i-j) / 5
				a[i+k*j], w[i+k*j] = math.Exp(-0.5*d*d), r.NormFloat64()
			}
			a[j+k*j] += 0.1
		}
		var all [2][]float64
		for i, p := range []linear.Products{matrixProducts, {}} {
			l, da, inverse := make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
			if !p.Cholesky(l, a, k) {
				t.Fatal("no factor")
			}
			p.Inverse(inverse, l, k)
			p.CholeskyBack(da, append([]float64(nil), w...), l, k)
			all[i] = append(append(l, da...), inverse...)
		}
		largest := 0.0
		for i, v := range all[0] {
			largest = max(largest, math.Abs(v-all[1][i])/(1+math.Abs(v)))
		}
		if !(largest < 1e-11) {
			t.Errorf("K = %d: they differ by %v", k, largest)
		}
	}
}
