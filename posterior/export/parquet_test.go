//go:build !light

package export

import (
	"bytes"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/vflc/vflc/posterior"
)

// Every value reads back from its own column, across batches.
func TestRoundTrip(t *testing.T) {
	const draws = batch + 7
	d := posterior.NewDraws([]posterior.Variable{{Name: "z"}, {Name: "a", Dims: []int{1, 2}}}, 2, draws)
	for c := range 2 {
		for i := range draws {
			d.Append(c, []float64{float64(c), float64(i), 0.1})
			d.AppendTransition(c, posterior.Transition{LP: -3, Leapfrogs: 7, TreeDepth: 3, Divergent: i == 5})
		}
	}
	var b bytes.Buffer
	if err := writeTable(&b, d); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"chain", "draw", "lp", "energy", "acceptance_rate", "step_size", "n_steps", "tree_depth",
		"diverging", "z", "a[1,1]", "a[1,2]"}
	for k, field := range f.Schema().Fields() {
		if field.Name() != want[k] {
			t.Errorf("column %d is %s, want %s", k, field.Name(), want[k])
		}
	}
	rows := parquet.NewReader(f)
	row := make([]parquet.Row, 1)
	for n := range 2 * draws {
		if k, err := rows.ReadRows(row); k != 1 && err != io.EOF {
			t.Fatal(err)
		}
		c, i, r := n/draws, n%draws, row[0]
		if r[0].Int64() != int64(c+1) || r[1].Int64() != int64(i+1) || r[8].Boolean() != (i == 5) ||
			r[9].Double() != float64(c) || r[10].Double() != float64(i) || r[11].Double() != 0.1 {
			t.Fatalf("row %d: %v", n, r)
		}
	}
}
