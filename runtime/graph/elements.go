package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// A summing writes a density element by element: what an expanding adds to the target, it adds to one array,
// and before that what is the same for all elements to one number.
type summing struct {
	*expanding
	sum, all ID // NoID: nothing yet
	each     float64
}

// elements writes the elements of a density as operations, in the shape of its left side, on the same
// conditions as expand.
func (b *Builder) elements(n *node) (ID, bool) {
	x, d := &b.nodes[n.in[0]], n.likely.dist
	form := d.Elements
	if form == nil {
		form = d.Expand
	}
	if b.plain || x.shape.Len() <= fewRows || form == nil || !b.inside(n) {
		return NoID, false
	}
	theta := make([]def.Value, len(d.Params))
	for k := range theta {
		theta[k] = def.Value(n.in[k+1])
	}
	shape := x.shape
	s := newSumming(&expanding{Builder: b, power: 1, shape: shape, rows: shape.Len(),
		split: len(shape) == 1})
	if form(s, def.Value(n.in[0]), theta) {
		return s.total(), true
	}
	if len(shape) < 2 {
		return NoID, false
	}
	flat := b.flattened(shape, n.in)
	for k := range theta {
		theta[k] = def.Value(flat[k+1])
	}
	s = newSumming(&expanding{Builder: b, power: 1, shape: Shape{s.rows}, rows: s.rows, split: true})
	if !form(s, def.Value(flat[0]), theta) {
		return NoID, false
	}
	return b.mustWith("reshape", Attr{Shape: shape}, s.total()), true
}

func newSumming(e *expanding) *summing { return &summing{expanding: e, sum: NoID, all: NoID} }

// total is what has been added, in the shape of the left side.
func (s *summing) total() ID {
	if s.each != 0 {
		s.all = s.plus(s.all, s.Scalar(s.each))
	}
	if s.sum == NoID || !s.Shape(s.sum).equal(s.shape) {
		s.add(s.Builder.Const("", s.shape, constantOf(s.shape.Len(), 0)))
	}
	if s.all == NoID {
		return s.sum
	}
	return s.plus(s.sum, s.all)
}

// Split writes the elements of the rows where is holds, and those of the others, and puts them in the order
// of the rows.
func (s *summing) Split(by []def.Value, is func(by []float64) bool, yes,
	no func(b def.DensityBuilder, of func(def.Value) def.Value)) bool {
	rows, ok := s.divided(by, is)
	if !ok || !s.split {
		return false
	}
	var parts []ID
	place, at := make([]float64, s.rows), 0
	for k, write := range []func(def.DensityBuilder, func(def.Value) def.Value){yes, no} {
		if len(rows[k]) == s.rows {
			write(s, func(v def.Value) def.Value { return v })
			return true
		}
		part, of := s.part(rows[k])
		in := newSumming(part)
		write(in, of)
		parts = append(parts, in.total())
		for _, row := range rows[k] {
			at++
			place[int(row)-1] = float64(at)
		}
	}
	order := s.share(fmtRows(place), func() ID { return s.Builder.Const("rows", Shape{s.rows}, place) })
	s.add(s.must("gather", s.must("append", parts...), order))
	return true
}

// tail writes a tail of each element as operations, in the shape of its left side.
func (b *Builder) tail(n *node, upper bool) (ID, bool) {
	shape, d := b.nodes[n.in[0]].shape, n.likely.dist
	e := &expanding{Builder: b, power: 1, shape: shape}
	lower, most := def.None, def.Value(n.in[0])
	if upper {
		lower, most = most, lower
	}
	if id, ok := b.tailAtZero(n, upper); ok {
		return id, true
	}
	if b.plain || shape.Len() <= fewRows || d.Between == nil || !e.within(def.Value(n.in[0]), d) {
		return NoID, false
	}
	theta := make([]def.Value, len(d.Params))
	for k := range theta {
		theta[k] = def.Value(n.in[k+1])
	}
	id := ID(d.Between(e, lower, most, theta))
	return id, b.Shape(id).equal(shape)
}

