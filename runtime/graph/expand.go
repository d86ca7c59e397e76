package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// An expanding writes a density as operations into a builder: these run as vector functions and share
// subexpressions with the rest of the graph. It implements the def.DensityBuilder that a distribution's
// vector form is written with.
type expanding struct {
	*Builder
	term  string
	power float64
	shape Shape // of the left side
	rows  int   // elements of it
	split bool  // whether rows may be divided: what is wanted is the sum over one axis
}

// expand writes a density as operations where its distribution has a vector form, and no loop over rows
// computes it. A few rows are left to the distribution if it has a loop of its own, unless they are one
// bounded parameter: the operations are then few, since the logarithm of the parameter is known.
func (b *Builder) expand(term string, n *node) bool {
	x, d := &b.nodes[n.in[0]], n.likely.dist
	few := d.Loop != "" && x.shape.Len() <= fewRows && !(len(x.shape) == 0 && b.mapped(n))
	form := d.Expand
	if form == nil && d.Rows != def.NormalRows {
		form = d.Elements // of one predictor for all rows, which has no loop
	}
	if b.plain || n.likely.weighted || few || form == nil || !b.inside(n) || rowLoop(b.nodes, n) != nil {
		return false
	}
	if r := rowLikelihoods[d.Rows]; r != nil && r.finite && infinite(b.nodes, n.in[n.predictor()]) {
		return false
	}
	theta := make([]def.Value, len(d.Params))
	for k := range theta {
		theta[k] = def.Value(n.in[k+1])
	}
	rows, matrix := x.shape.Len(), len(x.shape) > 1
	if form(&expanding{b, term, n.power, x.shape, rows, len(x.shape) == 1}, def.Value(n.in[0]),
		theta) {
		return true
	}
	if !matrix || rows <= fewRows {
		return false
	}
	flat := b.flattened(x.shape, n.in)
	for k := range theta {
		theta[k] = def.Value(flat[k+1])
	}
	return form(&expanding{b, term, n.power, Shape{rows}, rows, true}, def.Value(flat[0]), theta)
}

// flattened are vectors with the elements of arrays of a shape, and of those that are stretched to it;
// numbers stay.
func (b *Builder) flattened(shape Shape, in []ID) []ID {
	out := make([]ID, len(in))
	for k, id := range in {
		s := b.nodes[id].shape
		switch n := s.Len(); {
		case n == 1 && len(s) == 0:
			out[k] = id
		case n == 1:
			out[k] = b.mustWith("reshape", Attr{}, id)
		default:
			out[k] = b.mustWith("reshape", Attr{Shape: Shape{n}}, id)
			if !s.equal(shape) {
				out[k] = b.must("gather", out[k], b.Const("rows", Shape{shape.Len()}, stretched(s, shape)))
			}
		}
	}
	return out
}

// stretched lists, counted from 1, which element of an array stands at each place of one that it is stretched
// to.
func stretched(s, to Shape) []float64 {
	at, shift := make([]float64, to.Len()), len(to)-len(s)
	for i := range at {
		index := to.indices(i)[shift:]
		for axis, size := range s {
			if size == 1 {
				index[axis] = 0
			}
		}
		at[i] = float64(s.position(index) + 1)
	}
	return at
}

// position is the place of the element with these subscripts.
func (s Shape) position(indices []int) (at int) {
	for k := len(s) - 1; k >= 0; k-- {
		at = at*s[k] + indices[k]
	}
	return at
}

// inside reports whether every row is sure to lie in the support, and every constant parameter in its domain.
func (b *Builder) inside(n *node) bool {
	d := n.likely.dist
	for k := range d.Params {
		if v, ok := b.scalarValue(n.in[k+1]); ok && !d.Params[k].Allows(v) {
			return false
		}
	}
	return d.Support == def.RealLine || observed(b.nodes, n) || b.mapped(n)
}

// mapped reports whether the left side of a density is a parameter whose map takes it inside the support.
func (b *Builder) mapped(n *node) bool {
	d, x := n.likely.dist, b.nodes[n.in[0]].bij
	if x == nil || x.whole != nil || d.Atoms != nil || d.Support != def.Positive &&
		d.Support != def.NonNegative && d.Support != def.UnitInterval {
		return false
	}
	lower, upper := d.Support.Bounds(nil)
	return x.lower >= lower && x.upper <= upper
}

