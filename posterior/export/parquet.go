//go:build !light

package export

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/vflc/vflc/posterior"
)

// batch is the number of rows that are written at once.
const batch = 1024

// writeTable writes a table with the columns chain and draw (counted from 1), those of a Markov chain sampler
// if there is one (lp, energy, acceptance_rate, step_size, n_steps, tree_depth, diverging), and one per
// scalar under its name: beta[1], slope[2,3].
func writeTable(w io.Writer, d *posterior.Draws) error {
	columns := layout(d)
	out := parquet.NewWriter(w, parquet.NewSchema("draws", schema(columns)),
		parquet.Compression(&parquet.Zstd))
	rows := make([]parquet.Row, 0, batch)
	for c := range d.Chains() {
		for i := range d.Len(c) {
			row := make(parquet.Row, len(columns))
			for k, column := range columns {
				row[k] = column.value(c, i).Level(0, 0, k)
			}
			if rows = append(rows, row); len(rows) == batch {
				if _, err := out.WriteRows(rows); err != nil {
					return err
				}
				rows = rows[:0]
			}
		}
	}
	if _, err := out.WriteRows(rows); err != nil {
		return err
	}
	return out.Close()
}

// A column is a name, a type, and a function that returns its value.
type column struct {
	parquet.Node
	name  string
	value func(chain, draw int) parquet.Value
}

// Name implements parquet.Field.
func (c column) Name() string { return c.name }

// Value implements parquet.Field; rows are written as values, so it is not used.
func (c column) Value(base reflect.Value) reflect.Value { return base }

// schema is a group whose fields keep their order, which parquet.Group's do not.
type schema []column

func (s schema) Fields() []parquet.Field {
	out := make([]parquet.Field, len(s))
	for k, c := range s {
		out[k] = c
	}
	return out
}

func layout(d *posterior.Draws) []column {
	whole := func(name string, value func(c, i int) int) column {
		return column{parquet.Leaf(parquet.Int64Type), name, func(c, i int) parquet.Value {
			return parquet.Int64Value(int64(value(c, i)))
		}}
	}
	real := func(name string, value func(c, i int) float64) column {
		return column{parquet.Leaf(parquet.DoubleType), name, func(c, i int) parquet.Value {
			return parquet.DoubleValue(value(c, i))
		}}
	}
	out := []column{whole("chain", func(c, _ int) int {
		return c + 1
	}), whole("draw", func(_, i int) int { return i + 1 })}
	if t := d.Transitions; t != nil {
		out = append(out,
			real("lp", func(c, i int) float64 { return t[c][i].LP }),
			real("energy", func(c, i int) float64 { return t[c][i].Energy }),
			real("acceptance_rate", func(c, i int) float64 { return t[c][i].Accept }),
			real("step_size", func(c, i int) float64 { return t[c][i].StepSize }),
			whole("n_steps", func(c, i int) int { return t[c][i].Leapfrogs }),
			whole("tree_depth", func(c, i int) int { return t[c][i].TreeDepth }),
			column{parquet.Leaf(parquet.BooleanType), "diverging", func(c, i int) parquet.Value {
				return parquet.BooleanValue(t[c][i].Divergent)
			}})
	}
	for k, name := range d.Columns() {
		values := d.Column(k)
		out = append(out, real(name.Name, func(c, i int) float64 { return values[c][i] }))
	}
	return out
}
