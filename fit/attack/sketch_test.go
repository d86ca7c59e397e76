package attack

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// Columns that are one vector but for a billionth have an orthonormal basis that is as accurate as that of
// any others, and their coordinates in it give them back: the products of a sketch come close to one
// direction where one eigenvalue is far above the rest. One pass of Gram and Schmidt leaves products of
// columns near 10⁻⁷. So has a column that depends on those before it.
func TestNearlyDependentColumnsAreOrthogonalised(t *testing.T) {
	const n, k = 60, rank
	random := rand.New(rand.NewPCG(3, 5))
	common := make([]float64, n)
	for i := range common {
		common[i] = random.NormFloat64()
	}
	var q, given [][]float64
	for range k {
		column := make([]float64, n)
		for i, v := range common {
			column[i] = v + 1e-9*random.NormFloat64()
		}
		q, given = append(q, column), append(given, append([]float64(nil), column...))
	}
	copy(q[k-1], q[0])
	copy(given[k-1], q[0])
	r := mat.NewDense(k, k, nil)
	for j := range k {
		orthogonalise(q, j, r)
	}
	for a, u := range q {
		for b, v := range q[:a+1] {
			want := 0.0
			if a == b {
				want = 1
			}
			if got := vec.Dot(n, u, v); math.Abs(got-want) > 1e-14 {
				t.Errorf("the product of columns %d and %d is %g", a, b, got)
			}
		}
		for i, v := range given[a] {
			for b := range k {
				v -= r.At(b, a) * q[b][i]
			}
			if math.Abs(v) > 1e-14 {
				t.Fatalf("element %d of column %d is missed by %g", i, a, v)
			}
		}
	}
}
