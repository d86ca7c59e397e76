package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/dist"
)

// Cutpoints in each row, of the rows themselves or looked up in a table, have the density and the slopes that
// one row after the other has.
func TestCutpointsOfRows(t *testing.T) {
	const n, items, cuts = 400, 7, 3
	codes, item, spread := make([]float64, n), make([]float64, n), make([]float64, n*cuts)
	for i := range codes {
		codes[i], item[i] = float64(1+i*i%4), float64(1+i*5%items)
		for k := range cuts {
			spread[i+k*n] = float64(k) + 0.3*math.Sin(float64(i*k))
		}
	}
	for _, d := range dist.Events() {
		if !d.Event.InOrder {
			continue
		}
		for _, lookedUp := range []bool{true, false} {
			at := func(plain bool) (float64, []float64) {
				b := New("cells")
				if plain {
					b.Plain()
				}
				eta, table := b.Param("eta", Shape{n}), b.Param("c", Shape{items, cuts})
				rows := b.must("gather", table, b.Const("item", Shape{n}, item))
				if !lookedUp {
					rows = b.must("add", rows, b.Const("more", Shape{n, cuts}, spread))
				}
				y := b.Const("y", Shape{n}, codes)
				if err := b.Density("y", &d, y, []ID{eta, rows}, NoID, 1); err != nil {
					t.Fatal(err)
				}
				g, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				if !plain && slices.ContainsFunc(g.nodes, func(n node) bool { return n.op == opEvents }) {
					t.Errorf("%s, looked up %v: a loop over rows", d.Name, lookedUp)
				}
				x := make([]float64, g.Dim())
				for i := range x {
					x[i] = math.Sin(float64(3 * i))
				}
				for i := range items * cuts {
					x[n+i] = float64(i/items) - 1 + 0.2*math.Sin(float64(i))
				}
				e := g.NewExec()
				e.Forward(x)
				return e.Target(), append([]float64(nil), e.Grad()...)
			}
			want, slopes := at(true)
			got, by := at(false)
			if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s, looked up %v: %v, want %v", d.Name, lookedUp, got, want)
			}
			for i, v := range slopes {
				if !(math.Abs(by[i]-v) <= 1e-10*(1+math.Abs(v))) {
					t.Fatalf("%s, looked up %v: slope %d is %v, want %v", d.Name, lookedUp, i, by[i], v)
				}
			}
		}
	}
}
