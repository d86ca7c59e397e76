package data

import (
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// gaps allows missing cells where the encoder gives one number for a number: such a number may be any, so
// that it can be a parameter.
func (f *faults) gaps(e *Fitted, elem string, impute bool) {
	if !impute {
		f.imputable = elem == types.Real.String() && e.elementwise()
		return
	}
	if f.imputed = e.elementwise(); !f.imputed {
		f.gap = fmt.Sprintf("; imputed are columns as they are, and those of %s, which make one number of "+
			"a number: %s makes something else of it", strings.Join(elementwiseEncoders(), ", "), e.Encoder)
	}
}

// elementwiseEncoders lists the encoders of one number.
func elementwiseEncoders() (out []string) {
	for _, name := range encoderNames() {
		if f := (&Fitted{Encoder: name}); f.elementwise() {
			out = append(out, name)
		}
	}
	return out
}

var noneObserved = issue{diag.MissingCell,
	"has no value at all, so there is nothing to impute from: leave the column out"}

// observed leaves out the missing cells.
func observed(cells []float64) []float64 {
	out := make([]float64, 0, len(cells))
	for _, v := range cells {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// fill finds the missing cells, names them and gives them the mean of their column. It is false where a
// column has no other cells.
func (b *BoundValue) fill(v View, list *diag.List) bool {
	rows := len(b.Values)
	if len(b.Dims) > 0 {
		rows = b.Dims[0]
	}
	for from := 0; from < len(b.Values); from += max(rows, 1) {
		cells := b.Values[from : from+rows]
		seen := observed(cells)
		if len(seen) == len(cells) {
			continue
		}
		if len(seen) == 0 {
			fail(list, noneObserved.code, place(v.Name, 1), "%s: column %d %s", b.Name, from/rows+1,
				noneObserved.text)
			return false
		}
		mean := 0.0
		for i, x := range seen {
			mean += (x - mean) / float64(i+1)
		}
		for i, x := range cells {
			if math.IsNaN(x) {
				b.Gaps = append(b.Gaps, Gap{At: from + i, Name: b.cell(v, i, from/rows)})
				cells[i] = mean
			}
		}
	}
	return true
}

// cell names a cell by the key of its row, and in a matrix by its column, counted from 0.
func (b *BoundValue) cell(v View, row, k int) string {
	name := fmt.Sprintf("row=%d", row+1)
	if keys, ok := v.Array(v.Key); ok && b.ByRow && len(keys.Dims) == 1 && row < keys.Len() {
		name = v.Key + "=" + column{v, keys}.text(row)
	}
	switch {
	case b.Rank < 2:
		return name
	case k < len(b.ColumnNames):
		return name + ", " + b.ColumnNames[k]
	}
	return fmt.Sprintf("%s, %d", name, k+1)
}
