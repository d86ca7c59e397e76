package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// An opCase is one use of an operation: the shapes of its inputs and the expected result.
type opCase struct {
	op       string
	attr     graph.Attr
	shapes   []graph.Shape
	index    [][]float64 // constant inputs after the others
	positive bool
	kinked   bool // it has a kink where two inputs are equal
	apart    bool // it jumps where two elements are equal
	share    bool // the first input is between 0 and 1
	flat     bool // no gradient
	want     func(in []array) array
}

func (c opCase) String() string { return fmt.Sprintf("%s%v%v", c.op, c.attr, c.shapes) }

type shape = graph.Shape

// pairs are broadcasts of two operands, lengths below, at and above a block.
var pairs = [][]shape{
	{{}, {}}, {{3}, {}}, {{}, {3}}, {{1}, {4}}, {{127}, {127}}, {{128}, {}}, {{}, {129}}, {{300}, {300}},
	{{5, 3}, {5, 3}}, {{130, 2}, {2}}, {{2}, {130, 2}}, {{130, 1}, {130, 3}}, {{130, 3}, {1, 3}},
	{{7, 1}, {3}}, {{1, 3}, {4, 1}},
	{{4, 3, 2}, {3, 2}}, {{4, 3, 2}, {2}}, {{4, 1, 2}, {4, 3, 1}}, {{4, 3, 2}, {1, 3, 1}}, {{}, {130, 2, 2}},
}

func cases() []opCase {
	var cs []opCase
	binary := func(op string, flat, positive bool, f func(v []float64) float64) {
		for _, p := range pairs {
			cs = append(cs, opCase{op: op, shapes: p, flat: flat, positive: positive, want: each(f)})
		}
	}
	binary("add", false, false, func(v []float64) float64 { return v[0] + v[1] })
	binary("sub", false, false, func(v []float64) float64 { return v[0] - v[1] })
	binary("mul", false, false, func(v []float64) float64 { return v[0] * v[1] })
	binary("div", false, false, func(v []float64) float64 { return v[0] / v[1] })
	binary("pow", false, true, func(v []float64) float64 { return math.Pow(v[0], v[1]) })
	binary("max", false, false, func(v []float64) float64 { return math.Max(v[0], v[1]) })
	binary("min", false, false, func(v []float64) float64 { return math.Min(v[0], v[1]) })
	binary("log_sum_exp", false, false, func(v []float64) float64 {
		return math.Log(math.Exp(v[0]) + math.Exp(v[1]))
	})
	for i := range cs {
		cs[i].kinked = cs[i].op == "max" || cs[i].op == "min"
	}
	binary("eq", true, false, func(v []float64) float64 { return one(v[0] == v[1]) })
	binary("ne", true, false, func(v []float64) float64 { return one(v[0] != v[1]) })
	binary("lt", true, false, func(v []float64) float64 { return one(v[0] < v[1]) })
	binary("le", true, false, func(v []float64) float64 { return one(v[0] <= v[1]) })
	binary("gt", true, false, func(v []float64) float64 { return one(v[0] > v[1]) })
	binary("ge", true, false, func(v []float64) float64 { return one(v[0] >= v[1]) })
	binary("and", true, false, func(v []float64) float64 { return one(v[0] != 0 && v[1] != 0) })
	binary("or", true, false, func(v []float64) float64 { return one(v[0] != 0 || v[1] != 0) })
	for _, s := range []shape{{}, {3}, {129}, {130, 2}} {
		cs = append(cs,
			opCase{op: "neg", shapes: []shape{s}, want: each(func(v []float64) float64 { return -v[0] })},
			opCase{op: "not", shapes: []shape{s}, flat: true, want: each(func(v []float64) float64 {
				return one(v[0] == 0)
			})},
			opCase{op: "exp", shapes: []shape{s}, want: each(func(v []float64) float64 {
				return math.Exp(v[0])
			})},
			opCase{op: "log", shapes: []shape{s}, positive: true, want: each(func(v []float64) float64 {
				return math.Log(v[0])
			})},
			opCase{op: "sum", shapes: []shape{s}, want: func(in []array) array {
				return scalarOf(total(in[0].v))
			}},
			opCase{op: "mean", shapes: []shape{s}, want: func(in []array) array {
				return scalarOf(total(in[0].v) / float64(len(in[0].v)))
			}},
			opCase{op: "addn", shapes: []shape{s, s, s}, want: each(func(v []float64) float64 {
				return v[0] + v[1] + v[2]
			})},
		)
		if s.Len() > 1 {
			cs = append(cs, opCase{op: "sd", shapes: []shape{s}, want: func(in []array) array {
				return scalarOf(deviation(in[0].v))
			}})
		}
	}
	return slices.Concat(cs, matrixCases(), indexCases(), groupCases(), axesCases())
}