// observed reports whether the left side of a density is data inside its support, as far as constants decide
// it.
func observed(nodes []node, n *node) bool {
	x := &nodes[n.in[0]]
	if x.kind != constant {
		return false
	}
	holds := support(nodes, n)
	for i, v := range x.values {
		if !holds(i, v) {
			return false
		}
	}
	return true
}

// support returns whether element i of the left side of a density may have the value v, as far as constants
// decide it.
func support(nodes []node, n *node) func(i int, v float64) bool {
	shape, d := nodes[n.in[0]].shape, n.likely.dist
	theta := make([]float64, len(d.Params))
	return func(i int, v float64) bool {
		for k := range theta {
			theta[k] = math.NaN()
			switch at := &nodes[n.in[k+1]]; {
			case at.kind != constant:
			case at.shape.Len() == 1:
				theta[k] = at.values[0]
			case at.shape.equal(shape):
				theta[k] = at.values[i]
			}
		}
		return d.MayHold(v, theta)
	}
}

// Number is a constant.
func (e *expanding) Number(v float64) def.Value { return def.Value(e.Scalar(v)) }

// Add is a + b.
func (e *expanding) Add(a, b def.Value) def.Value { return e.apply(opAdd, a, b) }

// Sub is a - b.
func (e *expanding) Sub(a, b def.Value) def.Value { return e.apply(opSub, a, b) }

// Mul is a·b.
func (e *expanding) Mul(a, b def.Value) def.Value { return e.apply(opMul, a, b) }

// Div is a/b.
func (e *expanding) Div(a, b def.Value) def.Value {
	if id, ok := e.overExp(ID(a), ID(b)); ok {
		return def.Value(id)
	}
	return e.apply(opDiv, a, b)
}

// Func is an elementwise function.
func (e *expanding) Func(name string, x def.Value) def.Value { return def.Value(e.must(name, ID(x))) }

// Apply is a function that is not in the library.
func (e *expanding) Apply(f *def.Func, x def.Value) def.Value {
	n := node{op: opFunc, in: []ID{ID(x)}, fn: f, quick: vectorFuncs[f.Vector]}
	if err := opFunc.infer(e.Builder, &n); err != nil {
		panic("graph: " + err.Error())
	}
	return def.Value(e.intern(n))
}

// Call is an operation of the graph.
func (e *expanding) Call(name string, in ...def.Value) def.Value {
	return def.Value(e.must(name, idsOf(in)...))
}

func (e *expanding) apply(o *op, a, b def.Value) def.Value {
	return def.Value(e.must(o.name, ID(a), ID(b)))
}

// MulLog is x·log(a). Where x is 0 the least number above 0 is added to a: that changes no a that has 17
// digits, and the product is then 0 at a = 0.
func (e *expanding) MulLog(x, a def.Value) def.Value {
	if guard, ok := e.guard(ID(x), ID(a)); ok {
		a = e.Add(a, guard)
	}
	return e.Mul(x, e.Func("log", a))
}

// Times is x·a, 0 where x is 0.
func (e *expanding) Times(x, a def.Value) def.Value { return e.own(opTimes, a, x) }

// Rising is log Γ(a+x)/Γ(a).
func (e *expanding) Rising(a, x def.Value) def.Value { return e.own(opRising, a, x) }

// Hazards is log(exp(-exp(from)) - exp(-exp(to))).
func (e *expanding) Hazards(from, to def.Value) def.Value {
	return e.own(opValue, e.own(opHazards, from, to))
}

// BoxCox is log(1 + xi·z)/xi.
func (e *expanding) BoxCox(z, xi def.Value) def.Value { return e.own(opBoxCox, z, xi) }

// own is an operation that no program names.
func (e *expanding) own(o *op, in ...def.Value) def.Value {
	n := node{op: o}
	for _, v := range in {
		n.in = append(n.in, ID(v))
	}
	if err := o.infer(e.Builder, &n); err != nil {
		panic("graph: " + err.Error())
	}
	return def.Value(e.intern(n))
}

