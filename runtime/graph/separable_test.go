package graph_test

import (
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// The elements of a vector are separable where each row has one of them, however it is looked up and whatever
// is done to it; not where a row has two, or all, or another party gets them. What is only reported does not
// count.
func TestSeparable(t *testing.T) {
	for _, c := range []struct {
		what   string
		build  func(b *graph.Builder, look func(of graph.ID, at ...float64) graph.ID, p, q graph.ID) graph.ID
		output bool
		want   bool
	}{
		{what: "p", want: true, build: func(_ *graph.Builder, _ func(graph.ID, ...float64) graph.ID,
			p, _ graph.ID) graph.ID {
			return p
		}},
		{what: "q[i]·(exp(p[j]) - p[j])", want: true, build: func(b *graph.Builder,
			look func(graph.ID, ...float64) graph.ID, p, q graph.ID) graph.ID {
			at := look(p, 2, 2, 1, 3)
			return apply(t, b, "mul", look(q, 1, 2, 3, 1), apply(t, b, "sub", apply(t, b, "exp", at), at))
		}},
		{what: "p[i][j]·p[k], the same elements", want: true, build: func(b *graph.Builder,
			look func(graph.ID, ...float64) graph.ID, p, _ graph.ID) graph.ID {
			return apply(t, b, "mul", look(look(p, 3, 1), 2, 1, 1), look(p, 1, 3, 3))
		}},
		{what: "p[i] - p[j]", build: func(b *graph.Builder, look func(graph.ID, ...float64) graph.ID,
			p, _ graph.ID) graph.ID {
			return apply(t, b, "sub", look(p, 1, 2), look(p, 2, 3))
		}},
		{what: "cumulative_sum(p)", build: func(b *graph.Builder, _ func(graph.ID, ...float64) graph.ID,
			p, _ graph.ID) graph.ID {
			return apply(t, b, "cumulative_sum", p)
		}},
		{what: "q·sum(p)", build: func(b *graph.Builder, _ func(graph.ID, ...float64) graph.ID,
			p, q graph.ID) graph.ID {
			return apply(t, b, "mul", q, apply(t, b, "sum", p))
		}},
		{what: "X·p", build: func(b *graph.Builder, _ func(graph.ID, ...float64) graph.ID,
			p, _ graph.ID) graph.ID {
			return apply(t, b, "matmul", b.Const("X", shape{2, 3}, []float64{1, 2, 3, 4, 5, 6}), p)
		}},
		{what: "an output exp(p)", output: true, build: func(b *graph.Builder,
			_ func(graph.ID, ...float64) graph.ID, p, _ graph.ID) graph.ID {
			return apply(t, b, "exp", p)
		}},
	} {
		b := graph.New("separable")
		p, q := b.Param("p", shape{3}), b.Param("q", shape{3})
		b.Report("mean", apply(t, b, "mean", p))
		id := c.build(b, func(of graph.ID, at ...float64) graph.ID {
			return apply(t, b, "gather", of, b.Const("", shape{len(at)}, at))
		}, p, q)
		if c.output {
			b.Output("z", id)
		} else if err := b.Add("target", id, 1); err != nil {
			t.Fatal(err)
		}
		if got := b.Separable(p); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