// axesCases are of operations that give the elements of an array other axes.
func axesCases() (cs []opCase) {
	for _, s := range []shape{{1}, {129}, {129, 3}} {
		cs = append(cs,
			opCase{op: "col", shapes: []shape{s}, want: func(in []array) array {
				return array{append(slices.Clone(s), 1), in[0].v}
			}},
			opCase{op: "row", shapes: []shape{s}, want: func(in []array) array {
				return array{append(shape{1}, s...), in[0].v}
			}})
	}
	return cs
}

func matrixCases() []opCase {
	var cs []opCase
	for _, n := range []int{1, 5, 127, 128, 129} {
		for _, k := range []int{1, 3, 4, 6, 9} {
			cs = append(cs,
				opCase{op: "matmul", shapes: []shape{{n, k}, {k}}, want: product},
				opCase{op: "matmul", shapes: []shape{{n, k}, {k, 2}}, want: product})
		}
		cs = append(cs,
			opCase{op: "dot", shapes: []shape{{n}, {n}}, want: func(in []array) array {
				return scalarOf(total(each(times)(in).v))
			}},
			opCase{op: "rowdot", shapes: []shape{{n, 3}, {n, 3}}, want: rowSums},
			opCase{op: "rowdot", shapes: []shape{{n, 3}, {3}}, want: rowSums},
			opCase{op: "rowdot", shapes: []shape{{1, 3}, {n, 3}}, want: rowSums},
			opCase{op: "rowdot", shapes: []shape{{n, 3}, {n, 1}}, want: rowSums},
			opCase{op: "col", shapes: []shape{{n}}, want: func(in []array) array {
				return array{shape{n, 1}, in[0].v}
			}},
			opCase{op: "col_means", shapes: []shape{{n, 3}}, want: func(in []array) array {
				return columns(in[0], float64(n))
			}},
			opCase{op: "col_sums", shapes: []shape{{n, 3}}, want: func(in []array) array {
				return columns(in[0], 1)
			}},
		)
	}
	for _, s := range []shape{{1}, {5}, {130}, {4, 3}, {3, 2, 4}} {
		cs = append(cs,
			opCase{op: "cumulative_sum", shapes: []shape{s}, want: running},
			opCase{op: "cumulative_max", shapes: []shape{s}, want: records},
			opCase{op: "max", shapes: []shape{s}, want: func(in []array) array {
				return scalarOf(slices.Max(in[0].v))
			}},
			opCase{op: "min", shapes: []shape{s}, want: func(in []array) array {
				return scalarOf(slices.Min(in[0].v))
			}},
			opCase{op: "log_sum_exp", shapes: []shape{s}, want: logSums},
			opCase{op: "softmax", shapes: []shape{s}, want: func(in []array) array {
				return normalised(in[0], math.Exp)
			}},
			opCase{op: "log_softmax", shapes: []shape{s}, want: func(in []array) array {
				return normalised(in[0], func(v float64) float64 { return v })
			}},
		)
	}
	for _, n := range []int{1, 5, 130} {
		sorted := func(in []array) array {
			out := array{shape: in[0].shape, v: slices.Sorted(slices.Values(in[0].v))}
			return out
		}
		ranked := func(in []array) array {
			out := array{shape: in[0].shape}
			for _, x := range in[0].v {
				smaller := 0.0
				for _, y := range in[0].v {
					smaller += one(y < x)
				}
				out.v = append(out.v, 1+smaller)
			}
			return out
		}
		middle := func(in []array) array {
			v := slices.Sorted(slices.Values(in[0].v))
			return array{shape: shape{1}, v: []float64{(v[(len(v)-1)/2] + v[len(v)/2]) / 2}}
		}
		cs = append(cs,
			opCase{op: "sort", shapes: []shape{{n}}, flat: true, want: sorted},
			opCase{op: "rank", shapes: []shape{{n}}, flat: true, want: ranked},
			opCase{op: "quantile", shapes: []shape{{n}}, index: [][]float64{{0.5}}, flat: true, want: middle},
		)
	}
	for _, s := range []shape{{1, 3}, {5, 1}, {130, 4}} {
		cs = append(cs,
			opCase{op: "row_sums", shapes: []shape{s}, want: func(in []array) array {
				return rowSums([]array{in[0], filled(s, 1)})
			}},
			opCase{op: "row_means", shapes: []shape{s}, want: func(in []array) array {
				return rowSums([]array{in[0], filled(s, 1/float64(s[1]))})
			}})
	}
	for _, p := range [][]shape{{{}, {3}, {3}}, {{130}, {}, {130}}, {{2}, {5, 2}, {1, 2}}} {
		cs = append(cs, opCase{op: "log_mix", shapes: p, share: true, want: each(func(v []float64) float64 {
			return math.Log(v[0]*math.Exp(v[1]) + (1-v[0])*math.Exp(v[2]))
		})})
	}
	for _, p := range [][]shape{{{3}, {2}}, {{130}, {4}}} {
		cs = append(cs, opCase{op: "outer", shapes: p, want: func(in []array) array {
			return product([]array{{shape{len(in[0].v), 1}, in[0].v}, {shape{1, len(in[1].v)}, in[1].v}})
		}})
	}
	for _, p := range [][]shape{{{3}, {3}, {3}}, {{130}, {}, {130}}, {{}, {4}, {}}, {{5, 1}, {2}, {5, 2}}} {
		cs = append(cs, opCase{op: "where", shapes: p, want: each(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		})})
	}
	return append(cs,
		opCase{op: "transpose", shapes: []shape{{3, 130}}, want: transposed},
		opCase{op: "transpose", shapes: []shape{{130, 2}}, want: transposed})
}