// tailAtZero is a tail of counts from 0 on at 0, as of data without zeros: the log probability of 0, or of
// another value.
func (b *Builder) tailAtZero(n *node, upper bool) (ID, bool) {
	x, d := &b.nodes[n.in[0]], n.likely.dist
	counts := d.Discrete && d.Event == nil && (d.Support == def.Naturals || d.Support == def.UpToN)
	if b.plain || !counts || x.kind != constant || x.shape.Len() <= fewRows ||
		slices.ContainsFunc(x.values, func(v float64) bool { return v != 0 }) {
		return NoID, false
	}
	zero, err := b.LogDensityByVectors(d, n.in[0], n.in[1:], NoID)
	if err != nil {
		panic("graph: " + err.Error())
	}
	if !upper {
		return zero, true
	}
	return b.must("log1m_exp", zero), true
}

// elementsOutside is elements where data lie outside the support: these elements are -Inf, whatever the
// parameters are. In the formula the smallest value inside stands for theirs.
func (b *Builder) elementsOutside(n *node) (ID, bool) {
	x := &b.nodes[n.in[0]]
	undecided := false // a bound that is not known, or is the same for several elements
	for k, p := range n.likely.dist.Params {
		at := &b.nodes[n.in[k+1]]
		known := at.kind == constant && (at.shape.Len() == 1 || at.shape.equal(x.shape))
		undecided = undecided || !known && (at.kind == constant || p.Integral)
	}
	if b.plain || x.kind != constant || undecided {
		return NoID, false
	}
	shape, holds := x.shape, support(b.nodes, n)
	values, inside := slices.Clone(x.values), make([]float64, len(x.values))
	least := math.Inf(1)
	for i, v := range values {
		if holds(i, v) {
			inside[i], least = 1, min(least, v)
		}
	}
	for i, in := range inside {
		if in == 0 {
			values[i] = least
		}
	}
	if math.IsInf(least, 1) {
		return b.Const("", shape, constantOf(shape.Len(), math.Inf(-1))), true
	}
	in := slices.Clone(n.in)
	in[0] = b.Const("", shape, values)
	id, ok := b.elements(&node{in: in, likely: n.likely})
	if !ok {
		return NoID, false
	}
	return b.must("where", b.Const("", shape, inside), id,
		b.Scalar(math.Inf(-1))), true
}

// expandWeighted writes a density with weights that are data as the sum of its elements times these, on the
// conditions of elements. Rows of weight 0 are left out.
func (b *Builder) expandWeighted(term string, n *node) bool {
	last := len(n.in) - 1
	shape, w := b.nodes[n.in[0]].shape, &b.nodes[n.in[last]]
	if !n.likely.weighted || b.plain || w.kind != constant || slices.ContainsFunc(w.values, math.IsNaN) {
		return false
	}
	in := slices.Clone(n.in)
	if slices.Contains(w.values, 0) {
		if len(shape) != 1 || !w.shape.equal(shape) {
			return false
		}
		var rows []float64
		for i, v := range w.values {
			if v != 0 {
				rows = append(rows, float64(i+1))
			}
		}
		if len(rows) <= fewRows {
			return false
		}
		_, of := (&expanding{Builder: b, rows: shape[0]}).part(rows)
		for k, id := range in {
			in[k] = ID(of(def.Value(id)))
		}
	}
	id, ok := b.elements(&node{in: in[:last], likely: &likelihood{dist: n.likely.dist}})
	if !ok {
		return false
	}
	if err := b.Add(term, b.must("mul", in[last], id), n.power); err != nil {
		panic("graph: " + err.Error())
	}
	return true
}

func constantOf(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Sum adds k·x to every element.
func (s *summing) Sum(x def.Value, k float64) {
	if k == -1 && s.sum != NoID && len(s.Shape(ID(x))) > 0 {
		s.sum = s.must("sub", s.sum, ID(x))
		return
	}
	s.add(s.must("mul", s.Scalar(k), ID(x)))
}

// Each adds a constant to every element.
func (s *summing) Each(v float64) { s.each += v }

// Least makes elements -Inf where x is below a bound.
func (s *summing) Least(x, bound def.Value) { s.Sum(s.Apply(def.InsideBound, s.Sub(x, bound)), 1) }

// Most makes elements -Inf where x is above a bound.
func (s *summing) Most(x, bound def.Value) { s.Sum(s.Apply(def.InsideBound, s.Sub(bound, x)), 1) }

// Density adds the elements of another distribution's density.
func (s *summing) Density(d def.Dist, x def.Value, theta ...def.Value) {
	s.add(ID(s.Elements(d, x, theta...)))
}

func (s *summing) add(id ID) {
	if len(s.Shape(id)) == 0 {
		s.all = s.plus(s.all, id)
	} else {
		s.sum = s.plus(s.sum, id)
	}
}
