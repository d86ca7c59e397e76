package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestShort holds the products with float32 against those with the same numbers in float64, bit for bit, on every set.
func TestShort(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 3, 8, 9, 31, 64, 100, 129} {
		for _, k := range []int{1, 2, 3, 5, 8, 20} {
			stride := (n+7)/8*8 + 8
			x, wide := make([]float32, k*stride), make([]float64, k*stride)
			for j := range k {
				for i := range n {
					x[j*stride+i] = float32(r.NormFloat64())
					wide[j*stride+i] = float64(x[j*stride+i])
				}
			}
			b, y, u := gaussians(r, k), gaussians(r, n), gaussians(r, n)
			wantY, wantB := slices.Clone(y), slices.Clone(b)
			matVecAdd(Portable, n, wantY, wide, stride, b, 1, k)
			matTVecAdd(Portable, n, wantB, 1, wide, stride, u, k)
			for _, on := range Sets() {
				gotY, gotB := slices.Clone(y), slices.Clone(b)
				matVecAddShort(on, n, gotY, x, stride, b, k)
				matTVecAddShort(on, n, gotB, x, stride, u, k)
				if !slices.Equal(gotY, wantY) || !slices.Equal(gotB, wantB) {
					t.Errorf("%v: %d rows, %d columns: products differ from those in float64", on, n, k)
				}
			}
		}
	}
}

func gaussians(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}
