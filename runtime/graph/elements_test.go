package graph_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// TestElementsAgree compares the elements of a density that are written as operations with the log density of
// the descriptor, row by row, for every use of every distribution.
func TestElementsAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		drawn := c.draw(uint64(i))
		b := graph.New("elements")
		ids := make([]graph.ID, len(drawn.args))
		for k, a := range drawn.args {
			ids[k] = a.build(t, b, fmt.Sprint("a", k))
		}
		weights := graph.NoID
		if c.weighted {
			weights = b.Const("weights", shape{c.n}, drawn.weights)
		}
		for _, add := range []func(*def.Dist, graph.ID, []graph.ID, graph.ID) (graph.ID, error){
			b.LogDensityByVectors, b.LogDensity,
		} {
			id, err := add(c.d, ids[0], ids[1:], weights)
			if err != nil && c.d.Carrier != nil && c.x != constants {
				return // a carrier needs data
			}
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			b.Report("log density", id)
		}
		e := build(t, b).NewExec()
		e.Forward(drawn.at())
		vectors, rows := slices.Clone(e.Report(0)), e.Report(1)
		for row := range c.n {
			one, size := drawn.element(row)
			for k, got := range [][]float64{vectors, rows} {
				if !(math.Abs(got[row]-one) <= 1e-12*max(1, size)) {
					t.Errorf("%v, report %d, row %d: %v, want %v", c, k, row, got[row], one)
					return
				}
			}
		}
	})
}

// TestElementsOutsideTheSupport compares the elements of densities of which data put some outside the support
// with those of the loop over rows, and what they give to a function whose slope at -Inf is 0.
func TestElementsOutsideTheSupport(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		if c.x != constants || c.d.Support == def.RealLine && c.d.Narrow == nil {
			return
		}
		drawn := c.draw(uint64(i))
		x := slices.Clone(drawn.args[0].v)
		far := []float64{-2, 1000.5, math.Inf(1)}
		if c.d.Support == def.RealLine { // an end that moves
			far[2] = -1000.5
		}
		for row := 0; row < c.n; row += 3 {
			x[row] = far[row%9/3]
		}
		drawn.args[0].v = x
		var got [2][]float64
		for k := range got {
			b := graph.New("outside")
			ids := make([]graph.ID, len(drawn.args))
			for k, a := range drawn.args {
				ids[k] = a.build(t, b, fmt.Sprint("a", k))
			}
			add := []func(*def.Dist, graph.ID, []graph.ID, graph.ID) (graph.ID, error){
				b.LogDensityByVectors, b.LogDensity}[k]
			id, err := add(c.d, ids[0], ids[1:], graph.NoID)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			b.Report("log density", id)
			if err := b.Add("target", apply(t, b, "softplus", id), 1); err != nil {
				t.Fatal(err)
			}
			e := build(t, b).NewExec()
			e.Forward(drawn.at())
			e.Target()
			got[k] = append(slices.Clone(e.Grad()), e.Report(0)...)
		}
		for k, want := range got[1] {
			if !near(got[0][k], want, 1e-10) {
				t.Errorf("%v, number %d: %v, want %v", c, k, got[0][k], want)
				return
			}
		}
	})
}

// TestVectorsOutsideTheSupport: counts above the number of trials leave the others to vector functions, at
// log odds of any size, and have no slope.
func TestVectorsOutsideTheSupport(t *testing.T) {
	const n = 200
	b := graph.New("abundance")
	y, eta := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], eta[i] = float64(i%6), float64(7*i-700)
	}
	m := b.Param("eta", shape{n})
	lp, err := b.LogDensityByVectors(dist(t, "binomial_logit"), b.Const("y", shape{n}, y),
		[]graph.ID{b.Scalar(3), m}, graph.NoID)
	if err != nil {
		t.Fatal(err)
	}
	b.Report("lp", lp)
	if err := b.Add("target", apply(t, b, "where", b.Const("", shape{n}, slices.Repeat([]float64{0, 1}, n/2)),
		b.Scalar(0), lp), 1); err != nil {
		t.Fatal(err)
	}
	g := build(t, b)
	if strings.Contains(g.String(), "logdensity") {
		t.Errorf("row by row:\n%v", g)
	}
	e := g.NewExec()
	e.Forward(eta)
	e.Target()
	for i, got := range e.Report(0) {
		want, slope := math.Inf(-1), 0.0
		if y[i] <= 3 {
			want = math.Log([]float64{1, 3, 3, 1}[int(y[i])]) - y[i]*portable.Log1pExp(-eta[i]) -
				(3-y[i])*portable.Log1pExp(eta[i])
			slope = y[i]*portable.Sigmoid(-eta[i]) - (3-y[i])*portable.Sigmoid(eta[i])
		}
		if i%2 == 1 {
			slope = 0
		}
		if !near(got, want, 1e-13) || !near(e.Grad()[i], slope, 1e-13) {
			t.Errorf("%v of 3, log odds %v: %v, slope %v; want %v, %v", y[i], eta[i], got, e.Grad()[i], want,
				slope)
		}
	}
}