func indexCases() []opCase {
	slice := func(s shape, cut ...graph.Slice) opCase {
		return opCase{op: "slice", attr: graph.Attr{Slices: cut}, shapes: []shape{s},
			want: func(in []array) array {
				return sliced(in[0], cut)
			}}
	}
	drop := func(i int) graph.Slice { return graph.Slice{Lo: i, Hi: i + 1, Drop: true} }
	long := make([]float64, 300)
	other := make([]float64, 300)
	for i := range long {
		long[i], other[i] = float64(1+i%4), float64(1+(i/3)%2)
	}
	return []opCase{
		slice(shape{5}, drop(2)), slice(shape{200}, graph.Slice{Lo: 3, Hi: 190}),
		slice(shape{200, 4}, graph.Slice{Hi: 200}, graph.Slice{Lo: 1, Hi: 3}),
		slice(shape{200, 4}, graph.Slice{Hi: 200}, drop(3)), slice(shape{6, 4}, drop(2)),
		slice(shape{6, 4}, graph.Slice{Lo: 2, Hi: 5}, drop(1)),
		slice(shape{6, 4}, drop(5), drop(0)), slice(shape{4, 3, 2}, graph.Slice{Hi: 4}, drop(1),
			graph.Slice{Lo: 1, Hi: 2}), slice(shape{4, 3, 2}, drop(3), graph.Slice{Lo: 0, Hi: 2}, drop(1)),
		slice(shape{5}, graph.Slice{Lo: 2, Hi: 2}),
		{op: "gather", shapes: []shape{{4}}, index: [][]float64{long}, want: gathered(long)},
		{op: "gather", shapes: []shape{{4, 3}}, index: [][]float64{long}, want: gathered(long)},
		{op: "gather", shapes: []shape{{4, 2, 3}}, index: [][]float64{long}, want: gathered(long)},
		{op: "gather", shapes: []shape{{4, 2}}, index: [][]float64{long, other}, want: gathered(long, other)},
		{op: "gather", shapes: []shape{{4, 2, 3}}, index: [][]float64{long, other},
			want: gathered(long, other)},
		{op: "append", shapes: []shape{{3}, {}, {130}}, want: joined},
		{op: "append", shapes: []shape{{3, 2}, {2, 2}}, want: joined},
	}
}

