package graph

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/stdlib/def"
)

const (
	mostInstructions = 400 // of a step that is taken apart
	mostEntries      = 16  // of its row
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
	columns   []ID // of the value: those of the entries that are known
	nodes     map[tape.Register]ID
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
	l := &lifter{Builder: b, Recursion: r, start: start, in: in}
	for k := range r.Reads {
		shape := r.Body.inputs[k].Shape
		var registers []tape.Register
		for e := range shape.Len() {
			registers = append(registers, tape.Register(len(l.sources)))
			l.sources = append(l.sources, source{&r.Reads[k], e, shape.indices(e)})
		}
		l.inputs = append(l.inputs, registers)
	}
	l.tape, l.columns = tape.New(len(l.sources)), make([]ID, r.State.Len())
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
	if r.steps() < 1 || r.State.Len() > mostEntries || !l.backward() {
		return NoID, false
	}
	out, err := r.Body.scalars(l.tape, l.inputs)
	if err != nil || len(l.tape.Code()) > mostInstructions {
		return NoID, false
	}
	l.out = out[0]
	for _, entries := range l.components() {
		if !l.recursive(entries) {
			return NoID, false
		}
	}
	if len(r.State) == 0 {
		return l.columns[0], true
	}
	all, err := b.Apply("append", Attr{}, l.columns...)
	if err == nil {
		all, err = b.Apply("reshape", Attr{Shape: append(Shape{r.Rows}, r.State...)}, all)
	}
	return all, err == nil
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
			for j := range n {
				needs[i][j] = needs[i][j] || needs[i][k] && needs[k][j]
			}
		}
	}
	done := make([]bool, n)
	for len(slices.Concat(out...)) < n {
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
	s := &stepper{Recursion: l.Recursion, entries: entries}
	var lagged, out []tape.Register
	for k := range l.sources {
		if e := &l.sources[k]; e.lags() && slices.Contains(entries, e.element) {
			s.lags = append(s.lags, lag{slices.Index(entries, e.element), e.read.Offset})
			lagged = append(lagged, tape.Register(k))
		}
	}
	for _, e := range entries {
		out = append(out, l.out[e])
	}
	l.nodes = map[tape.Register]ID{}
	var start, operands []ID
	for _, id := range l.start {
		for _, e := range entries {
			start = append(start, l.element(id, nil, l.State.indices(e)))
		}
	}
	slopes, affine := l.affine(s, out, lagged, &operands)
	if !affine {
		var ok bool
		if slopes, ok = l.curved(s, out, lagged, &operands); !ok {
			return false
		}
	}
	values := l.column(opSteps, s, append(slices.Clone(start), operands...), entries)
	l.nodes = map[tape.Register]ID{} // the lags are known now
	operands = append(append([]ID{values}, start...), l.registers(out)...)
	l.column(opRecurrence, s, append(operands, l.registers(slopes)...), entries)
	return true
}

// column adds an operation whose value is the columns of some entries.
func (l *lifter) column(o *op, s *stepper, in []ID, entries []int) ID {
	n := node{op: o, in: in, recursion: s.Recursion, steps: s}
	n.whole(Shape{s.Rows, len(entries)})
	if len(entries) == 1 {
		n.whole(Shape{s.Rows})
	}
	id := l.intern(n)
	for k, e := range entries {
		if l.columns[e] = id; len(entries) > 1 {
			l.columns[e] = l.element(id, &Slice{Hi: s.Rows}, []int{k})
		}
	}
	return id
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
	if len(cut) == 0 {
		return from
	}
	id, err := l.Apply("slice", Attr{Slices: cut}, from)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return id
}

// affine makes the steps of entries that are affine in earlier rows: their operands are the constants of each
// entry, then the factors of the terms.
func (l *lifter) affine(s *stepper, out, lagged []tape.Register, operands *[]ID) (factors []tape.Register, ok bool) {
	var constants []tape.Register
	for entry, y := range out {
		c, ok := l.tape.Affine(y, lagged)
		if !ok {
			s.terms = nil
			return nil, false
		}
		constants = append(constants, c.Constant)
		for k, r := range c.Of {
			if r != tape.None {
				s.terms, factors = append(s.terms, stepTerm{entry, s.lags[k]}), append(factors, r)
			}
		}
	}
	*operands = append(l.registers(constants), l.registers(factors)...)
	return factors, true
}

// curved makes the program of a step, whose operands are what it reads, and its derivatives.
func (l *lifter) curved(s *stepper, out, lagged []tape.Register, operands *[]ID) (slopes []tape.Register, ok bool) {
	next := make([]int, len(lagged))
	for k, g := range s.lags {
		if next[k] = -1; g.offset == -1 || g.offset == 1 {
			next[k] = g.entry
		}
	}
	if s.program, ok = l.tape.Program(out, lagged, next); !ok {
		return nil, false
	}
	*operands = l.registers(s.program.Reads)
	for entry, y := range out {
		d := l.tape.Derive(y, len(l.sources))
		for k, at := range lagged {
			if d[at] != tape.None {
				s.terms, slopes = append(s.terms, stepTerm{entry, s.lags[k]}), append(slopes, d[at])
			}
		}
	}
	return slopes, len(l.tape.Code()) <= 4*mostInstructions
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
		id = l.source(&l.sources[r])
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
		return l.element(l.columns[s.element], rows, nil)
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
	switch i.Op {
	case tape.Function:
		return l.must(i.Func.Name, in...)
	case tape.Slope:
		if i.Func.Vector == def.ExpLoop {
			return in[1]
		}
		return l.slope(node{op: opSlope, in: in[:2], fn: i.Func, quick: vectorFuncs[i.Func.Vector]})
	case tape.PowSlope:
		return l.slope(node{op: opPowSlope, in: in})
	case tape.PowLog:
		return l.slope(node{op: opPowLog, in: []ID{in[0], in[2]}})
	}
	for o, op := range instructions {
		if op == i.Op {
			return l.must(o.name, in...)
		}
	}
	panic(fmt.Sprintf("graph: no instruction %d", i.Op))
}

func (l *lifter) slope(n node) ID {
	if err := n.op.infer(l.Builder, &n); err != nil {
		panic("graph: " + err.Error())
	}
	return l.intern(n)
}