// guard is what MulLog adds to a; false where a logarithm of 0 can only come with an x above 0.
func (e *expanding) guard(x, a ID) (def.Value, bool) {
	counts := e.nodes[x].values
	zeros := make([]float64, len(counts))
	n := 0
	for i, v := range counts {
		if v == 0 {
			zeros[i], n = math.SmallestNonzeroFloat64, n+1
		}
	}
	switch {
	case n == 0:
		return 0, false
	case len(e.Shape(a)) == 0: // one number for all rows
		return e.Number(math.SmallestNonzeroFloat64), n == len(counts)
	}
	return def.Value(e.Builder.Const("", e.Shape(x), zeros)), true
}

// Const is the value of a constant number.
func (e *expanding) Const(x def.Value) (float64, bool) {
	n := e.nodes[x]
	if n.kind != constant || slices.ContainsFunc(n.values, func(v float64) bool { return v != n.values[0] }) {
		return e.scalarValue(ID(x))
	}
	return n.values[0], true
}

// Fill is a constant for every element of the left side.
func (e *expanding) Fill(v float64) def.Value {
	return def.Value(e.share(fmt.Sprintf("fill %v %v", e.shape, v), func() ID {
		return e.Builder.Const("", e.shape, constantOf(e.shape.Len(), v))
	}))
}

// Argument is what a value is a function of.
func (e *expanding) Argument(function string, x def.Value) (def.Value, bool) {
	m, ok := e.argument(ID(x), function)
	return def.Value(m), ok
}

// Sum adds k times the sum of a value over all elements of the left side, to which it broadcasts.
func (e *expanding) Sum(x def.Value, k float64) {
	times := float64(e.rows) / float64(max(e.Shape(ID(x)).Len(), 1))
	if err := e.Builder.Add(e.term, ID(x), e.power*k*times); err != nil {
		panic("graph: " + err.Error())
	}
}

// Each adds a constant for each element.
func (e *expanding) Each(v float64) { e.constantPart(e.term, e.power*v*float64(e.rows)) }

// Least makes the target -Inf where x is below a bound.
func (e *expanding) Least(x, bound def.Value) { e.bound(x, bound, 1) }

// Most makes the target -Inf where x is above a bound.
func (e *expanding) Most(x, bound def.Value) { e.bound(x, bound, -1) }

// bound compares with a bound. Where it is one number for data, the element next to it decides.
func (e *expanding) bound(x, bound def.Value, side float64) {
	if data := e.nodes[x].values; len(data) > 0 && len(e.Shape(ID(bound))) == 0 {
		next := slices.Min(data) // NaN where one is
		if side < 0 {
			next = slices.Max(data)
		}
		if v, known := e.Const(bound); known && side*(next-v) >= 0 {
			return
		}
		x = e.Number(next)
	}
	n := node{op: opBound, in: []ID{ID(x), ID(bound)}, power: side}
	if err := inferDensity(e.Builder, &n); err != nil {
		panic("graph: " + err.Error())
	}
	e.addTerm(e.term, n)
}

// Density adds the density of another distribution.
func (e *expanding) Density(d def.Dist, x def.Value, theta ...def.Value) {
	if err := e.Builder.Density(e.term, &d, ID(x), idsOf(theta), NoID, e.power); err != nil {
		panic("graph: " + err.Error())
	}
}

// Elements are the elements of another distribution's density. Its form with a predictor has the same
// carrier, or none.
func (e *expanding) Elements(d def.Dist, x def.Value, theta ...def.Value) def.Value {
	form, with := e.predicted(&d, idsOf(theta))
	if d.Carrier == nil && form.Carrier != nil {
		bare := *form
		bare.Carrier = nil
		form = &bare
	}
	id, err := e.LogDensityByVectors(form, ID(x), with, NoID)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return def.Value(id)
}

func idsOf(values []def.Value) []ID {
	ids := make([]ID, len(values))
	for k, v := range values {
		ids[k] = ID(v)
	}
	return ids
}