// logSums is log Σ exp along the last axis.
func logSums(in []array) array {
	a := in[0]
	last := len(a.shape) - 1
	out := newArray(a.shape[:last]...)
	for index := range indices(a.shape) {
		*out.at(index[:last]...) += math.Exp(*a.at(index...))
	}
	for i, v := range out.v {
		out.v[i] = math.Log(v)
	}
	return out
}

// normalised is f of each element less the log of the sum of exponentials along the last axis.
func normalised(a array, f func(float64) float64) array {
	sums, out := logSums([]array{a}), newArray(a.shape...)
	for index := range indices(a.shape) {
		*out.at(index...) = f(*a.at(index...) - *sums.at(index[:len(index)-1]...))
	}
	return out
}

func filled(s shape, v float64) array {
	a := newArray(s...)
	for i := range a.v {
		a.v[i] = v
	}
	return a
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func times(v []float64) float64 { return v[0] * v[1] }

func total(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

func deviation(v []float64) float64 {
	m, s := total(v)/float64(len(v)), 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return math.Sqrt(s / float64(len(v)-1))
}

func product(in []array) array {
	a, b := in[0], in[1]
	out := newArray(append(shape{a.shape[0]}, b.shape[1:]...)...)
	rows, inner := a.shape[0], a.shape[1]
	for o := range out.v {
		i, j := o%rows, o/rows
		for k := range inner {
			out.v[o] += a.v[k*rows+i] * b.v[j*inner+k]
		}
	}
	return out
}

func rowSums(in []array) array {
	p := each(times)(in)
	out := newArray(p.shape[0])
	for index := range indices(p.shape) {
		out.v[index[0]] += *p.at(index...)
	}
	return out
}

func columns(a array, divisor float64) array {
	out := newArray(a.shape[1])
	for index := range indices(a.shape) {
		out.v[index[1]] += *a.at(index...) / divisor
	}
	return out
}

func running(in []array) array {
	out := newArray(in[0].shape...)
	for index := range indices(out.shape) {
		last := len(index) - 1
		for k := 0; k <= index[last]; k++ {
			*out.at(index...) += *in[0].at(append(append([]int(nil), index[:last]...), k)...)
		}
	}
	return out
}

func records(in []array) array {
	out := newArray(in[0].shape...)
	for index := range indices(out.shape) {
		last, most := len(index)-1, math.Inf(-1)
		for k := 0; k <= index[last]; k++ {
			most = max(most, *in[0].at(append(append([]int(nil), index[:last]...), k)...))
		}
		*out.at(index...) = most
	}
	return out
}

func transposed(in []array) array {
	out := newArray(in[0].shape[1], in[0].shape[0])
	for index := range indices(out.shape) {
		*out.at(index...) = *in[0].at(index[1], index[0])
	}
	return out
}

func sliced(a array, cut []graph.Slice) array {
	var s shape
	for k, d := range a.shape {
		switch {
		case k >= len(cut):
			s = append(s, d)
		case !cut[k].Drop:
			s = append(s, cut[k].Hi-cut[k].Lo)
		}
	}
	out := newArray(s...)
	for index := range indices(s) {
		from, next := make([]int, len(a.shape)), 0
		for k := range a.shape {
			if k < len(cut) {
				from[k] = cut[k].Lo
			}
			if k >= len(cut) || !cut[k].Drop {
				from[k] += index[next]
				next++
			}
		}
		*out.at(index...) = *a.at(from...)
	}
	return out
}

func gathered(by ...[]float64) func(in []array) array {
	return func(in []array) array {
		out := newArray(append(shape{len(by[0])}, in[0].shape[len(by):]...)...)
		for index := range indices(out.shape) {
			var from []int
			for _, levels := range by {
				from = append(from, int(levels[index[0]])-1)
			}
			*out.at(index...) = *in[0].at(append(from, index[1:]...)...)
		}
		return out
	}
}

func joined(in []array) array {
	rows, rest := 0, shape(nil)
	for _, a := range in {
		if len(a.shape) == 0 {
			rows++
			continue
		}
		rows, rest = rows+a.shape[0], a.shape[1:]
	}
	out := newArray(append(shape{rows}, rest...)...)
	for index := range indices(out.shape) {
		from := append([]int(nil), index...)
		for _, a := range in {
			n := 1
			if len(a.shape) > 0 {
				n = a.shape[0]
			}
			if from[0] < n {
				*out.at(index...) = *a.at(from[:len(a.shape)]...)
				break
			}
			from[0] -= n
		}
	}
	return out
}

// An opRun is a graph around one operation, whose value and gradient are checked.
type opRun struct {
	c      opCase
	in     []array
	weight array
	g      *graph.Graph
	inputs bool // operands are inputs, not parameters
	mode   string
}

// The ways in which the operation enters the target: directly (its reverse is fused), through the square of a
// sum (its reverse is a pass of its own), and as an output.
var modes = []string{"closed", "open", "output"}

func newOpRun(t *testing.T, r *rand.Rand, c opCase, mode string, asInputs bool) *opRun {
	t.Helper()
	run := &opRun{c: c, mode: mode, inputs: asInputs}
	b := graph.New(c.String())
	var in []graph.ID
	for k, s := range c.shapes {
		a := random(r, c.positive, s)
		if c.kinked { // no two elements of different inputs are near each other
			for i, v := range a.v {
				a.v[i] = math.Round(10*v)/10 + 0.05*float64(k)
			}
		}
		if c.apart {
			for i := range a.v {
				a.v[i] = float64((37*i+11)%1009)/100 - 5
			}
		}
		if c.share && k == 0 {
			for i := range a.v {
				a.v[i] = 0.1 + 0.8*r.Float64()
			}
		}
		if c.op == "where" && k == 0 {
			for i := range a.v {
				a.v[i] = float64(r.IntN(2))
			}
			in = append(in, b.Const("c", s, a.v))
		} else if asInputs {
			in = append(in, b.Input("a", s))
		} else {
			in = append(in, b.Param("a", s))
		}
		run.in = append(run.in, a)
	}
	for _, index := range c.index {
		in = append(in, b.Const("i", shape{len(index)}, index))
	}
	y, err := b.Apply(c.op, c.attr, in...)
	if err != nil {
		t.Fatal(err)
	}
	run.weight = random(r, false, b.Shape(y))
	scaled := apply(t, b, "mul", b.Const("w", run.weight.shape, run.weight.v), y)
	switch mode {
	case "closed":
		err = b.Add("t", scaled, 1)
	case "open":
		sum := apply(t, b, "sum", scaled)
		err = b.Add("t", apply(t, b, "mul", sum, sum), 1)
	case "output":
		b.Output("y", y)
		err = b.Add("t", scaled, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	// in the other modes a report would store the value, and the reverse would not recompute it
	if mode == "closed" {
		b.Report("y", y)
	}
	run.g = build(t, b)
	return run
}

// load sets the inputs of the graph and returns x.
func (r *opRun) load(e *graph.Exec) []float64 {
	x, next := make([]float64, r.g.Dim()), 0
	at := 0
	for k, a := range r.in {
		if r.c.op == "where" && k == 0 {
			continue
		}
		if r.inputs {
			copy(e.Input(next), a.v)
			next++
			continue
		}
		at += copy(x[at:], a.v)
	}
	return x
}

// reference is the target computed from the reference value.
func (r *opRun) reference() float64 {
	y := r.c.want(r.in)
	s := 0.0
	for i, v := range y.v {
		s += v * r.weight.v[i]
	}
	if r.mode == "open" {
		return s * s
	}
	return s
}

// gradient returns the derivatives in all elements of the operands, in order.
func (r *opRun) gradient(e *graph.Exec) []float64 {
	if !r.inputs {
		return e.Grad()
	}
	var all []float64
	for k := range r.g.Inputs() {
		all = append(all, e.InputAdjoint(k)...)
	}
	return all
}

func TestOps(t *testing.T) {
	for i, c := range cases() {
		for m, mode := range modes {
			r := rand.New(rand.NewPCG(uint64(i), uint64(m)))
			checkOp(t, newOpRun(t, r, c, mode, i%2 == 0))
		}
	}
}

func checkOp(t *testing.T, run *opRun) {
	t.Helper()
	e := run.g.NewExec()
	e.Forward(run.load(e))
	if got, want := e.Target(), run.reference(); !near(got, want, 1e-11) {
		t.Errorf("%v %s: target %v, want %v", run.c, run.mode, got, want)
	}
	switch run.mode {
	case "closed":
		checkReport(t, run, e)
	case "output":
		for i, v := range e.Own(0) {
			if v != run.weight.v[i] {
				t.Fatalf("%v: own adjoint %d is %v, want %v", run.c, i, v, run.weight.v[i])
			}
		}
		for i, v := range run.gradient(e) {
			if v != 0 {
				t.Fatalf("%v: gradient %d past an output is %v before Pull", run.c, i, v)
			}
		}
		e.Pull([][]float64{e.Own(0)})
	}
	checkDifferences(t, run, run.gradient(e))
}

// checkReport compares shape and value with the reference.
func checkReport(t *testing.T, run *opRun, e *graph.Exec) {
	t.Helper()
	y := run.c.want(run.in)
	if s := run.g.Reports()[0].Shape; fmt.Sprint(s) != fmt.Sprint(y.shape) {
		t.Errorf("%v: shape %v, want %v", run.c, s, y.shape)
	}
	for i, v := range e.Report(0) {
		if !near(v, y.v[i], 1e-12) {
			t.Errorf("%v: element %d is %v, want %v", run.c, i, v, y.v[i])
			return
		}
	}
}

// checkDifferences compares a gradient with central differences of the reference, in about forty elements
// spread over each operand.
func checkDifferences(t *testing.T, run *opRun, grad []float64) {
	t.Helper()
	at := 0
	for k, a := range run.in {
		if run.c.op == "where" && k == 0 {
			continue
		}
		step := 1 + len(a.v)/40
		for i := 0; i < len(a.v); i += step {
			want := 0.0
			if !run.c.flat {
				want = difference(run, &a.v[i])
			}
			if !near(grad[at+i], want, 2e-7) {
				t.Errorf("%v %s: derivative in element %d of operand %d is %v, want %v", run.c, run.mode, i,
					k, grad[at+i], want)
				return
			}
		}
		at += len(a.v)
	}
}

// difference is the derivative of the reference in one number, by central differences of fourth order.
func difference(run *opRun, v *float64) float64 {
	const h = 1e-3
	x := *v
	f := func(d float64) float64 { *v = x + d; return run.reference() }
	d := (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
	*v = x
	return d
}
