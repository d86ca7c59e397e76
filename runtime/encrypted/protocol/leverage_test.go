package protocol

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/density"
)

// named is a block with two parameters.
type named struct{ density.Block }

func (named) Party() string { return "a" }
func (named) Params() []density.Parameter {
	return []density.Parameter{{Name: "u", Len: 2}, {Name: "v", Offset: 2, Len: 9}}
}

// The rows that are counted are those whose diagonal element of X(XᵀX)⁻¹Xᵀ is above the bound, also where a
// column is a sum of others, which changes nothing.
func TestLeverage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for round := range 50 {
		n, p, least := 40+r.IntN(40), 1+r.IntN(5), 2+r.IntN(6)
		x := mat.NewDense(n, p, nil)
		for i := range n {
			for j := range p {
				v := r.NormFloat64()
				if r.IntN(20) == 0 {
					v *= 10
				}
				x.Set(i, j, v)
			}
		}
		var gram, inverse, part mat.Dense
		gram.Mul(x.T(), x)
		if err := inverse.Inverse(&gram); err != nil {
			t.Fatal(err)
		}
		part.Mul(x, &inverse)
		want := 0
		for i := range n {
			if mat.Dot(part.RowView(i), x.RowView(i)) > 1/float64(least) {
				want++
			}
		}
		at, index := &density.Affine{Offset: make([]float64, n)}, []int{}
		for j := range p {
			at.Matrix, index = append(at.Matrix, mat.Col(nil, j, x)...), append(index, j)
		}
		if round%2 == 0 { // twice the first and the last
			sum := mat.Col(nil, 0, x)
			for i := range sum {
				sum[i] += x.At(i, p-1)
			}
			at.Matrix, index = slices.Concat(at.Matrix, sum), append(index, p)
		}
		var alone *LeverageError
		err := leveraged(named{}, at, index, least)
		if errors.As(err, &alone) != (want > 0) || want > 0 && (alone.Rows != want || alone.Of != "u" &&
			alone.Of != "v") {
			t.Errorf("round %d: %v, and %d rows have more leverage than 1/%d", round, err, want, least)
		}
	}
}
