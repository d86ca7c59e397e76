package graph_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
)

// TestSharing checks that equal expressions are one node and different ones are not.
func TestSharing(t *testing.T) {
	b := graph.New("sharing")
	p, q := b.Param("p", shape{4}), b.Param("q", shape{4})
	part := func(lo, hi int) graph.ID {
		id, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: lo, Hi: hi}}}, p)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	sum := apply(t, b, "add", p, q)
	for _, c := range []struct {
		what string
		a, b graph.ID
		same bool
	}{
		{"p + q and p + q", sum, apply(t, b, "add", p, q), true},
		{"p + q and q + p", sum, apply(t, b, "add", q, p), false},
		{"p + q and p - q", sum, apply(t, b, "sub", p, q), false},
		{"0.1 and 0.1", b.Scalar(0.1), b.Scalar(0.1), true},
		{"0 and -0", b.Scalar(0), b.Scalar(math.Copysign(0, -1)), false},
		{"p[1:2] and p[1:2]", part(0, 2), part(0, 2), true},
		{"p[1:2] and p[2:3]", part(0, 2), part(1, 3), false},
		{"exp(p) and tanh(p)", apply(t, b, "exp", p), apply(t, b, "tanh", p), false},
		{"p^1 and p", apply(t, b, "pow", p, b.Scalar(1)), p, true},
		{"p^2 and p·p", apply(t, b, "pow", p, b.Scalar(2)), apply(t, b, "mul", p, p), true},
		{"p/4 and p·0.25", apply(t, b, "div", p, b.Scalar(4)), apply(t, b, "mul", p, b.Scalar(0.25)), true},
		{"p/3 and p·(1/3)", apply(t, b, "div", p, b.Scalar(3)), apply(t, b, "mul", p, b.Scalar(1.0/3)),
			false},
		{"p[3] and p[[3]]", apply(t, b, "gather", p, b.Scalar(3)), part(2, 3), false},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: shared is %v, want %v", c.what, c.a == c.b, c.same)
		}
	}
}

// TestFolding checks that constants are computed while building, and that what nothing needs is dropped.
func TestFolding(t *testing.T) {
	b := graph.New("folding")
	x := b.Const("x", shape{3}, []float64{1, 2, 4})
	id := apply(t, b, "cumulative_sum", apply(t, b, "mul", x, b.Scalar(3)))
	v, ok := b.Value(id)
	if !ok || !slices.Equal(v, []float64{3, 9, 21}) {
		t.Errorf("value %v (constant: %v), want [3 9 21]", v, ok)
	}
	p := b.Param("p", shape{})
	if _, ok := b.Value(p); ok {
		t.Error("a parameter has a constant value")
	}
	apply(t, b, "exp", p)
	if w := build(t, b).Work(); w != 0 {
		t.Errorf("what nothing needs is computed, with work %d", w)
	}
}

func TestApplyErrors(t *testing.T) {
	b := graph.New("errors")
	v3, v4, m, s := b.Param("a", shape{3}), b.Param("b", shape{4}), b.Param("m", shape{3, 2}),
		b.Param("s", shape{})
	index := b.Const("i", shape{2}, []float64{1, 4})
	for _, c := range []struct {
		op   string
		attr graph.Attr
		in   []graph.ID
		want string
	}{
		{"nosuch", graph.Attr{}, []graph.ID{v3}, "nosuch: no such operation"},
		{"add", graph.Attr{}, []graph.ID{v3}, "add: takes 2 inputs, got 1"},
		{"add", graph.Attr{}, []graph.ID{v3, v4}, "add: shapes [3] and [4] do not broadcast"},
		{"matmul", graph.Attr{}, []graph.ID{m, v3}, "matmul: shapes [3 2] and [3] do not multiply"},
		{"dot", graph.Attr{}, []graph.ID{v3, v4},
			"dot: takes two vectors of one length, got shapes [3] and [4]"},
		{"rowdot", graph.Attr{}, []graph.ID{v3, v3}, "rowdot: takes matrices, got shapes [3] and [3]"},
		{"addn", graph.Attr{}, []graph.ID{v3, v4}, "addn: shapes [3] and [4] differ"},
		{"transpose", graph.Attr{}, []graph.ID{v3}, "transpose: takes a matrix, got shape [3]"},
		{"col", graph.Attr{}, []graph.ID{s}, "col: takes an array, got a number"},
		{"row", graph.Attr{}, []graph.ID{s}, "row: takes an array, got a number"},
		{"col_means", graph.Attr{}, []graph.ID{v3}, "col_means: col_sums: takes a matrix, got shape [3]"},
		{"sum by", graph.Attr{Shape: shape{1 << 14, 1 << 14}}, []graph.ID{v3, v3, v3},
			"sum by: groups of [16384 16384] levels are more than 67108864"},
		{"sum by", graph.Attr{Shape: shape{4}}, []graph.ID{v4, index}, "sum by: an index of 2 rows for 4"},
		{"max by", graph.Attr{Shape: shape{4}}, []graph.ID{s, v3},
			"max by: takes an array and its groups, got shape [] and 1 indices for [4]"},
		{"row_max", graph.Attr{}, []graph.ID{v3},
			"row_max: takes a matrix with rows and columns, got shape [3]"},
		{"cumulative_sum", graph.Attr{}, []graph.ID{s},
			"cumulative_sum: takes a vector or matrix, got a scalar"},
		{"sd", graph.Attr{}, []graph.ID{s}, "sd: needs at least two elements, got shape []"},
		{"append", graph.Attr{}, []graph.ID{v3, m}, "append: shapes [3] and [3 2] do not join"},
		{"gather", graph.Attr{}, []graph.ID{v3, index},
			"gather: index 4 in row 2, where the table has 1 to 3"},
		{"gather", graph.Attr{}, []graph.ID{v3, v4}, "gather: index 1 must be a constant vector"},
		{"gather", graph.Attr{}, []graph.ID{v3, index, index}, "gather: 2 indices on a table of shape [3]"},
		{"slice", graph.Attr{Slices: []graph.Slice{{Lo: 1, Hi: 4}}}, []graph.ID{v3},
			"slice: index 2 to 4 of axis 1, whose length is 3"},
	} {
		if _, err := b.Apply(c.op, c.attr, c.in...); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %q, want %q", c.op, err, c.want)
		}
	}
}

