package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// logisticData is a logistic regression: x row-major for the hand-written loop, columns for the graph.
type logisticData struct {
	n, p    int
	rows    []float64
	columns []float64
	y       []float64
	theta   []float64 // b, then the slopes
	made    []def.Rescaling
}

func newLogisticData(n, p int) *logisticData {
	r := rand.New(rand.NewPCG(1, 2))
	d := &logisticData{n: n, p: p, rows: make([]float64, n*p), columns: make([]float64, n*p),
		y: make([]float64, n), theta: make([]float64, p+1)}
	for i := range n {
		for j := range p {
			d.rows[i*p+j] = r.NormFloat64()
			d.columns[j*n+i] = d.rows[i*p+j]
		}
		d.y[i] = float64(r.IntN(2))
	}
	for j := range d.theta {
		d.theta[j] = 0.3 * r.NormFloat64()
	}
	return d
}

func dist(tb testing.TB, name string) *def.Dist {
	tb.Helper()
	d, ok := stdlib.New().Dist(name)
	if !ok {
		tb.Fatalf("no distribution %s", name)
	}
	return d
}

func (d *logisticData) graph(tb testing.TB) *graph.Graph {
	b := graph.New("logistic")
	d.model(tb, b)
	return build(tb, b)
}

// model is the likelihood y ~ bernoulli_logit(b + X·β).
func (d *logisticData) model(tb testing.TB, b *graph.Builder) {
	intercept, beta := b.Param("b", graph.Shape{}), b.Param("beta", graph.Shape{d.p})
	x, y := b.Const("X", graph.Shape{d.n, d.p}, d.columns), b.Const("y", graph.Shape{d.n}, d.y)
	b.Made(x, d.made)
	eta := apply(tb, b, "add", intercept, apply(tb, b, "matmul", x, beta))
	if err := b.Density("y", dist(tb, "bernoulli_logit"), y, []graph.ID{eta}, graph.NoID, 1); err != nil {
		tb.Fatal(err)
	}
}

func apply(tb testing.TB, b *graph.Builder, op string, in ...graph.ID) graph.ID {
	tb.Helper()
	id, err := b.Apply(op, graph.Attr{}, in...)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

func build(tb testing.TB, b *graph.Builder) *graph.Graph {
	tb.Helper()
	g, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// byHand computes value and gradient of this model row by row, as one would write them by hand.
func (d *logisticData) byHand(theta, grad []float64) float64 {
	clear(grad)
	b, beta := theta[0], theta[1:]
	slopes := grad[1:][:len(beta)]
	lp := 0.0
	for i := range d.n {
		row := d.rows[i*d.p:][:len(beta)]
		eta := b
		for j, v := range row {
			eta += v * beta[j]
		}
		e := math.Exp(-math.Abs(eta))
		lp += d.y[i]*eta - max(eta, 0) - math.Log1p(e)
		mean := 1 / (1 + e)
		if eta < 0 {
			mean = e / (1 + e)
		}
		r := d.y[i] - mean
		grad[0] += r
		for j, v := range row {
			slopes[j] += r * v
		}
	}
	return lp
}

func TestLogisticByHand(t *testing.T) {
	d := newLogisticData(500, 20)
	want := make([]float64, 21)
	value := d.byHand(d.theta, want)
	e := d.graph(t).NewExec()
	e.Forward(d.theta)
	if got := e.Target(); math.Abs(got-value) > 1e-10*math.Abs(value) {
		t.Errorf("value %v, want %v", got, value)
	}
	for j, g := range e.Grad() {
		if math.Abs(g-want[j]) > 1e-11*(1+math.Abs(want[j])) {
			t.Errorf("gradient %d: %v, want %v", j, g, want[j])
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	d := newLogisticData(500, 20)
	benchmarkGradient(b, d.graph(b), d.theta)
}

func BenchmarkLogisticHandWritten(b *testing.B) {
	d := newLogisticData(500, 20)
	grad := make([]float64, 21)
	b.ReportAllocs()
	for b.Loop() {
		d.byHand(d.theta, grad)
	}
}

// BenchmarkByGroups is the gradient of a sum over 500 groups of 20,000 rows, beside that of looking up an
// element of each row's group.
func BenchmarkByGroups(b *testing.B) {
	const n, groups = 20_000, 500
	x, index := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], index[i] = float64(i%17)/10, float64(1+(7919*i)%groups)
	}
	for _, op := range []string{"gather", "sum by", "max by", "log_sum_exp by"} {
		b.Run(op, func(b *testing.B) {
			builder := graph.New(op)
			g := builder.Const("g", graph.Shape{n}, index)
			v := apply(b, builder, "exp", apply(b, builder, "mul", builder.Const("x", graph.Shape{n}, x),
				builder.Param("b", graph.Shape{})))
			y, err := builder.Apply(op, graph.Attr{Shape: graph.Shape{groups}}, v, g)
			if op == "gather" {
				u := builder.Param("u", graph.Shape{groups})
				y, err = apply(b, builder, "mul", v, apply(b, builder, op, u, g)), nil
			}
			if err == nil {
				err = builder.Add("t", apply(b, builder, "mul", y, y), 1)
			}
			if err != nil {
				b.Fatal(err)
			}
			built := build(b, builder)
			e := built.NewExec()
			theta := make([]float64, built.Dim())
			b.ReportAllocs()
			for b.Loop() {
				e.Forward(theta)
				e.Target()
			}
		})
	}
}