// A bound that the elements of a column share is one number for them all: what is outside is as their own
// loop has it.
func TestOutsideOfASharedBound(t *testing.T) {
	b, d := graph.New("shared"), dist(t, "binomial_logit")
	var y, n []float64
	for k := range 20 {
		y, n = append(y, float64(k%3), float64(k%5)), append(n, float64(k%4))
	}
	x, bound := b.Const("y", shape{2, 20}, y), b.Const("n", shape{20}, n)
	theta := []graph.ID{bound, b.Scalar(0.3)}
	vectors, err := b.LogDensityByVectors(d, x, theta, graph.NoID)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.LogDensity(d, x, theta, graph.NoID)
	if err != nil {
		t.Fatal(err)
	}
	b.Report("vectors", vectors)
	b.Report("rows", rows)
	e := build(t, b).NewExec()
	e.Forward(nil)
	for i, want := range slices.Clone(e.Report(1)) {
		if got := e.Report(0)[i]; got != want && !(math.Abs(got-want) < 1e-12) {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
}

// TestTailsAgree compares tails that are written as operations with those of the descriptor, row by row, for
// every use of every distribution that has them.
func TestTailsAgree(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		if c.weighted || c.d.LogCDF == nil || c.d.LogCCDF == nil {
			return
		}
		drawn := c.draw(uint64(i))
		b := graph.New("tails")
		ids := make([]graph.ID, len(drawn.args))
		for k, a := range drawn.args {
			ids[k] = a.build(t, b, fmt.Sprint("a", k))
		}
		for _, upper := range []bool{false, true} {
			id, err := b.TailByVectors(upper, c.d, ids[0], ids[1:])
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			b.Report("tail", id)
		}
		e := build(t, b).NewExec()
		e.Forward(drawn.at())
		below, above := slices.Clone(e.Report(0)), e.Report(1)
		for row := range c.n {
			block := def.Batch{N: 1, X: def.Scalar(drawn.args[0].v[row])}
			for _, v := range drawn.row(row) {
				block.Theta = append(block.Theta, def.Scalar(v))
			}
			for k, want := range []float64{c.d.LogCDF(&block), c.d.LogCCDF(&block)} {
				if got := [][]float64{below, above}[k][row]; got != want &&
					!(math.Abs(got-want) <= 1e-11*max(1, math.Abs(want))) {
					t.Errorf("%v, report %d, row %d: %v, want %v", c, k, row, got, want)
					return
				}
			}
		}
	})
}

// TestTailsAtTheirLimits: what a tail of -Inf gives to a sum of probabilities, of which it is none, has no
// slope in the tail's parameters, by vectors as by the loop over rows.
func TestTailsAtTheirLimits(t *testing.T) {
	everyDensity(func(i int, c densityCase) {
		if c.weighted || c.d.LogCDF == nil || c.d.Between == nil || c.x != constants {
			return
		}
		for _, x := range []float64{1e-300, 1e300, -1e300} {
			lower, upper, fixed := c.d.FixedBounds()
			if !fixed || !(lower < x && x < upper) {
				continue
			}
			drawn := c.draw(uint64(i))
			drawn.args[0].v = slices.Repeat([]float64{x}, len(drawn.args[0].v))
			b := graph.New("limits")
			ids := make([]graph.ID, len(drawn.args))
			for k, a := range drawn.args {
				ids[k] = a.build(t, b, fmt.Sprint("a", k))
			}
			for _, upper := range []bool{false, true} {
				id, err := b.TailByVectors(upper, c.d, ids[0], ids[1:])
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				if err := b.Add(fmt.Sprint(upper), apply(t, b, "softplus", id), 1); err != nil {
					t.Fatal(err)
				}
			}
			e := build(t, b).NewExec()
			e.Forward(drawn.at())
			if e.Target(); slices.ContainsFunc(e.Grad(), math.IsNaN) {
				t.Errorf("%v at %v: gradient %v", c, x, e.Grad())
			}
		}
	})
}

// element is the weighted log density of one row, and the sum of the absolute values of its parts.
func (c *drawnCase) element(row int) (value, size float64) {
	theta := c.row(row)
	block := def.Batch{N: 1, X: def.Scalar(c.args[0].v[row])}
	for _, v := range theta {
		block.Theta = append(block.Theta, def.Scalar(v))
	}
	value = c.d.LogDensity(&block)
	size = math.Abs(value)
	if c.d.Carrier != nil {
		carrier := c.d.Carrier(c.args[0].v[row], theta)
		value, size = value+carrier, size+math.Abs(carrier)
	}
	if c.weighted {
		value, size = value*c.weights[row], size*c.weights[row]
	}
	return value, size
}
