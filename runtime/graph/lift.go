package graph

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/runtime/tape"
)

const (
	mostInstructions = 400 // of a step that is taken apart
	mostEntries      = 16  // of its row
	mostCurved       = 11  // of it, where each follows from itself alone, not affinely, and steps are few
	mostColumns      = 32  // of arrays whose rows it reads: a product with more is one operation
)

// A lifter takes the step of a recursion apart: it computes registers of the step for all rows at once, as
// operations of the graph outside. Entries of earlier rows are then columns of the recursion's value.
type lifter struct {
	*Builder
	*Recursion
	start, in []ID
	tape      *tape.Tape
	inputs    [][]tape.Register
	sources   []source // of the first registers
	out       []tape.Register
	columns   []column // of the entries that are known
	nodes     map[tape.Register]ID
	lanes     *batch // of the entries that are computed now; nil where there is one lane
	crossed   bool   // lanes read what does not stand beside each other
}

// A column is one of a value of several, or a value by itself.
type column struct {
	id      ID
	indices []int
}

// A source is the element of a read that a register holds.
type source struct {
	read    *Read
	element int
	indices []int
}

// lags reports whether a source is an entry of an earlier row.
func (s *source) lags() bool { return s.read.Kind == ReadState }

func newLifter(b *Builder, r *Recursion, start, in []ID) *lifter {
	l := &lifter{Builder: b, Recursion: r, start: start, in: in, nodes: map[tape.Register]ID{}}
	for k := range r.Reads {
		shape := r.Body.inputs[k].Shape
		var registers []tape.Register
		for e := range shape.Len() {
			registers = append(registers, tape.Register(len(l.sources)))
			l.sources = append(l.sources, source{&r.Reads[k], e, shape.indices(e)})
		}
		l.inputs = append(l.inputs, registers)
	}
	// behind what a step reads, the tape has the adjoints of its entries as inputs
	l.tape, l.columns = tape.New(len(l.sources)+r.State.Len()), make([]column, r.State.Len())
	return l
}

// indices are the subscripts of an element.
func (s Shape) indices(element int) (out []int) {
	for _, d := range s {
		out, element = append(out, element%d), element/d
	}
	return out
}

// low is the first row that is computed.
func (r *Recursion) low() int { return min(r.at(0), r.at(r.steps()-1)) }

// apart adds a recursion whose step is instructions on numbers. It is not ok for any other, or a long one.
// What depends on no earlier row is computed for all rows at once, and so are the derivatives of a step in
// earlier rows, given these. Entries that follow from each other in turn make one recursion; those that need
// others follow these.
func (b *Builder) apart(r *Recursion, start, in []ID) (id ID, ok bool) {
	l := newLifter(b, r, start, in)
	if r.steps() < 1 || r.State.Len() > mostEntries && !r.panel() || !l.backward() {
		return NoID, false
	}
	out, err := r.Body.scalars(l.tape, l.inputs)
	if err != nil {
		return NoID, false
	}
	l.out = out[0]
	batches, ok := l.batches(l.components())
	if !ok {
		return NoID, false
	}
	for _, l.lanes = range batches {
		if l.nodes = map[tape.Register]ID{}; !l.recursive(l.lanes.lanes[0]) {
			return NoID, false
		}
	}
	return l.whole()
}

// whole is the value of all entries.
func (l *lifter) whole() (id ID, ok bool) {
	first := l.columns[0].id
	shape := append(Shape{l.Rows}, l.State...)
	if in := l.natural(); len(in) > 1 {
		first = l.must("append", in...)
	}
	if l.Shape(first).equal(shape) {
		return first, true
	}
	all, err := l.Apply("reshape", Attr{Shape: shape}, first)
	l.columnsOf[all] = l.columns
	return all, err == nil
}

