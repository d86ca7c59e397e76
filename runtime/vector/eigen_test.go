package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/runtime/vector"
)

// The vectors are orthonormal, A·V = V·Λ, and the values are those of gonum, for random matrices, some with
// few different eigenvalues, of many sizes and scales.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		n := 1 + r.IntN(40)
		size := math.Pow(10, float64(r.IntN(12)-6))
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				v := size * r.NormFloat64()
				if trial%3 == 0 && (i != j || r.IntN(2) == 0) {
					v = 0
				} else if trial%3 == 1 {
					v = size * float64(1+i%2*j%2)
				}
				a[i*n+j], a[j*n+i] = v, v
			}
		}
		v, values := append([]float64(nil), a...), make([]float64, n)
		if !vector.Eigen(n, v, values, make([]float64, n*n), make([]float64, vector.EigenRoom*n)) {
			t.Fatal("no convergence")
		}
		norm, trace, want := 0.0, 0.0, mat.EigenSym{}
		for i := range n {
			trace += a[i*n+i]
			norm = max(norm, math.Abs(values[i]))
		}
		want.Factorize(mat.NewSymDense(n, a), false)
		for _, value := range want.Values(nil) {
			least := math.Inf(1)
			for _, got := range values {
				least = min(least, math.Abs(got-value))
			}
			if least > 1e-13*(norm+1e-300)*float64(n) {
				t.Errorf("no eigenvalue is near %v: %v", value, values)
			}
		}
		for i := range n {
			for j := range n {
				product, image := 0.0, 0.0
				for k := range n {
					product += v[k*n+i] * v[k*n+j]
					image += a[i*n+k] * v[k*n+j]
				}
				identity := 0.0
				if i == j {
					identity = 1
				}
				if math.Abs(product-identity) > 1e-13*float64(n) ||
					math.Abs(image-values[j]*v[i*n+j]) > 1e-13*float64(n)*norm {
					t.Fatalf("%d rows, element %d, %d: VᵀV has %v, AV - VΛ %v", n, i, j, product,
						image-values[j]*v[i*n+j])
				}
			}
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	const n = 60
	r := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = r.NormFloat64()
			a[j*n+i] = a[i*n+j]
		}
	}
	v, values, scratch, room := make([]float64, n*n), make([]float64, n), make([]float64, n*n),
		make([]float64, vector.EigenRoom*n)
	b.ReportAllocs()
	for b.Loop() {
		copy(v, a)
		vector.Eigen(n, v, values, scratch, room)
	}
}

func BenchmarkGonum(b *testing.B) {
	const n = 60
	r := rand.New(rand.NewPCG(1, 2))
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, r.NormFloat64())
		}
	}
	for b.Loop() {
		var e mat.EigenSym
		e.Factorize(a, true)
	}
}
