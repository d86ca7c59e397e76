package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// Split writes the density of the rows where is holds, and that of the others, each over vectors of their
// own.
func (e *expanding) Split(by []def.Value, is func(by []float64) bool, yes,
	no func(b def.DensityBuilder, of func(def.Value) def.Value)) bool {
	rows, ok := e.divided(by, is)
	if !ok || !e.split {
		return false
	}
	for part, write := range []func(def.DensityBuilder, func(def.Value) def.Value){yes, no} {
		if len(rows[part]) > 0 {
			b, of := e.part(rows[part])
			write(b, of)
		}
	}
	return true
}

// divided lists the rows where is holds, and the others, counted from 1. It is not ok where by is no data.
func (e *expanding) divided(by []def.Value, is func(by []float64) bool) (rows [2][]float64, ok bool) {
	for _, v := range by {
		if e.nodes[v].kind != constant {
			return rows, false
		}
	}
	values := make([]float64, len(by))
	for i := range e.rows {
		for k, v := range by {
			values[k] = e.element(ID(v), i)
		}
		part := 1
		if is(values) {
			part = 0
		}
		rows[part] = append(rows[part], float64(i+1))
	}
	return rows, true
}

// element is a value of data in a row.
func (e *expanding) element(id ID, row int) float64 {
	v := e.nodes[id].values
	if len(v) == 1 {
		return v[0]
	}
	return v[row]
}

// part is the builder for some of the rows, and the values in these.
func (e *expanding) part(rows []float64) (*expanding, func(def.Value) def.Value) {
	if len(rows) == e.rows {
		return e, func(v def.Value) def.Value { return v }
	}
	index := e.share(fmtRows(rows), func() ID { return e.Builder.Const("rows", Shape{len(rows)}, rows) })
	return &expanding{Builder: e.Builder, term: e.term, power: e.power, shape: Shape{len(rows)},
			rows: len(rows), split: true}, func(v def.Value) def.Value {
			if e.Shape(ID(v)).Len() != e.rows || e.rows == 1 {
				return v
			}
			return def.Value(e.must("gather", ID(v), index))
		}
}

// fmtRows is a key that two lists of rows have in common only if they are equal.
func fmtRows(rows []float64) string {
	key := make([]byte, 0, 8*len(rows)+5)
	key = append(key, "rows "...)
	for _, v := range rows {
		u := math.Float64bits(v)
		key = append(key, byte(u>>56), byte(u>>48), byte(u>>40), byte(u>>32), byte(u>>24), byte(u>>16),
			byte(u>>8), byte(u))
	}
	return string(key)
}

// Gather is table[index].
func (e *expanding) Gather(table, index def.Value) def.Value {
	return def.Value(e.must("gather", ID(table), ID(index)))
}

// Between is a vector with a number before and one after, or of a matrix the vector of its columns with a
// column before and one after.
func (e *expanding) Between(first float64, x def.Value, last float64) def.Value {
	shape := e.Shape(ID(x))
	before, after := e.Scalar(first), e.Scalar(last)
	if n := shape.rows(); len(shape) > 1 {
		x = e.own(opReshape, x)
		before, after = e.Builder.Const("", Shape{n}, constantOf(n, first)),
			e.Builder.Const("", Shape{n}, constantOf(n, last))
	}
	return def.Value(e.must("append", before, ID(x), after))
}

// Rows is the table that the rows of a matrix are looked up in, and where.
func (e *expanding) Rows(m def.Value) (table, row def.Value) {
	n := e.nodes[m]
	switch {
	case len(n.shape) < 2:
		return m, e.Number(1)
	case n.op == opGather && len(n.in) == 2:
		return def.Value(n.in[0]), def.Value(n.in[1])
	}
	return m, e.counted(n.shape.rows())
}

// counted is 1, 2, …, n.
func (e *expanding) counted(n int) def.Value {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i + 1)
	}
	return def.Value(e.share(fmtRows(v), func() ID { return e.Builder.Const("rows", Shape{n}, v) }))
}

// Dims has the lengths of the axes of a value.
func (e *expanding) Dims(x def.Value) []int { return e.Shape(ID(x)) }

// Head is a vector without its last n elements.
func (e *expanding) Head(x def.Value, n int) def.Value { return e.cut(x, 0, n) }

// Tail is a vector without its first n elements.
func (e *expanding) Tail(x def.Value, n int) def.Value { return e.cut(x, n, 0) }

func (e *expanding) cut(x def.Value, before, after int) def.Value {
	id, err := e.Builder.Apply("slice", Attr{Slices: []Slice{{Lo: before, Hi: e.Shape(ID(x)).Len() - after}}},
		ID(x))
	if err != nil {
		panic("graph: " + err.Error())
	}
	return def.Value(id)
}

// LogSumExp is log Σ exp along the last axis.
func (e *expanding) LogSumExp(m def.Value) def.Value { return def.Value(e.must("log_sum_exp", ID(m))) }

