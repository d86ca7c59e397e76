package graph_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A recipe is a random model: leaves with values, then steps over earlier values. It can be built with each
// leaf as a parameter, an input or a constant, and with any values marked as outputs, which must not change
// what it computes.
type recipe struct {
	leaves []array
	steps  []recipeStep
	terms  []recipeTerm
}

type recipeStep struct {
	op    string // of Apply; "lower": a bijector
	attr  graph.Attr
	in    []int
	index []float64 // of gather
}

// A recipeTerm is a normal density of value x given a location and weights (-1: none), or with location -1
// the sum of x.
type recipeTerm struct {
	x, at, weights int
	power          float64
}

// A role is what a leaf is built as.
type role int

const (
	asParam role = iota
	asInput
	asConstant
)

// tools are the descriptors that recipes use.
type tools struct {
	normal *def.Dist
	lower  *def.Bijector
}

func newTools(t testing.TB) tools {
	zero := 0.0
	return tools{dist(t, "normal"), stdlib.New().For(&zero, nil)}
}

// A built is a graph made from a recipe, with the roles of its leaves.
type built struct {
	r     *recipe
	g     *graph.Graph
	roles []role
	ids   []graph.ID
}

func (r *recipe) build(t testing.TB, tl tools, roles []role, outputs []int) *built {
	return r.buildWith(t, tl, roles, outputs, false)
}

func (r *recipe) buildWith(t testing.TB, tl tools, roles []role, outputs []int, plain bool) *built {
	b := graph.New("recipe")
	if plain {
		b.Plain()
	}
	var ids []graph.ID
	for i, a := range r.leaves {
		name := fmt.Sprint("v", i)
		switch roles[i] {
		case asParam:
			ids = append(ids, b.Param(name, a.shape))
		case asInput:
			ids = append(ids, b.Input(name, a.shape))
		default:
			ids = append(ids, b.Const(name, a.shape, a.v))
		}
	}
	for _, s := range r.steps {
		ids = append(ids, s.build(t, b, tl, ids))
	}
	for i, term := range r.terms {
		term.build(t, b, tl, ids, fmt.Sprint("t", i%3))
	}
	for i, o := range outputs {
		b.Output(fmt.Sprint("o", i), ids[o])
	}
	return &built{r, build(t, b), roles, ids}
}

func (s recipeStep) build(t testing.TB, b *graph.Builder, tl tools, ids []graph.ID) graph.ID {
	if s.op == "lower" {
		return b.Bijector(tl.lower, ids[s.in[0]], 0.5, 0)
	}
	var in []graph.ID
	for _, i := range s.in {
		in = append(in, ids[i])
	}
	if s.index != nil {
		in = append(in, b.Const("i", shape{len(s.index)}, s.index))
	}
	id, err := b.Apply(s.op, s.attr, in...)
	if err != nil {
		t.Fatalf("%s: %v", s.op, err)
	}
	return id
}

