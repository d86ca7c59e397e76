package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/tape"
)

const (
	mostLanes = 512 // entries of a recursion that is taken apart by lanes
	fewSteps  = 32  // of one that is rather unrolled, if it may be
	// How many lanes of a step that is not affine are computed one after the other, a function such as exp
	// counting as eight more steps: beyond it the functions for arrays, called for each row, take less time.
	mostScalar = 100
)

// A batch is components of a recursion that compute the same of other entries and of other elements of what
// they read, as the persons of a panel do: its lanes. One recursion has the entries of all.
type batch struct {
	lanes [][]int                           // the entries of each
	reads []map[tape.Register]tape.Register // what each lane has in the place of what the first has
}

// panel reports whether a step has no operation between elements of different entries, so that lanes may be
// looked for.
func (r *Recursion) panel() bool {
	n := r.State.Len()
	return n <= mostLanes && !slices.ContainsFunc(r.Body.nodes, func(n node) bool {
		return n.op == opMatMul || n.op == opDot || n.op == opRowDot || n.op == opSum
	})
}

// batches puts components together that are alike, in an order in which each needs those before it alone;
// each stands alone where few are alike, or where steps are few. It reports false where a lane has too many
// entries or instructions, or reads too many numbers of a row.
func (l *lifter) batches(components [][]int) (out []*batch, ok bool) {
	out = l.together(components)
	numbers, most := 0, 1
	for _, b := range out {
		numbers, most = numbers+len(b.lanes[0]), max(most, len(b.lanes))
	}
	if most < leastUnrolled || l.steps() < fewSteps && l.short() {
		out, numbers, most = nil, l.State.Len(), 1
		for _, entries := range components {
			out = append(out, &batch{})
			l.join(out[len(out)-1], entries)
		}
	}
	return out, numbers <= mostEntries && len(l.tape.Code()) <= most*mostInstructions &&
		l.rows() <= most*mostColumns
}

// together are batches with as many lanes as there may be.
func (l *lifter) together(components [][]int) (out []*batch) {
	of := make([]int, len(l.out)) // the batch of each entry
	for _, entries := range components {
		least := 0
		for r := range l.reads(entries) {
			if s := &l.sources[r]; s.lags() && !slices.Contains(entries, s.element) {
				least = max(least, of[s.element]+1)
			}
		}
		at := least
		for at < len(out) && !l.join(out[at], entries) {
			at++
		}
		if at >= len(out) {
			at = len(out)
			out = append(out, &batch{})
			l.join(out[at], entries)
		}
		for _, e := range entries {
			of[e] = at
		}
	}
	return out
}

// reads lists the sources that some entries are computed from.
func (l *lifter) reads(entries []int) map[tape.Register]bool {
	seen, stack := map[tape.Register]bool{}, []tape.Register{}
	for _, e := range entries {
		stack = append(stack, l.out[e])
	}
	read := map[tape.Register]bool{}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, constant := l.tape.Value(r); constant || seen[r] {
			continue
		}
		if seen[r] = true; int(r) < len(l.sources) {
			read[r] = true
		} else {
			stack = append(stack, l.tape.At(r).Operands()...)
		}
	}
	return read
}

// join adds a lane to a batch, if it is like the first.
func (l *lifter) join(b *batch, entries []int) bool {
	if len(b.lanes) == 0 {
		b.lanes = append(b.lanes, entries)
	}
	same := map[tape.Register]tape.Register{}
	if len(entries) != len(b.lanes[0]) {
		return false
	}
	for k, e := range b.lanes[0] {
		if !l.alike(l.out[e], l.out[entries[k]], b.lanes[0], entries, same) {
			return false
		}
	}
	if b.reads = append(b.reads, same); len(b.reads) > 1 {
		b.lanes = append(b.lanes, entries)
	}
	return true
}

// alike reports whether one register is computed as another is, and notes what stands in the place of what.
func (l *lifter) alike(a, b tape.Register, first, other []int, same map[tape.Register]tape.Register) bool {
	if known, ok := same[a]; ok {
		return known == b
	}
	v, constant := l.tape.Value(a)
	w, too := l.tape.Value(b)
	if constant || too {
		return constant && too && math.Float64bits(v) == math.Float64bits(w)
	}
	same[a] = b
	n := tape.Register(len(l.sources))
	if a < n || b < n {
		if a >= n || b >= n || l.sources[a].read != l.sources[b].read {
			return false
		}
		if s := &l.sources[a]; s.lags() {
			return slices.Index(first, s.element) == slices.Index(other, l.sources[b].element)
		}
		return true
	}
	i, j := l.tape.At(a), l.tape.At(b)
	of, with := i.Operands(), j.Operands()
	if i.Op != j.Op || i.Func != j.Func || len(of) != len(with) {
		return false
	}
	for k := range of {
		if !l.alike(of[k], with[k], first, other, same) {
			return false
		}
	}
	return true
}

// across is what all lanes have in the place of what the first reads: a number where it is the same for all
// rows and lanes, else a matrix with a row for each step, or one, and a column for each lane, or one.
func (l *lifter) across(r tape.Register) (id ID, ok bool) {
	low := l.low() + l.sources[r].read.Offset
	rows, at := &Slice{Lo: low, Hi: low + l.steps()}, make([]column, len(l.lanes.reads))
	for k, reads := range l.lanes.reads {
		switch s := &l.sources[reads[r]]; s.read.Kind {
		case ReadState:
			at[k] = l.columns[s.element]
		case ReadRow:
			at[k] = column{l.in[s.read.Input], s.indices}
		default:
			at[k], rows = column{l.in[s.read.Input], s.indices}, nil
		}
	}
	return l.beside(rows, at)
}

// beside has some columns of one array beside each other, which are neighbours along one axis or all the
// same.
func (l *lifter) beside(rows *Slice, at []column) (id ID, ok bool) {
	cut, ok := neighbours(at)
	if !ok {
		return NoID, false
	}
	shape := Shape{1, 1}
	if rows != nil {
		cut, shape[0] = append([]Slice{*rows}, cut...), rows.Hi-rows.Lo
	}
	for _, s := range cut[len(cut)-len(at[0].indices):] {
		if !s.Drop {
			shape[1] = len(at)
		}
	}
	if id = at[0].id; len(cut) > 0 {
		id = l.mustWith("slice", Attr{Slices: cut}, id)
	}
	if rows == nil && shape[1] == 1 || l.Shape(id).equal(shape) {
		return id, true
	}
	return l.mustWith("reshape", Attr{Shape: shape}, id), true
}

// neighbours is the slice of the columns of one array that some columns are.
func neighbours(at []column) (cut []Slice, ok bool) {
	moves := -1
	for _, i := range at[0].indices {
		cut = append(cut, Slice{Lo: i, Hi: i + 1, Drop: true})
	}
	for k, c := range at {
		if c.id != at[0].id || len(c.indices) != len(cut) {
			return nil, false
		}
		for axis, i := range c.indices {
			if k == 1 && moves < 0 && i == cut[axis].Lo+1 {
				moves = axis
			}
			if want := cut[axis].Lo; axis == moves && i != want+k || axis != moves && i != want {
				return nil, false
			}
		}
	}
	if moves >= 0 {
		cut[moves] = Slice{Lo: cut[moves].Lo, Hi: cut[moves].Lo + len(at)}
	}
	return cut, true
}
