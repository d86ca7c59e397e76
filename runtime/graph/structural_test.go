package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
)

// folded returns the value of an operation whose inputs are constants.
func folded(t *testing.T, c opCase, in []array) []float64 {
	b := graph.New("folded")
	ids := make([]graph.ID, len(in))
	for k, a := range in {
		ids[k] = b.Const("in", a.shape, a.v)
	}
	for _, index := range c.index {
		ids = append(ids, b.Const("i", shape{len(index)}, index))
	}
	id, err := b.Apply(c.op, c.attr, ids...)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := b.Value(id)
	if !ok {
		t.Fatalf("%v of constants is no constant", c)
	}
	return v
}

// TestStructuralFacts checks the descriptors of structural functions. RowWise: changing one row of the
// arguments changes only that row of the value. Positive: arguments in [1, 2] give values of at least 1/2;
// since the functions are homogeneous, a value tends to 0 only with an argument.
func TestStructuralFacts(t *testing.T) {
	u := stdlib.New()
	checked := map[string]bool{}
	for _, c := range cases() {
		s, ok := u.Structural(c.op)
		if !ok {
			continue
		}
		r := rand.New(rand.NewPCG(41, 42))
		in := make([]array, len(c.shapes))
		rows := 0
		for k, at := range c.shapes {
			in[k] = newArray(at...)
			for i := range in[k].v {
				in[k].v[i] = 1 + r.Float64()
				if c.share && k == 0 {
					in[k].v[i] /= 3
				}
			}
			if len(at) > 0 {
				rows = max(rows, at[0])
			}
		}
		before := folded(t, c, in)
		for _, v := range before {
			if s.Positive && v < 0.5 {
				t.Errorf("%v of numbers in [1, 2] is %v", c, v)
			}
		}
		if !s.RowWise || rows < 2 || len(before)%rows != 0 {
			continue
		}
		for k, at := range c.shapes {
			for i := range in[k].v {
				if len(at) > 0 && at[0] == rows && i%rows == rows/2 {
					in[k].v[i] *= 1.25
				}
			}
		}
		for i, v := range folded(t, c, in) {
			checked[c.op] = checked[c.op] || v != before[i]
			if i%rows != rows/2 && v != before[i] {
				t.Errorf("%v: element %d depends on row %d", c, i, rows/2)
			}
		}
	}
	for _, name := range u.Funcs() {
		if s, ok := u.Structural(name); ok && s.RowWise && !checked[name] {
			t.Errorf("%s: no case in which a row changes the value", name)
		}
	}
}