func (m recipeTerm) build(t testing.TB, b *graph.Builder, tl tools, ids []graph.ID, name string) {
	err := error(nil)
	if m.at < 0 {
		err = b.Add(name, ids[m.x], m.power)
	} else {
		w := graph.NoID
		if m.weights >= 0 {
			w = ids[m.weights]
		}
		err = b.Density(name, tl.normal, ids[m.x], []graph.ID{ids[m.at], b.Scalar(1.5)}, w, m.power)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// load sets the inputs and returns x.
func (b *built) load(e *graph.Exec) []float64 {
	x := make([]float64, 0, b.g.Dim())
	k := 0
	for i, a := range b.r.leaves {
		switch b.roles[i] {
		case asParam:
			x = append(x, a.v...)
		case asInput:
			copy(e.Input(k), a.v)
			k++
		}
	}
	return x
}

// gradients returns the gradient of each leaf, nil for a constant.
func (b *built) gradients(e *graph.Exec) [][]float64 {
	out := make([][]float64, len(b.roles))
	at, k := 0, 0
	for i, a := range b.r.leaves {
		switch b.roles[i] {
		case asParam:
			out[i] = append([]float64(nil), e.Grad()[at:at+len(a.v)]...)
			at += len(a.v)
		case asInput:
			out[i] = append([]float64(nil), e.InputAdjoint(k)...)
			k++
		}
	}
	return out
}

// total runs Forward, Target and Pull, seeded with Own: the gradients are then complete, however the graph is
// cut.
func (b *built) total(e *graph.Exec) float64 {
	e.Forward(b.load(e))
	lp := e.Target()
	seeds := make([][]float64, len(b.g.Outputs()))
	for k := range seeds {
		seeds[k] = e.Own(k)
	}
	e.Pull(seeds)
	return lp
}

// drawRecipe draws leaves of a few lengths, among them one around the block size, and steps that keep values
// moderate.
func drawRecipe(t *rapid.T) *recipe {
	long := rapid.SampledFrom([]int{2, 127, 128, 129, 257}).Draw(t, "long")
	r := &recipe{}
	var shapes []shape
	for _, s := range []shape{{}, {}, {3}, {3}, {long}, {long}, {long, 3}, {long, 1}, {4, 3}, {3, 2}} {
		a := newArray(s...)
		for i := range a.v {
			a.v[i] = math.Sin(float64(i*7+len(r.leaves)*3)) * 0.8
		}
		r.leaves, shapes = append(r.leaves, a), append(shapes, s)
	}
	for range rapid.IntRange(1, 14).Draw(t, "steps") {
		if s, out, ok := drawStep(t, shapes, long); ok {
			r.steps, shapes = append(r.steps, s), append(shapes, out)
		}
	}
	for range rapid.IntRange(1, 4).Draw(t, "terms") {
		r.terms = append(r.terms, drawTerm(t, shapes))
	}
	return r
}

func drawStep(t *rapid.T, shapes []shape, long int) (recipeStep, shape, bool) {
	pick := func() int { return rapid.IntRange(0, len(shapes)-1).Draw(t, "in") }
	op := rapid.SampledFrom([]string{
		"add", "add", "sub", "mul", "mul", "tanh", "tanh", "neg", "lower", "matmul", "matmul", "sum", "mean",
		"dot", "rowdot",
		"gather", "gather", "col", "row", "col_means", "transpose", "cumulative_sum", "slice", "slice", "where",
		"addn",
	}).Draw(t, "op")
	i := pick()
	s := recipeStep{op: op, in: []int{i}}
	a := shapes[i]
	var second shape
	switch op {
	case "add", "sub", "mul", "matmul", "dot", "rowdot", "addn", "where":
		s.in = append(s.in, pick())
		second = shapes[s.in[1]]
	}
	out, ok := a, true
	switch op {
	case "add", "sub", "mul", "rowdot":
		out, ok = tryStretch(a, second)
		if op == "rowdot" {
			ok = ok && len(out) == 2
			if ok {
				out = out[:1]
			}
		}
	case "where":
		s.in = append([]int{4}, s.in...) // any condition: a leaf, never zero
		out, ok = tryStretch(a, second)
		if ok {
			out, ok = tryStretch(out, shapes[4])
		}
	case "matmul":
		ok = len(a) == 2 && len(second) > 0 && a[1] == second[0]
		if ok {
			out = append(shape{a[0]}, second[1:]...)
		}
	case "sum", "mean":
		out = shape{}
	case "dot":
		ok = len(a) == 1 && fmt.Sprint(a) == fmt.Sprint(second)
		out = shape{}
	case "addn":
		ok = fmt.Sprint(a) == fmt.Sprint(second)
	case "gather":
		ok = len(a) == 1 || len(a) == 2
		if ok {
			for k := range long {
				s.index = append(s.index, float64(1+(k*5)%a[0]))
			}
			out = append(shape{long}, a[1:]...)
		}
	case "col":
		ok = len(a) == 1
		if ok {
			out = shape{a[0], 1}
		}
	case "row":
		ok = len(a) == 1
		if ok {
			out = shape{1, a[0]}
		}
	case "col_means":
		ok = len(a) == 2
		if ok {
			out = shape{a[1]}
		}
	case "transpose":
		ok = len(a) == 2
		if ok {
			out = shape{a[1], a[0]}
		}
	case "cumulative_sum":
		ok = len(a) > 0
	case "slice":
		ok = len(a) > 0
		if ok {
			last := len(a) - 1
			s.attr.Slices = make([]graph.Slice, len(a))
			for k, d := range a {
				s.attr.Slices[k] = graph.Slice{Hi: d}
			}
			at := rapid.IntRange(0, a[last]-1).Draw(t, "at")
			drop := rapid.Bool().Draw(t, "drop")
			s.attr.Slices[last] = graph.Slice{Lo: at, Hi: at + 1, Drop: drop}
			out = append(append(shape{}, a[:last]...), 1)
			if drop {
				out = out[:last]
			}
		}
	}
	return s, out, ok && out.Len() < 2000
}

func tryStretch(a, b shape) (shape, bool) {
	out := stretch([]array{{shape: a}, {shape: b}})
	for _, s := range []shape{a, b} {
		for k, d := range s {
			if d != 1 && d != out[len(out)-len(s)+k] {
				return nil, false
			}
		}
	}
	return out, true
}

func drawTerm(t *rapid.T, shapes []shape) recipeTerm {
	last := len(shapes) - 1
	m := recipeTerm{x: rapid.IntRange(0, last).Draw(t, "x"), at: -1, weights: -1,
		power: rapid.SampledFrom([]float64{1, 0.5}).Draw(t, "power")}
	fits := func(i int) bool {
		out, ok := tryStretch(shapes[m.x], shapes[i])
		return ok && fmt.Sprint(out) == fmt.Sprint(shapes[m.x])
	}
	if i := rapid.IntRange(0, last).Draw(t, "location"); fits(i) {
		m.at = i
		if w := rapid.IntRange(0, last).Draw(t, "weights"); fits(w) && rapid.Bool().Draw(t, "weighted") {
			m.weights = w
		}
	}
	return m
}

func TestRandomGraphs(t *testing.T) {
	tl := newTools(t)
	check := func(rt *rapid.T) {
		r := drawRecipe(rt)
		n := len(r.leaves)
		pooled := r.build(t, tl, make([]role, n), nil)
		e := pooled.g.NewExec()
		lp := pooled.total(e)
		grads := pooled.gradients(e)
		checkFiniteDifferences(rt, pooled, grads)
		checkFolded(rt, t, tl, r, lp, grads)
		checkCut(rt, t, tl, r, lp, grads)
	}
	for range 4 { // a hundred graphs each
		rapid.Check(t, check)
	}
}

// checkFiniteDifferences compares the gradient with finite differences of the target in a few elements of
// every leaf. One of three step lengths must agree: long ones fail where the target is strongly curved, as
// exp of a sum over all rows is, short ones where rounding dominates.
func checkFiniteDifferences(rt *rapid.T, p *built, grads [][]float64) {
	e := p.g.NewExec()
	value := func() float64 {
		e.Forward(p.load(e))
		return e.Target()
	}
	base := math.Abs(value())
	for i, a := range p.r.leaves {
		for k := 0; k < len(a.v); k += 1 + len(a.v)/3 {
			x := a.v[k]
			f := func(d float64) float64 { a.v[k] = x + d; return value() }
			var seen []float64
			agrees := func(h float64) bool {
				want := (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
				a.v[k] = x
				seen = append(seen, want)
				return math.Abs(grads[i][k]-want) <= 1e-5*(1+math.Abs(want))+1e-10*base
			}
			if !slices.ContainsFunc([]float64{1e-3, 1e-4, 1e-5}, agrees) {
				rt.Fatalf("derivative in leaf %d[%d] is %v, want one of %v\n%s", i, k, grads[i][k], seen, p.g)
			}
		}
	}
}

// checkFolded builds some leaves as constants, then all: values and remaining gradients must be the same to
// rounding.
func checkFolded(rt *rapid.T, t *testing.T, tl tools, r *recipe, lp float64, grads [][]float64) {
	for _, all := range []bool{false, true} {
		roles := make([]role, len(r.leaves))
		for i := range roles {
			if all || rapid.Bool().Draw(rt, "constant") {
				roles[i] = asConstant
			}
		}
		compare(rt, r.build(t, tl, roles, nil), lp, grads)
	}
}

// checkCut makes some leaves inputs and some values outputs: after Pull the gradient must be that of the
// uncut graph.
func checkCut(rt *rapid.T, t *testing.T, tl tools, r *recipe, lp float64, grads [][]float64) {
	roles := make([]role, len(r.leaves))
	for i := range roles {
		roles[i] = rapid.SampledFrom([]role{asParam, asInput}).Draw(rt, "role")
	}
	outputs := rapid.SliceOfNDistinct(rapid.IntRange(0, len(r.leaves)+len(r.steps)-1), 1, 3,
		rapid.ID).Draw(rt, "outputs")
	compare(rt, r.build(t, tl, roles, outputs), lp, grads)
}

func compare(rt *rapid.T, b *built, lp float64, grads [][]float64) {
	e := b.g.NewExec()
	for range 2 { // the second evaluation must not depend on the first
		got := b.total(e)
		if !near(got, lp, 1e-10) {
			rt.Fatalf("target %v, want %v\n%s", got, lp, b.g)
		}
		for i, g := range b.gradients(e) {
			for k, v := range g {
				if !near(v, grads[i][k], 1e-9) {
					rt.Fatalf("derivative in leaf %d[%d] is %v, want %v\n%s", i, k, v, grads[i][k], b.g)
				}
			}
		}
	}
}