// natural is what holds the entries in their order: one array, or vectors of columns that stand together.
func (l *lifter) natural() (in []ID) {
	c := l.columns
	if s := l.Shape(c[0].id); s.Len() == l.Rows*len(c) && slices.EqualFunc(c, indices(len(c)),
		func(c column, e int) bool { return c.id == l.columns[0].id && s[1:].position(c.indices) == e }) {
		return []ID{c[0].id}
	}
	for n := 1; len(c) > 0; c, n = c[n:], 1 {
		for n < len(c) && c[n].id == c[0].id {
			if _, ok := neighbours(c[:n+1]); !ok {
				break
			}
			n++
		}
		id := l.element(c[0].id, &Slice{Hi: l.Rows}, c[0].indices)
		if n > 1 {
			id, _ = l.beside(&Slice{Hi: l.Rows}, c[:n])
			id = l.mustWith("reshape", Attr{Shape: Shape{n * l.Rows}}, id)
		}
		in = append(in, id)
	}
	return in
}

// entry is a slice of one entry of a recursion, taken of what computes that.
func (b *Builder) entry(o *op, attr Attr, in []ID) (id ID, ok bool) {
	if o != opSlice || b.columnsOf[in[0]] == nil || len(attr.Slices) < 2 {
		return NoID, false
	}
	shape, kept := b.Shape(in[0]), 0
	if len(attr.Slices) != len(shape) {
		return NoID, false
	}
	for k, s := range attr.Slices[1:] {
		if s.Lo < 0 || s.Hi > shape[k+1] || s.Lo >= s.Hi {
			return NoID, false
		}
		if !s.Drop {
			kept++
		}
	}
	if kept > 1 {
		return NoID, false
	}
	var of []column
	for e, c := range b.columnsOf[in[0]] {
		inside := true
		for k, i := range shape[1:].indices(e) {
			inside = inside && i >= attr.Slices[k+1].Lo && i < attr.Slices[k+1].Hi
		}
		if inside {
			of = append(of, c)
		}
	}
	cut, ok := neighbours(of)
	if !ok || kept == 1 && len(of) == 1 {
		return NoID, false
	}
	id, err := b.Apply("slice", Attr{Slices: append(attr.Slices[:1:1], cut...)}, of[0].id)
	return id, err == nil
}

// rows counts the numbers of a row that a step reads.
func (l *lifter) rows() (n int) {
	for k := range l.sources {
		if l.sources[k].read.Kind == ReadRow {
			n++
		}
	}
	return n
}

// backward reports whether steps read rows that are computed before them.
func (l *lifter) backward() bool {
	return !slices.ContainsFunc(l.Reads, func(r Read) bool {
		return r.Kind == ReadState && (r.Offset == 0 || (r.Offset > 0) != l.Down)
	})
}

// components lists the entries that need each other, those first that others need.
func (l *lifter) components() (out [][]int) {
	n := len(l.out)
	needs := make([][]bool, n)
	for j := range n {
		on := l.tape.Dependent(l.lagsOf(func(entry int) bool { return entry == j }))
		for i := range n {
			needs[i] = append(needs[i], on[l.out[i]])
		}
	}
	for k := range n {
		for i := range n {
			if needs[i][k] {
				for j := range n {
					needs[i][j] = needs[i][j] || needs[k][j]
				}
			}
		}
	}
	done := make([]bool, n)
	for left := n; left > 0; {
		for i := range n {
			open := func(j int) bool { return needs[i][j] && !needs[j][i] && !done[j] && j != i }
			if done[i] || slices.ContainsFunc(indices(n), open) {
				continue
			}
			var entries []int
			for j := range n {
				if j == i || needs[i][j] && needs[j][i] {
					entries, done[j] = append(entries, j), true
				}
			}
			left -= len(entries)
			out = append(out, entries)
		}
	}
	return out
}

