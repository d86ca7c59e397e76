package graph

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// Densities of vectors, of data and of simplexes that are parameters, have the value and the slopes that one
// vector after the other has, also where a number stands for all elements of a parameter; and none of a
// simplex that is a parameter goes by such a loop.
func TestVectorsTogether(t *testing.T) {
	const k = 4
	simplex := pick(t, bijector.Structured(), "simplex", func(s def.Structured) string { return s.Name })
	alphas := map[string]func(b *Builder) ID{
		"1":              func(b *Builder) ID { return b.Scalar(1) },
		"2.5":            func(b *Builder) ID { return b.Scalar(2.5) },
		"a vector":       func(b *Builder) ID { return b.Const("alpha", Shape{k}, []float64{0.5, 1, 2, 3}) },
		"a number":       func(b *Builder) ID { return b.must("exp", b.Param("alpha", Shape{})) },
		"parameters":     func(b *Builder) ID { return b.must("exp", b.Param("alpha", Shape{k})) },
		"equal elements": func(b *Builder) ID { return b.Const("alpha", Shape{k}, constantOf(k, 1)) },
	}
	for _, d := range dist.Events() {
		if d.Event.Rank != 1 || d.Event.Expand == nil {
			continue
		}
		for name, alpha := range alphas {
			for _, rows := range []int{0, 1, 3, 9} {
				for _, own := range []bool{false, true} {
					if own && d.Support != def.Simplex || !own && rows == 0 {
						continue
					}
					what := fmt.Sprintf("%s(%s), %d rows, parameter %v", d.Name, name, rows, own)
					at := func(plain bool) []float64 {
						b := New("vectors")
						if plain {
							b.Plain()
						}
						var x ID
						switch shape := (Shape{rows, k - 1}); {
						case own && rows == 0:
							x = b.Structured(&simplex, b.Param("x", shape[1:]), k)
						case own:
							x = b.Structured(&simplex, b.Param("x", shape), k)
						default:
							x = b.Const("x", Shape{rows, k}, vectorsOf(d.Support, rows, k))
						}
						theta := make([]ID, len(d.Params))
						for i := range theta {
							theta[i] = alpha(b)
						}
						must(t, b.Density("x", &d, x, theta, NoID, 1))
						g, err := b.Build()
						must(t, err)
						if own && !plain && slices.ContainsFunc(g.nodes, func(n node) bool {
							return n.op == opEvents
						}) {
							t.Errorf("%s: a loop over vectors", what)
						}
						point := make([]float64, g.Dim())
						for i := range point {
							point[i] = 0.8 * math.Sin(float64(3*i+1))
						}
						e := g.NewExec()
						e.Forward(point)
						return append([]float64{e.Target()}, e.Grad()...)
					}
					want, got := at(true), at(false)
					for i, v := range want {
						if !(math.Abs(got[i]-v) <= 1e-12*(1+math.Abs(v))) {
							t.Fatalf("%s: %v, want %v", what, got, want)
						}
					}
				}
			}
		}
	}
}

// vectorsOf has vectors inside a support, column by column.
func vectorsOf(support def.Support, rows, k int) []float64 {
	x := make([]float64, rows*k)
	for i := range rows {
		sum := 0.0
		for j := range k {
			x[i+j*rows] = float64(1 + (i*j+i+j)%5)
			sum += x[i+j*rows]
		}
		if support == def.Simplex {
			for j := range k {
				x[i+j*rows] /= sum
			}
		}
	}
	return x
}