// Pick is the element of each row of a matrix that index names.
func (e *expanding) Pick(m, index def.Value) def.Value {
	return def.Value(e.must("gather", ID(m), ID(e.counted(e.Shape(ID(m)).rows())), ID(index)))
}

// expandEvents writes the density of many numbers with vectors for parameters as operations, where their
// distribution has such a form. The numbers of a matrix are taken as one vector, column by column. So is the
// density of the rows of a matrix of counts, and that of simplexes that are parameters.
func (b *Builder) expandEvents(term string, d *def.Dist, x ID, theta []ID, weights ID, power float64) bool {
	n := b.nodes[x]
	over := n.shape[:max(0, len(n.shape)-d.Event.Rank)] // the axes of rows
	rows := over.Len()
	if b.plain || weights != NoID || d.Event.Expand == nil || len(theta) != len(d.Params) ||
		d.Event.Rank > 0 && len(over) > 1 {
		return false
	}
	own := d.Support == def.Simplex && n.op == opStructured // inside the support by its map
	if !own && (n.kind != constant || len(over) == 0 || rows <= fewRows) {
		return false
	}
	least, most := 1.0, float64(b.eventSize(d, n.shape, theta)+d.Event.More)
	if d.Support == def.Counts {
		least, most = 0, math.MaxFloat64
	}
	for k, id := range theta {
		s := b.nodes[id].shape
		if lead := s[:max(0, len(s)-d.Params[k].Rank)]; len(lead) > 0 &&
			(!lead.equal(over) || len(over) > 1 && d.Params[k].Rank > 0) {
			return false
		}
	}
	switch {
	case own:
	case d.Support == def.Simplex:
		if !insideSimplex(n.values, rows) {
			return false
		}
	case slices.ContainsFunc(n.values, func(v float64) bool {
		return !(v >= least && v <= most && v == math.Floor(v))
	}):
		return false
	}
	e := &expanding{Builder: b, term: term, power: power, shape: Shape{rows}, rows: rows, split: true}
	values := make([]def.Value, len(theta))
	for k, id := range theta {
		if len(b.nodes[id].shape) == 0 && d.Event.Rank > 0 && d.Params[k].Rank > 0 { // for all elements
			one := n.shape[len(over):]
			id = b.must("add", id, b.Const("", one, make([]float64, one.Len())))
		}
		values[k] = def.Value(id)
	}
	if len(over) > 1 {
		x = b.Const(n.name, e.shape, n.values)
		for k, id := range theta {
			if b.nodes[id].shape.equal(n.shape) {
				values[k] = e.own(opReshape, values[k])
			}
		}
	}
	return d.Event.Expand(e, def.Value(x), values)
}

// insideSimplex reports whether the elements of each row are above 0 and add up to 1.
func insideSimplex(x []float64, rows int) bool {
	for i := range rows {
		sum := 0.0
		for at := i; at < len(x); at += rows {
			if sum += x[at]; !(x[at] > 0) {
				return false
			}
		}
		if !(math.Abs(sum-1) <= def.SimplexTolerance) {
			return false
		}
	}
	return true
}

// Probability is that of an interval, by vectors where the distribution has such a form.
func (e *expanding) Probability(d *def.Dist, lower, upper def.Value, theta ...def.Value) (def.Value, bool) {
	switch {
	case d.Between != nil && e.within(lower, d) && e.within(upper, d):
		return d.Between(e, lower, upper, theta), true
	case lower == def.None:
		return e.tail(opLogCDF, d, upper, theta), true
	case upper == def.None:
		return e.tail(opLogCCDF, d, lower, theta), true
	}
	return def.None, false
}

// tail is a tail, one number where its arguments are.
func (e *expanding) tail(o *op, d *def.Dist, x def.Value, theta []def.Value) def.Value {
	ids := make([]ID, len(theta))
	for i, v := range theta {
		ids[i] = ID(v)
		if len(e.Shape(ID(v))) > 0 && len(e.Shape(ID(x))) == 0 {
			x = e.Add(x, e.Fill(0))
		}
	}
	n, err := e.elementNode(o, d, ID(x), ids)
	if err != nil {
		panic("graph: " + err.Error())
	}
	if id, ok := e.tailAtZero(&n, o == opLogCCDF); ok {
		return def.Value(id)
	}
	return def.Value(e.values(n))
}

// within reports whether an end of an interval, where it is one, is sure to lie inside the support.
func (e *expanding) within(x def.Value, d *def.Dist) bool {
	if x == def.None {
		return true
	}
	v, known := e.Builder.Value(ID(x))
	if !known {
		return d.Support == def.RealLine
	}
	lower, upper, fixed := d.FixedBounds()
	return fixed && !slices.ContainsFunc(v, func(v float64) bool { return !(lower < v && v < upper) })
}
