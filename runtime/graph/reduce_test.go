package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// A regressing builds random predictors of rows in groups: products of data, numbers and values by group.
type regressing struct {
	t     *testing.T
	b     *graph.Builder
	r     *rand.Rand
	n     int
	group []float64
	few   []float64 // of two values
	at    []float64
}

const regressed = 240

func (s *regressing) param(of ...int) graph.ID {
	id := s.b.Param(fmt.Sprint("p", len(s.at)), shape(of))
	for range shape(of).Len() {
		s.at = append(s.at, 0.7*s.r.NormFloat64())
	}
	return id
}

func (s *regressing) op(name string, in ...graph.ID) graph.ID { return apply(s.t, s.b, name, in...) }

func (s *regressing) data(of ...int) graph.ID {
	v := make([]float64, shape(of).Len())
	for i := range v {
		v[i] = 3 + s.r.NormFloat64()
	}
	return s.b.Const("x", shape(of), v)
}

func (s *regressing) byGroup() graph.ID {
	group := s.b.Const("g", shape{s.n}, s.group)
	switch s.r.IntN(4) {
	case 0:
		return s.op("mul", s.param(), s.op("gather", s.param(7), group))
	case 1:
		return s.op("exp", s.op("mul", s.b.Const("few", shape{s.n}, s.few), s.param()))
	default:
		return s.op("gather", s.param(7), group)
	}
}

func (s *regressing) of(depth int) graph.ID {
	if depth == 0 {
		switch s.r.IntN(6) {
		case 5:
			slopes := s.op("gather", s.param(7, 2), s.b.Const("g", shape{s.n}, s.group))
			return s.op("rowdot", s.data(s.n, 2), slopes)
		case 0:
			return s.param()
		case 1:
			return s.data(s.n)
		case 2:
			return s.op("matmul", s.data(s.n, 3), s.param(3))
		case 3:
			return s.op("mul", s.data(s.n), s.param())
		default:
			return s.byGroup()
		}
	}
	switch s.r.IntN(6) {
	case 0:
		return s.op("neg", s.of(depth-1))
	case 1:
		return s.op("sub", s.of(depth-1), s.of(depth-1))
	case 2:
		return s.op("mul", s.byGroup(), s.of(depth-1))
	case 3:
		return s.op("mul", s.of(depth-1), s.data(s.n))
	case 4:
		return s.op("div", s.of(depth-1), s.op("add", s.b.Scalar(3), s.op("exp", s.byGroup())))
	default:
		return s.op("add", s.of(depth-1), s.of(depth-1))
	}
}

func (s *regressing) sigma(kind int) graph.ID {
	switch kind {
	case 0:
		return s.op("exp", s.param())
	case 1:
		return s.op("exp", s.byGroup())
	case 2:
		return s.op("exp", s.op("mul", s.b.Const("few", shape{s.n}, s.few), s.param()))
	case 3:
		return s.op("exp", s.data(s.n))
	default:
		return s.b.Scalar(1.5)
	}
}

// The density of normal errors by fewer rows has the value and the gradient of the rows as they are written,
// whatever the predictor, for every kind of standard deviation; most are by fewer rows.
func TestLeastSquares(t *testing.T) {
	saved, trials := 0, 400
	for trial := range trials {
		var got [2][]float64
		for plain := range got {
			b := graph.New("rows")
			if plain == 1 {
				b.Plain()
			}
			s := &regressing{t: t, b: b, r: rand.New(rand.NewPCG(uint64(trial), 4)), n: regressed}
			if trial%40 < 5 { // more rows of a group than are transformed at a time
				s.n = 4000
			}
			y := make([]float64, s.n)
			for i := range y {
				y[i] = 20 + s.r.NormFloat64()
				g := 1 + s.r.IntN(7)*s.r.IntN(2)
				s.group, s.few = append(s.group, float64(g)), append(s.few, float64(s.r.IntN(2)))
			}
			theta := []graph.ID{s.op("add", s.data(s.n), s.of(trial%4)), s.sigma(trial % 5)}
			if err := b.Likelihood("y", dist(t, "normal"), b.Const("y", shape{s.n}, y), theta, graph.NoID,
				0.5); err != nil {
				t.Fatal(err)
			}
			g := build(t, b)
			if got[plain] = evaluated(g, s.at); plain == 0 && mostRows(g) < s.n {
				saved++
			}
		}
		scale := 0.0
		for _, v := range got[1] {
			scale = max(scale, math.Abs(v))
		}
		for i, want := range got[1] {
			if !(math.Abs(got[0][i]-want) <= 1e-11*(1+scale)) {
				t.Fatalf("trial %d, number %d: %v, want %v", trial, i, got[0][i], want)
			}
		}
	}
	if saved < trials/2 {
		t.Errorf("%d of %d are by fewer rows", saved, trials)
	}
}

var leading = regexp.MustCompile(`\[(\d+)[ \]]`)

// mostRows is the longest leading axis of a graph's nodes.
func mostRows(g *graph.Graph) (most int) {
	for _, m := range leading.FindAllStringSubmatch(g.String(), -1) {
		rows, _ := strconv.Atoi(m[1])
		most = max(most, rows)
	}
	return most
}

