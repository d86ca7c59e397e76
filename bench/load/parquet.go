package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// A named column of a Parquet file.
type named struct {
	parquet.Node
	name string
}

// Name implements parquet.Field.
func (n named) Name() string { return n.name }

// Value implements parquet.Field.
func (n named) Value(v reflect.Value) reflect.Value { return v }

// flat are the columns of a table in their order.
type flat struct {
	parquet.Group
	columns []parquet.Field
}

// Fields implements parquet.Node.
func (f flat) Fields() []parquet.Field { return f.columns }

const (
	rowsOfGroup = 1 << 17
	rowsOfBatch = 1 << 12
)

// writeParquet writes y and normal covariates. y follows from them by a regression with the intercept 1/2 and
// the coefficients 0.3, -0.3, 0.3, ….
func writeParquet(path string, rows, columns, digits int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	table := flat{Group: parquet.Group{}}
	for k := range columns {
		name := "y"
		if k > 0 {
			name = fmt.Sprintf("x%d", k)
		}
		table.columns = append(table.columns, named{parquet.Leaf(parquet.DoubleType), name})
	}
	w := parquet.NewWriter(f, parquet.NewSchema("table", table), parquet.MaxRowsPerRowGroup(rowsOfGroup))
	r := rand.New(rand.NewPCG(1, 2))
	batch := make([]parquet.Row, 0, rowsOfBatch)
	for i := range rows {
		row, mean := make(parquet.Row, columns), 0.5
		for k := 1; k < columns; k++ {
			x := rounded(r.NormFloat64(), digits)
			mean += 0.3 * float64(2*(k%2)-1) * x
			row[k] = parquet.DoubleValue(x).Level(0, 0, k)
		}
		row[0] = parquet.DoubleValue(response(r, mean, digits)).Level(0, 0, 0)
		if batch = append(batch, row); len(batch) == rowsOfBatch || i == rows-1 {
			if _, err := w.WriteRows(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}

func response(r *rand.Rand, mean float64, digits int) float64 {
	switch {
	case *normal:
		return rounded(mean+r.NormFloat64(), digits)
	case r.Float64()*(1+math.Exp(-mean)) < 1:
		return 1
	}
	return 0
}

// rounded has so many digits after the point, all where it is negative.
func rounded(v float64, digits int) float64 {
	if digits < 0 {
		return v
	}
	power := math.Pow(10, float64(digits))
	return math.Round(v*power) / power
}
