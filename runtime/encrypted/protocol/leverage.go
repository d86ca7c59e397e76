package protocol

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A LeverageError is columns of a party of which a combination is one row, or few: a sum over rows with it
// would tell that row.
type LeverageError struct {
	Party, Of string // whose column singles rows out, and the parameter that it belongs to
	Rows      int    // that have more leverage
	Least     int    // than 1 over this
}

func (e *LeverageError) Error() string {
	rows, have := "rows", "have"
	if e.Rows == 1 {
		rows, have = "row", "has"
	}
	return fmt.Sprintf("%s: with the column of %s, %d %s of its columns %s a leverage above 1/%d, so that "+
		"a sum over rows would tell of a single one", e.Party, e.Of, e.Rows, rows, have, e.Least)
}

// negligible is the share of a column, squared, below which what others leave of it is hidden by the noise of
// sums.
const negligible = 1e-10

// leveraged is the error of columns in which a row has a leverage above 1/least: xᵢᵀ(XᵀX)⁻¹xᵢ, by the part of
// each column that those before it leave.
func leveraged(b density.Block, at *density.Affine, index []int, least int) error {
	n := len(at.Offset)
	leverage, before := make([]float64, n), make([]float64, n)
	var basis [][]float64
	first, rows := -1, 0
	for j := range len(at.Matrix) / max(1, n) {
		rest := append([]float64(nil), at.Matrix[j*n:][:n]...)
		whole := vec.Dot(n, rest, rest)
		for range 2 { // once more for what rounding has left
			for _, q := range basis {
				vec.Axpy(n, rest, -vec.Dot(n, q, rest), q)
			}
		}
		left := vec.Dot(n, rest, rest)
		if !(left > negligible*whole) {
			continue
		}
		vec.Scale(n, rest, rest, 1/math.Sqrt(left))
		basis = append(basis, rest)
		copy(before, leverage)
		for i, v := range rest {
			leverage[i] += float64(v * v)
			if above := 1 / float64(least); leverage[i] > above && before[i] <= above {
				if rows++; first < 0 {
					first = j
				}
			}
		}
	}
	if rows == 0 {
		return nil
	}
	return &LeverageError{Party: b.Party(), Of: parameterOf(b, index, first), Rows: rows, Least: least}
}

// parameterOf names the parameter that a column belongs to.
func parameterOf(b density.Block, index []int, column int) string {
	for _, p := range b.Params() {
		if i := index[column] - p.Offset; i >= 0 && i < p.Len && !p.Generated {
			return p.Name
		}
	}
	return fmt.Sprintf("coefficient %d", column+1)
}
