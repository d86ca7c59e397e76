package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

func benchBy(b *testing.B, op string, sortedGroups bool) {
	const n, groups = 20000, 500
	r := rand.New(rand.NewPCG(1, 2))
	bd := graph.New("by")
	x, idx := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], idx[i] = r.NormFloat64(), float64(1+r.IntN(groups))
		if sortedGroups {
			idx[i] = float64(1 + i*groups/n)
		}
	}
	p := bd.Param("b", graph.Shape{})
	v := apply(b, bd, "exp", apply(b, bd, "mul", bd.Const("x", graph.Shape{n}, x), p))
	index := bd.Const("g", graph.Shape{n}, idx)
	var y graph.ID
	var err error
	if op == "gather" {
		u := bd.Param("u", graph.Shape{groups})
		y = apply(b, bd, "mul", apply(b, bd, "gather", u, index), v)
	} else if op == "none" {
		y = v
	} else {
		y, err = bd.Apply(op, graph.Attr{Groups: graph.Shape{groups}}, v, index)
	}
	if err == nil {
		err = bd.Add("t", apply(b, bd, "mul", y, y), 1)
	}
	if err != nil {
		b.Fatal(err)
	}
	g := build(b, bd)
	e := g.NewExec()
	theta := make([]float64, g.Dim())
	b.ReportAllocs()
	for b.Loop() {
		e.Forward(theta)
		e.Target()
	}
}

func BenchmarkBy(b *testing.B) {
	for _, op := range []string{"none", "gather", "sum by", "mean by", "max by", "log_sum_exp by"} {
		b.Run(op, func(b *testing.B) { benchBy(b, op, false) })
		b.Run(op+" sorted", func(b *testing.B) { benchBy(b, op, true) })
	}
}