// Residuals that are small beside the values keep their digits: sums of products, as XᵀX, would lose them.
func TestLeastSquaresOfSmallResiduals(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(8, 8))
	x, y := make([]float64, n), make([]float64, n)
	for i := range y {
		x[i] = 1e4 + float64(i)/n
		y[i] = 1e6 + 2*(x[i]-1e4) + 1e-4*r.NormFloat64()
	}
	var got [2][]float64
	for plain := range got {
		b := graph.New("line")
		if plain == 1 {
			b.Plain()
		}
		slope := apply(t, b, "mul", b.Param("b", nil), b.Const("x", shape{n}, x))
		mu := apply(t, b, "add", b.Param("a", nil), slope)
		if err := b.Likelihood("y", dist(t, "normal"), b.Const("y", shape{n}, y),
			[]graph.ID{mu, b.Param("s", nil)}, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
		got[plain] = evaluated(build(t, b), []float64{1e6 - 2e4, 2, 1e-4})
	}
	if !near(got[0][0], got[1][0], 1e-5) || !near(got[0][3], got[1][3], 1e-3) {
		t.Errorf("value and gradient are %v, want %v", got[0], got[1])
	}
}

// A normal density of which rows are not many more than coefficients stays as it is, and so does one whose
// values have no finite sum of squares.
func TestLeastSquaresThatSaveNothing(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		of    float64
		sigma []float64 // nil: a parameter
		few   bool
	}{{200, 90, 1, nil, true}, {200, 110, 1, nil, false}, {200, 3, 1e200, nil, false},
		{200, 3, 1, repeated(2, 200), true}, {200, 3, 1, append(repeated(2, 199), 0), false},
		{200, 3, 1, append(repeated(2, 199), math.Inf(1)), false}} {
		b := graph.New("wide")
		x, y := make([]float64, c.n*c.k), make([]float64, c.n)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		for i := range y {
			y[i] = c.of * math.Cos(float64(i))
		}
		mu := apply(t, b, "matmul", b.Const("X", shape{c.n, c.k}, x), b.Param("b", shape{c.k}))
		sigma := b.Param("s", nil)
		if c.sigma != nil {
			sigma = b.Const("sigma", shape{c.n}, c.sigma)
		}
		if err := b.Likelihood("y", dist(t, "normal"), b.Const("y", shape{c.n}, y), []graph.ID{mu, sigma},
			graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
		if got := mostRows(build(t, b)) < c.n; got != c.few {
			t.Errorf("%+v: fewer rows %v", c, got)
		}
	}
}

// What reads a value several times at each of many steps is looked at once: predictors with more paths than
// could be walked are built.
func TestPredictorsOfManyPaths(t *testing.T) {
	const n, steps = 200, 60
	for _, family := range []string{"normal", "exponential"} {
		b := graph.New("paths")
		op := func(name string, in ...graph.ID) graph.ID { return apply(t, b, name, in...) }
		x, y, few := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i], few[i] = math.Sin(float64(i)), 1+math.Cos(float64(i))/2, float64(i%3)
		}
		data, rate := b.Const("x", shape{n}, x), b.Param("r", nil)
		q, nested := op("inv_logit", b.Const("few", shape{n}, few)), data
		for range steps {
			q = op("add", q, op("mul", op("mul", rate, q), op("sub", b.Scalar(1), q)))
			nested = op("add", op("mul", op("add", nested, nested), op("mul", data, rate)), b.Scalar(0.5))
		}
		theta := []graph.ID{q}
		if family == "normal" {
			theta = []graph.ID{op("add", q, nested), rate}
		}
		if err := b.Likelihood("y", dist(t, family), b.Const("y", shape{n}, y), theta, graph.NoID,
			1); err != nil {
			t.Fatal(err)
		}
		if v := evaluated(build(t, b), []float64{0.1}); math.IsNaN(v[0]) {
			t.Errorf("%s: %v", family, v)
		}
	}
}

// What is added to effects, and what multiplies them, is found where their likelihood is written in groups.
func TestGroupsHideNothing(t *testing.T) {
	const n = 120
	g, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range g {
		g[i], x[i], y[i] = float64(1+i%5), float64(i%2), math.Sin(float64(i))
	}
	for _, family := range []string{"normal", "bernoulli_logit"} {
		b := graph.New("effects")
		op := func(name string, in ...graph.ID) graph.ID { return apply(t, b, name, in...) }
		m, a, z, s := b.Param("m", nil), b.Param("a", shape{5}), b.Param("z", shape{5}), b.Param("s", nil)
		index, column := b.Const("g", shape{n}, g), b.Const("x", shape{n}, x)
		scaled := op("mul", op("exp", s), z)
		eta := op("add", op("add", m, op("gather", a, index)), op("mul", op("gather", scaled, index), column))
		theta, values := []graph.ID{eta, op("exp", s)}, y
		if family != "normal" {
			theta, values = theta[:1], x
		}
		if err := b.Likelihood("y", dist(t, family), b.Const("y", shape{n}, values), theta, graph.NoID,
			1); err != nil {
			t.Fatal(err)
		}
		if rows := mostRows(build(t, b)); rows >= n {
			t.Errorf("%s: %d rows are left", family, rows)
		}
		if got := b.Addend(a, a); got != m {
			t.Errorf("%s: node %d is added to a, not m", family, got)
		}
		if got := b.Multipliers([]graph.ID{z}); got[0] != op("exp", s) {
			t.Errorf("%s: node %d multiplies z, not exp(s)", family, got[0])
		}
	}
}
