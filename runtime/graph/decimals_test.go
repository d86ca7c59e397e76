package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// roundTo rounds numbers to some decimals.
func roundTo(v []float64, decimals int) {
	scale := math.Pow(10, float64(decimals))
	for i := range v {
		v[i] = math.Round(v[i]*scale) / scale
	}
}

// sameDensity compares value and gradient of a graph with those of another, for the rounding of whose sums
// they may differ.
func sameDensity(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	x := make([]float64, want.Dim())
	for i := range x {
		x[i] = 0.2 * r.NormFloat64()
	}
	a, b := got.NewExec(), want.NewExec()
	a.Forward(x)
	b.Forward(x)
	if v, w := a.Target(), b.Target(); math.IsInf(w, 0) || math.IsNaN(w) || !near(v, w, 1e-12) {
		t.Errorf("value %v, want %v", v, w)
	}
	most := 0.0
	for _, v := range b.Grad() {
		most = max(most, math.Abs(v))
	}
	for i, v := range a.Grad() {
		if w := b.Grad()[i]; !(math.Abs(v-w) <= 1e-11*most) {
			t.Errorf("derivative %d is %v, want %v", i, v, w)
		}
	}
	if n := testing.AllocsPerRun(3, func() { a.Forward(x); a.Target() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// standardise subtracts from every other column its mean, and divides every third by a number of its own,
// after an offset that is large in comparison. It returns how each was made.
func standardise(x []float64, n, decimals int) (made []def.Rescaling) {
	for j := range len(x) / n {
		column := x[j*n:][:n]
		a := def.Rescaling{Scale: 1}
		if j%2 == 0 {
			for i := range column {
				column[i] += 1000 * float64(j%5)
				a.Center += column[i] / float64(n)
			}
		}
		roundTo(column, decimals)
		if j%3 == 0 {
			a.Scale = 1.1 + 0.1*float64(j%7)
		}
		for i, v := range column {
			column[i] = a.Of(v)
		}
		made = append(made, a)
	}
	return made
}

// Every likelihood of a linear predictor has the value and the gradient of its operations, one by one, with a
// matrix of decimals of every kind of tile.
func TestDecimals(t *testing.T) {
	for i, family := range []string{"bernoulli_logit", "bernoulli_probit", "normal", "student_t",
		"poisson_log", "binomial_logit", "neg_binomial_2_log"} {
		for k, size := range [][2]int{{17_001, 8}, {3_001, 60}, {1_103, 151}, {131, 1_100}} {
			t.Run(fmt.Sprint(family, size), func(t *testing.T) {
				n, p := size[0], size[1]
				d := newLogisticData(n, p)
				for j := range p {
					column := d.columns[j*n:][:n]
					for i := range column {
						column[i] /= math.Sqrt(float64(p))
					}
					roundTo(column, 1+j%6)
				}
				var made [2]*graph.Graph
				for plain := range made {
					b := graph.New(family)
					b.EachRow()
					if plain == 1 {
						b.Plain()
					}
					eta := apply(t, b, "matmul", b.Const("X", shape{n, p}, d.columns),
						b.Param("beta", shape{p}))
					switch (i + k) % 3 {
					case 1:
						eta = apply(t, b, "add", b.Param("b", shape{}), eta)
					case 2:
						eta = apply(t, b, "add", b.Const("offset", shape{n}, d.rows[:n]), eta)
					}
					y, s := b.Const("y", shape{n}, d.y), apply(t, b, "exp", b.Param("s", shape{}))
					theta := map[string][]graph.ID{"normal": {eta, s}, "student_t": {b.Scalar(4), eta, s},
						"binomial_logit": {b.Scalar(3), eta}, "neg_binomial_2_log": {eta, s}}[family]
					if theta == nil {
						theta = []graph.ID{eta}
					}
					density(t, b, "y", family, y, theta...)
					made[plain] = build(t, b)
				}
				sameDensity(t, made[0], made[1])
			})
		}
	}
}

// Every likelihood of a linear predictor has the value and the gradient of its operations, one by one, with a
// matrix of decimals that are standardised: with nothing added to the product, a parameter, data, and a
// parameter of each row.
func TestStandardisedDecimals(t *testing.T) {
	for i, family := range []string{"bernoulli_logit", "bernoulli_probit", "normal", "student_t",
		"poisson_log", "binomial_logit", "neg_binomial_2_log"} {
		for k, size := range [][2]int{{17_001, 8}, {3_001, 60}, {1_103, 151}, {131, 1_100}} {
			t.Run(fmt.Sprint(family, size), func(t *testing.T) {
				n, p := size[0], size[1]
				d := newLogisticData(n, p)
				for i := range d.columns {
					d.columns[i] /= math.Sqrt(float64(p))
				}
				how := standardise(d.columns, n, 1+k)
				var made [2]*graph.Graph
				for plain := range made {
					b := graph.New(family)
					b.EachRow()
					if plain == 1 {
						b.Plain()
					}
					x := b.Const("X", shape{n, p}, d.columns)
					b.Made(x, how)
					eta := apply(t, b, "matmul", x, b.Param("beta", shape{p}))
					switch (i + k) % 4 {
					case 1:
						eta = apply(t, b, "add", b.Param("b", shape{}), eta)
					case 2:
						eta = apply(t, b, "add", b.Const("offset", shape{n}, d.rows[:n]), eta)
					case 3:
						eta = apply(t, b, "add", apply(t, b, "sin", b.Param("o", shape{n})), eta)
					}
					y, s := b.Const("y", shape{n}, d.y), apply(t, b, "exp", b.Param("s", shape{}))
					theta := map[string][]graph.ID{"normal": {eta, s}, "student_t": {b.Scalar(4), eta, s},
						"binomial_logit": {b.Scalar(3), eta}, "neg_binomial_2_log": {eta, s}}[family]
					if theta == nil {
						theta = []graph.ID{eta}
					}
					density(t, b, "y", family, y, theta...)
					made[plain] = build(t, b)
				}
				sameDensity(t, made[0], made[1])
			})
		}
	}
}

// Columns that a model writes one by one, standardised or not, become one matrix of decimals, also in a copy
// of their graph.
func TestStandardisedColumnsOneByOne(t *testing.T) {
	const n, p = 20_000, 7
	d := newLogisticData(n, p)
	how := standardise(d.columns, n, 2)
	var made [3]*graph.Graph
	for k := range made {
		b := graph.New("columns")
		b.EachRow()
		if k == 1 {
			b.Plain()
		}
		eta := b.Param("b", shape{})
		for j := range p {
			x := b.Const(fmt.Sprint("x", j), shape{n}, d.columns[j*n:][:n])
			b.Made(x, how[j:j+1])
			eta = apply(t, b, "add", eta, apply(t, b, "mul", x, b.Param(fmt.Sprint("beta", j), shape{})))
		}
		if k == 2 {
			from := b
			b = graph.New("copy")
			eta = b.Copy(from, eta, b.CopyParams(from))
		}
		density(t, b, "y", "bernoulli_logit", b.Const("y", shape{n}, d.y), eta)
		made[k] = build(t, b)
	}
	sameDensity(t, made[0], made[1])
	sameDensity(t, made[2], made[1])
}

// A matrix of decimal fractions, standardised or not, takes less than two thirds of the memory that it takes
// with one number that is none; where the second cache holds it, it takes the same.
func TestDecimalsTakeLessMemory(t *testing.T) {
	for _, size := range [][2]int{{17_001, 8}, {3_001, 60}, {1_103, 151}, {131, 1_100}, {16_000, 8}} {
		for _, standardised := range []bool{false, true} {
			d := newLogisticData(size[0], size[1])
			if roundTo(d.columns, 4); standardised {
				d.made = standardise(d.columns, d.n, 4)
			}
			decimals := kept(t, d)
			d.columns[d.n] = 1.0 / 3
			small := d.n*d.p*8 < 1<<20
			if numbers := kept(t, d); 3*decimals < 2*numbers == small || small && decimals < 0.9*numbers {
				t.Errorf("%v, standardised %v: %g bytes as decimals, %g as numbers", size, standardised,
					decimals, numbers)
			}
		}
	}
}

// kept is the memory of a graph, in bytes.
func kept(t *testing.T, d *logisticData) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g := d.graph(t)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(g)
	runtime.KeepAlive(d)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc)
}

// Coefficients that differ by level have the density of gathered ones, with decimals as covariates,
// standardised or not.
func TestDecimalsByLevel(t *testing.T) {
	d := newLevelData(50_000, 4)
	roundTo(d.x, 5)
	roundTo(d.z, 3)
	sameByLevel(t, d)
	d.madeX, d.madeZ = standardise(d.x, d.n, 5), standardise(d.z, d.n, 3)
	sameByLevel(t, d)
}

func sameByLevel(t *testing.T, d levelData) {
	for _, name := range []string{"slopes", "everything"} {
		var made [2]*graph.Graph
		for plain := range made {
			f := levelForm{t, graph.New(name), d}
			if plain == 1 {
				f.b.Plain()
			}
			made[plain] = f.graph("bernoulli_logit", levelForms[name].make(f))
		}
		sameDensity(t, made[0], made[1])
	}
}

// An Exec of variants with matrices of decimals, in units of their own, standardised or not, has the bits of
// each one's graph.
func TestDecimalsOfVariants(t *testing.T) {
	var graphs []*graph.Graph
	var x []float64
	for k := range 3 {
		d := newLogisticData(17_000, 8)
		for i := range d.columns {
			d.columns[i] *= 1 + 0.1*float64(k)
		}
		if roundTo(d.columns, 3+k); k == 1 {
			d.made = standardise(d.columns, d.n, 4)
		}
		x = d.theta
		graphs = append(graphs, d.graph(t))
	}
	v := graph.NewVariants(graphs[0])
	for _, g := range graphs[1:] {
		if !v.Has(g) {
			t.Fatal("other decimals make another graph")
		}
		v.Add(g)
	}
	if v.Has(newLogisticData(17_000, 8).graph(t)) {
		t.Error("numbers count as alike with decimals")
	}
	v.Pack()
	e := v.NewExec()
	for _, k := range []int{0, 2, 1, 0} {
		e.Load(k)
		alone := graphs[k].NewExec()
		e.Forward(x)
		alone.Forward(x)
		if e.Target() != alone.Target() || !slices.Equal(e.Grad(), alone.Grad()) {
			t.Errorf("variant %d has other results than its graph", k)
		}
	}
}