// TestTransposedTwice: the transpose of a transpose is the matrix itself.
func TestTransposedTwice(t *testing.T) {
	b := graph.New("transposed")
	m := b.Param("m", shape{2, 3})
	if got := apply(t, b, "transpose", apply(t, b, "transpose", m)); got != m {
		t.Errorf("%v, want %v", got, m)
	}
}

// What changes no bit of a value is not computed: each value is the node itself. Any other constant changes
// it, and so does one that gives it another shape.
func TestNeutral(t *testing.T) {
	b := graph.New("neutral")
	negative := math.Copysign(0, -1)
	p, m := b.Param("p", shape{3}), b.Param("m", shape{2, 3})
	all := func(s shape, v float64) graph.ID { return b.Const("", s, slices.Repeat([]float64{v}, s.Len())) }
	for _, c := range []struct {
		op   string
		a, b graph.ID
		same graph.ID // NoID: none
	}{
		{"sub", p, b.Scalar(0), p}, {"sub", m, all(shape{3}, 0), m}, {"sub", p, b.Scalar(negative), graph.NoID},
		{"add", p, b.Scalar(negative), p}, {"add", all(shape{2, 3}, negative), m, m},
		{"add", p, b.Scalar(0), graph.NoID}, {"sub", b.Scalar(0), p, graph.NoID},
		{"mul", p, b.Scalar(1), p}, {"mul", all(shape{1, 3}, 1), m, m}, {"div", p, all(shape{3}, 1), p},
		{"div", m, b.Scalar(1), m}, {"div", b.Scalar(1), m, graph.NoID},
		{"mul", p, all(shape{2, 3}, 1), graph.NoID},
		{"sub", b.Param("x", nil), all(shape{3}, 0), graph.NoID},
		{"mul", p, b.Const("", shape{3}, []float64{1, 1, 1.5}), graph.NoID},
	} {
		got := apply(t, b, c.op, c.a, c.b)
		if same := got == c.a || got == c.b; same != (c.same != graph.NoID) || same && got != c.same {
			t.Errorf("%s of %d and %d is node %d, want %d", c.op, c.a, c.b, got, c.same)
		}
	}
	alike := graph.New("alike") // graphs of other rows have the same operations
	alike.EachRow()
	x := alike.Param("x", shape{3})
	if zeros := alike.Const("", shape{3}, make([]float64, 3)); apply(t, alike, "sub", x, zeros) == x {
		t.Error("an operation is left out for what the rows are")
	}
}

// A table that is looked up in its own order is read where it is, with the gradient of the lookup; one in any
// other order is not.
func TestLookupsInTurn(t *testing.T) {
	for _, index := range [][]float64{{1, 2, 3}, {1, 3, 2}, {1, 2}, {1, 2, 3, 3}} {
		for _, each := range []bool{false, true} {
			b := graph.New("turn")
			if each {
				b.EachRow()
			}
			at := b.Const("i", shape{len(index)}, index)
			b.Report("r", apply(t, b, "neg", apply(t, b, "gather", b.Param("p", shape{3}), at)))
			rows := apply(t, b, "exp", apply(t, b, "gather", b.Param("m", shape{3, 2}), at))
			if err := b.Add("t", rows, 1); err != nil {
				t.Fatal(err)
			}
			g, x := build(t, b), []float64{1, 2, 3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
			if got, whole := strings.Contains(g.String(), "gather"), len(index) == 3 && index[2] == 3; got !=
				(each || !whole) {
				t.Errorf("positions %v, each row %v: looked up %v", index, each, got)
			}
			e := g.NewExec()
			e.Forward(x)
			e.Target()
			want := make([]float64, len(x))
			for k, v := range index {
				if e.Report(0)[k] != -x[int(v)-1] {
					t.Errorf("positions %v: %v", index, e.Report(0))
				}
				for j := range 2 {
					want[3+3*j+int(v)-1] += portable.Exp(x[3+3*j+int(v)-1])
				}
			}
			if !slices.Equal(e.Grad(), want) {
				t.Errorf("positions %v: the gradient is %v, want %v", index, e.Grad(), want)
			}
		}
	}
}
