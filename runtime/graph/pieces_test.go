package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// A longModel is a likelihood that is a sum over rows, so that its value and gradient are those of its rows
// in several graphs, added up. make builds it over the rows from lo to hi, with the same parameters and
// inputs whatever these are.
type longModel struct {
	name string
	rows int
	make func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int)
}

// longData has data for the rows of a model.
type longData struct {
	x            []float64 // rows × columns, by column
	rows         int
	binary, real []float64
	counts       []float64
	level        []float64 // 1 … levels, in no order
}

const (
	longColumns = 12
	longLevels  = 40
)

func newLongData(rows int) *longData {
	r := rand.New(rand.NewPCG(5, 6))
	d := &longData{rows: rows}
	for range rows * longColumns {
		d.x = append(d.x, r.NormFloat64())
	}
	for range rows {
		d.binary = append(d.binary, float64(r.IntN(2)))
		d.real = append(d.real, r.NormFloat64())
		d.counts = append(d.counts, float64(r.IntN(5)))
		d.level = append(d.level, float64(1+r.IntN(longLevels)))
	}
	return d
}

func (d *longData) matrix(b *graph.Builder, lo, hi int) graph.ID {
	var v []float64
	for j := range longColumns {
		v = append(v, d.x[j*d.rows:][lo:hi]...)
	}
	return b.Const("X", shape{hi - lo, longColumns}, v)
}

func column(b *graph.Builder, name string, v []float64, lo, hi int) graph.ID {
	return b.Const(name, shape{hi - lo}, v[lo:hi])
}

// linear is b + X·beta.
func (d *longData) linear(tb testing.TB, b *graph.Builder, lo, hi int) graph.ID {
	intercept, beta := b.Param("b", shape{}), b.Param("beta", shape{longColumns})
	return apply(tb, b, "add", intercept, apply(tb, b, "matmul", d.matrix(b, lo, hi), beta))
}

var longModels = []longModel{
	{"bernoulli_logit", 21_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		density(tb, b, "y", "bernoulli_logit", column(b, "y", d.binary, lo, hi), d.linear(tb, b, lo, hi))
	}},
	{"normal", 21_001, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		b.EachRow()
		density(tb, b, "y", "normal", column(b, "y", d.real, lo, hi), d.linear(tb, b, lo, hi),
			apply(tb, b, "exp", b.Param("s", shape{})))
	}},
	{"student_t", 20_033, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		eta := d.linear(tb, b, lo, hi)
		density(tb, b, "y", "student_t", column(b, "y", d.real, lo, hi), b.Scalar(5), eta,
			apply(tb, b, "exp", b.Param("s", shape{})))
	}},
	{"levels", 25_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		table := b.Param("a", shape{longLevels})
		eta := apply(tb, b, "add", d.linear(tb, b, lo, hi),
			apply(tb, b, "gather", table, column(b, "g", d.level, lo, hi)))
		density(tb, b, "y", "poisson_log", column(b, "y", d.counts, lo, hi), eta)
	}},
	{"parameters side by side, and one of them alone", 20_011, func(tb testing.TB, b *graph.Builder, d *longData,
		lo, hi int) {
		first, second := b.Param("a", shape{}), b.Param("b", shape{})
		x := func(k int) graph.ID { return column(b, "x", d.x[k*d.rows:], lo, hi) }
		op := func(name string, in ...graph.ID) graph.ID { return apply(tb, b, name, in...) }
		both := op("tanh", op("add", op("mul", first, x(0)), op("mul", second, x(1))))
		density(tb, b, "y", "normal", column(b, "y", d.real, lo, hi),
			op("add", both, op("mul", first, op("tanh", op("mul", second, x(2))))), b.Scalar(1))
	}},
	{"received rows", 25_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		z := b.Input("z", shape{d.rows})
		part, err := b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: lo, Hi: hi}}}, z)
		if err != nil {
			tb.Fatal(err)
		}
		if lo == 0 && hi == d.rows {
			part = z
		}
		density(tb, b, "y", "bernoulli_logit", column(b, "y", d.binary, lo, hi),
			apply(tb, b, "add", part, d.linear(tb, b, lo, hi)))
	}},
	{"a network", 20_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		w, c := b.Param("W", shape{longColumns, 8}), b.Param("c", shape{8})
		h := apply(tb, b, "tanh", apply(tb, b, "add", c, apply(tb, b, "matmul", d.matrix(b, lo, hi), w)))
		density(tb, b, "y", "bernoulli_logit", column(b, "y", d.binary, lo, hi),
			apply(tb, b, "matmul", h, b.Param("v", shape{8})))
	}},
	{"sums by groups", 40_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		v := apply(tb, b, "exp", apply(tb, b, "tanh", d.linear(tb, b, lo, hi)))
		sums, err := b.Apply("sum by", graph.Attr{Shape: shape{longLevels}}, v,
			column(b, "g", d.level, lo, hi))
		if err == nil {
			err = b.Add("t", apply(tb, b, "mul", sums, column(b, "c", d.real, 0, longLevels)), 1)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}},
	{"its own numbers", 30_000, func(tb testing.TB, b *graph.Builder, d *longData, lo, hi int) {
		// every row reads the first elements of u, and the same parameter row by row: one adjoint is added to
		// in both ways
		u, s := b.Param("u", shape{d.rows}), positive(b, b.Param("s", shape{}))
		part := u
		if hi-lo < d.rows {
			var err error
			if part, err = b.Apply("slice", graph.Attr{Slices: []graph.Slice{{Lo: lo, Hi: hi}}},
				u); err != nil {
				tb.Fatal(err)
			}
		}
		mean := apply(tb, b, "add", part, apply(tb, b, "gather", u, column(b, "g", d.level, lo, hi)))
		density(tb, b, "y", "cauchy", column(b, "y", d.real, lo, hi), mean, s)
	}},
}