func indices(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// lagsOf marks the sources that are earlier values of some entries.
func (l *lifter) lagsOf(of func(entry int) bool) []bool {
	marked := make([]bool, len(l.sources))
	for k := range l.sources {
		s := &l.sources[k]
		marked[k] = s.lags() && of(s.element)
	}
	return marked
}

// recursive adds the recursion of some entries, given those that they need.
func (l *lifter) recursive(entries []int) bool {
	s := &stepper{Recursion: l.Recursion, entries: entries, tape: l.tape}
	for k := range l.sources {
		if e := &l.sources[k]; e.lags() && slices.Contains(entries, e.element) {
			s.lags = append(s.lags, lag{slices.Index(entries, e.element), e.read.Offset})
			s.lagged = append(s.lagged, tape.Register(k))
		}
	}
	if len(l.lanes.lanes) > 1 {
		s.lanes = len(l.lanes.lanes)
	}
	for k, e := range entries {
		s.out = append(s.out, l.out[e])
		s.seeds = append(s.seeds, tape.Register(len(l.sources)+k))
	}
	var in []ID
	for _, id := range l.start {
		for k, e := range entries {
			var at []column
			for _, other := range l.lanes.lanes {
				at = append(at, column{id, l.State.indices(other[k])})
			}
			if s.lanes == 0 {
				in = append(in, l.element(id, nil, l.State.indices(e)))
			} else if from, ok := l.beside(nil, at); ok {
				in = append(in, from)
			} else {
				return false
			}
		}
	}
	operands, ok := s.affine()
	if !ok {
		if len(entries) == 1 && l.State.Len() > mostCurved && l.short() {
			return false
		}
		if operands, ok = s.curved(l.lagsOf(func(e int) bool { return slices.Contains(entries, e) })); !ok {
			return false
		}
	}
	n := node{op: opSteps, in: append(in, l.registers(operands)...), recursion: l.Recursion, steps: s}
	if l.crossed {
		return false
	}
	shape := Shape{s.Rows}
	if len(entries) > 1 {
		shape = append(shape, len(entries))
	}
	if s.lanes > 0 {
		shape = append(shape, s.lanes)
		for _, id := range n.in {
			of := 0
			if shape := l.Shape(id); len(shape) > 0 && shape[1] > 1 {
				of = shape[0]
			}
			s.cuts = append(s.cuts, of)
		}
	}
	n.whole(shape)
	id := l.intern(n)
	for lane, entries := range l.lanes.lanes {
		for k, e := range entries {
			if l.columns[e] = (column{id, nil}); len(entries) > 1 {
				l.columns[e].indices = []int{k}
			}
			if s.lanes > 0 {
				l.columns[e].indices = append(l.columns[e].indices, lane)
			}
		}
	}
	return true
}

// element is an element of each of some rows, or of a value without rows.
func (l *lifter) element(from ID, rows *Slice, indices []int) ID {
	var cut []Slice
	if rows != nil {
		cut = append(cut, *rows)
	}
	for _, i := range indices {
		cut = append(cut, Slice{Lo: i, Hi: i + 1, Drop: true})
	}
	if len(cut) == 0 || rows != nil && len(cut) == 1 && *rows == (Slice{Hi: l.Shape(from).rows()}) {
		return from
	}
	return l.mustWith("slice", Attr{Slices: cut}, from)
}

// registers are the nodes of registers, a number of 0 for None.
func (l *lifter) registers(of []tape.Register) (out []ID) {
	for _, r := range of {
		if r == tape.None {
			out = append(out, l.Scalar(0))
		} else {
			out = append(out, l.node(r))
		}
	}
	return out
}

// node is a register for all rows, or for none in particular.
func (l *lifter) node(r tape.Register) ID {
	if id, ok := l.nodes[r]; ok {
		return id
	}
	var id ID
	if v, ok := l.tape.Value(r); ok {
		id = l.Scalar(v)
	} else if int(r) < len(l.sources) {
		if len(l.lanes.lanes) == 1 {
			id = l.source(&l.sources[r])
		} else if across, ok := l.across(r); ok {
			id = across
		} else {
			l.crossed, id = true, l.Scalar(0)
		}
	} else {
		id = l.instruction(l.tape.At(r))
	}
	l.nodes[r] = id
	return id
}

func (l *lifter) source(s *source) ID {
	low := l.low() + s.read.Offset
	rows := &Slice{Lo: low, Hi: low + l.steps()}
	switch s.read.Kind {
	case ReadState:
		return l.element(l.columns[s.element].id, rows, l.columns[s.element].indices)
	case ReadRow:
		return l.element(l.in[s.read.Input], rows, s.indices)
	}
	return l.element(l.in[s.read.Input], nil, s.indices)
}

func (l *lifter) instruction(i *tape.Instruction) ID {
	var in []ID
	for _, r := range i.Operands() {
		in = append(in, l.node(r))
	}
	if i.Op == tape.Function {
		return l.must(i.Func.Name, in...)
	}
	for o, op := range instructions {
		if op == i.Op {
			return l.must(o.name, in...)
		}
	}
	panic(fmt.Sprintf("graph: no operation for instruction %d", i.Op))
}
