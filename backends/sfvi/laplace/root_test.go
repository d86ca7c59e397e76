package laplace

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The root of a matrix of which eigenvalues are a millionth of others, as that of an intercept with the
// indicators of groups, has that for its square.
func TestSymmetricRoot(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	for _, p := range []int{1, 5, 60} {
		a := make([]float64, p*p)
		for k := range p {
			v := make([]float64, p)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			size := math.Pow(10, -6*float64(k)/float64(p))
			for i := range p {
				for j := range p {
					a[i*p+j] += size * v[i] * v[j]
				}
			}
		}
		root := append([]float64(nil), a...)
		symmetricRoot(root, p)
		for i := range p {
			for j := range p {
				sum := 0.0
				for k := range p {
					sum += root[i*p+k] * root[k*p+j]
				}
				if !(math.Abs(sum-a[i*p+j]) <= 1e-10*a[0]) || math.Abs(root[i*p+j]-root[j*p+i]) > 1e-10 {
					t.Fatalf("%d: element %d, %d of the square is %g, want %g", p, i, j, sum, a[i*p+j])
				}
			}
		}
	}
}