// long evaluates a model over all rows at a point, with helpers.
func (m *longModel) long(t *testing.T, helpers int) (lp float64, grad, adjoint []float64) {
	b := graph.New("long")
	m.make(t, b, newLongData(m.rows), 0, m.rows)
	g := build(t, b)
	if w := g.Work(); w < 2*graph.LeastWork {
		t.Fatalf("the work %d is too little for pieces", w)
	}
	e := g.NewExec()
	group := vector.NewTeam(helpers)
	defer group.Close()
	e.Use(group)
	for range 3 { // what one evaluation leaves behind must not matter to the next
		lp, grad, adjoint = evaluatedAt(g, e)
	}
	return lp, grad, adjoint
}

// evaluatedAt evaluates a graph at a point that depends on its sizes alone.
func evaluatedAt(g *graph.Graph, e *graph.Exec) (lp float64, grad, adjoint []float64) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.3 * r.NormFloat64()
	}
	for k := range g.Inputs() {
		in := e.Input(k)
		for i := range in {
			in[i] = 0.3 * r.NormFloat64()
		}
	}
	e.Forward(x)
	lp = e.Target()
	if len(g.Inputs()) > 0 {
		adjoint = slices.Clone(e.InputAdjoint(0))
	}
	return lp, slices.Clone(e.Grad()), adjoint
}

// TestPiecesSameBits checks that the number of goroutines changes no bit.
func TestPiecesSameBits(t *testing.T) {
	for _, m := range longModels {
		t.Run(m.name, func(t *testing.T) {
			lp, grad, adjoint := m.long(t, 0)
			for helpers := 1; helpers < 4; helpers++ {
				lp2, grad2, adjoint2 := m.long(t, helpers)
				if lp != lp2 || !slices.Equal(grad, grad2) || !slices.Equal(adjoint, adjoint2) {
					t.Errorf("%d helpers: log density %v, without %v; gradients "+
						"equal: %v, adjoints equal: %v", helpers, lp2, lp, slices.Equal(grad, grad2),
						slices.Equal(adjoint, adjoint2))
				}
			}
		})
	}
}

// TestPiecesAddUp compares a long loop with short ones over the same rows, which are in one piece.
func TestPiecesAddUp(t *testing.T) {
	for _, m := range longModels {
		t.Run(m.name, func(t *testing.T) {
			lp, grad, adjoint := m.long(t, 0)
			d := newLongData(m.rows)
			var sum float64
			total, received := make([]float64, len(grad)), make([]float64, len(adjoint))
			const step = 500
			for lo := 0; lo < m.rows; lo += step {
				b := graph.New("short")
				m.make(t, b, d, lo, min(m.rows, lo+step))
				g := build(t, b)
				e := g.NewExec()
				if e.Splits() {
					t.Fatalf("%d rows are in pieces", step)
				}
				e.Jacobian(lo == 0) // once
				v, gr, adj := evaluatedAt(g, e)
				sum += v
				for i, x := range gr {
					total[i] += x
				}
				for i, x := range adj {
					received[i] += x
				}
			}
			near := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
					t.Errorf("%s: %v, as a sum of short loops %v", what, got, want)
				}
			}
			near("log density", lp, sum)
			for i := range grad {
				near("gradient", grad[i], total[i])
			}
			for i := range adjoint {
				near("adjoint", adjoint[i], received[i])
			}
		})
	}
}

// TestShortLoopsAreWhole checks that what takes less than about 20 µs is in one piece.
func TestShortLoopsAreWhole(t *testing.T) {
	for _, size := range [][2]int{{500, 20}, {2000, 20}, {500, 100}, {5000, 4}} {
		if e := newLogisticData(size[0], size[1]).graph(t).NewExec(); e.Splits() {
			t.Errorf("%d × %d is in pieces", size[0], size[1])
		}
	}
	b := graph.New("long")
	longModels[0].make(t, b, newLongData(longModels[0].rows), 0, longModels[0].rows)
	if !build(t, b).NewExec().Splits() {
		t.Error("21,000 rows are in one piece")
	}
}

func TestPiecesAllocateNothing(t *testing.T) {
	d := newLogisticData(20_000, 20)
	e := d.graph(t).NewExec()
	group := vector.NewTeam(1)
	defer group.Close()
	e.Use(group)
	if n := testing.AllocsPerRun(20, func() { e.Forward(d.theta); e.Target() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkPieces is a gradient of a long regression, by the number of helpers.
func BenchmarkPieces(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		d := newLogisticData(rows, 20)
		for helpers, name := range []string{"alone", "with one helper"} {
			b.Run(name, func(b *testing.B) {
				e := d.graph(b).NewExec()
				group := vector.NewTeam(helpers)
				defer group.Close()
				e.Use(group)
				b.ReportAllocs()
				for b.Loop() {
					e.Forward(d.theta)
					e.Target()
				}
			})
		}
	}
}
