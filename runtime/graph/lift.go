package graph

import (
	"slices"

	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/stdlib/def"
)

// mostInstructions is how long a step may be that is taken apart.
const mostInstructions = 400

// A lifter takes the step of a recursion apart: it computes registers of the step for all rows at once, as
// operations of the graph outside. Entries of earlier rows are then those of the recursion's value.
type lifter struct {
	*Builder
	recursion *Recursion
	in        []ID
	tape      *tape.Tape
	inputs    [][]tape.Register
	sources   []source // of the first registers
	lags      []lag
	lagged    []tape.Register // of each lag
	depends   []bool          // registers, on earlier rows
	values    ID              // of the recursion
	nodes     map[tape.Register]ID
}

// A source is the element of a read that a register holds.
type source struct {
	read    *Read
	indices []int
}

// A lag is an entry of a row before that of the step, by so many.
type lag struct{ entry, offset int }

func newLifter(b *Builder, r *Recursion, in []ID) *lifter {
	l := &lifter{Builder: b, recursion: r, in: in, values: NoID, nodes: map[tape.Register]ID{}}
	for k := range r.Reads {
		shape := r.Body.inputs[k].Shape
		var registers []tape.Register
		for e := range shape.Len() {
			at := tape.Register(len(l.sources))
			registers = append(registers, at)
			l.sources = append(l.sources, source{&r.Reads[k], shape.indices(e)})
			if r.Reads[k].Kind == ReadState {
				l.lags, l.lagged = append(l.lags, lag{e, r.Reads[k].Offset}), append(l.lagged, at)
			}
		}
		l.inputs = append(l.inputs, registers)
	}
	l.tape = tape.New(len(l.sources))
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
	from, cut := l.values, make([]Slice, 0, len(s.indices)+1)
	if s.read.Kind != ReadState {
		from = l.in[s.read.Input]
	}
	if s.read.Kind != ReadWhole {
		low := l.recursion.low() + s.read.Offset
		cut = append(cut, Slice{Lo: low, Hi: low + l.recursion.steps()})
	}
	for _, i := range s.indices {
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
	panic("graph: no such instruction")
}

func (l *lifter) slope(n node) ID {
	if err := n.op.infer(l.Builder, &n); err != nil {
		panic("graph: " + err.Error())
	}
	return l.intern(n)
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

// steps adds a recursion whose step is instructions on numbers. It is not ok for any other, or one that is
// long. What depends on no earlier row is computed for all rows at once, and so is the derivative of a step
// in earlier rows, given these.
func (b *Builder) steps(r *Recursion, start, in []ID) (id ID, ok bool) {
	l := newLifter(b, r, in)
	if r.steps() < 1 || !l.backward() {
		return NoID, false
	}
	out, err := r.Body.scalars(l.tape, l.inputs)
	if err != nil || len(l.tape.Code()) > mostInstructions {
		return NoID, false
	}
	s := &stepper{Recursion: r, lags: l.lags, out: out[0]}
	marked := make([]bool, len(l.sources))
	for _, r := range l.lagged {
		marked[r] = true
	}
	l.depends = l.tape.Dependent(marked)
	var operands []ID
	slopes, affine := l.affine(s, &operands)
	if !affine {
		if slopes = l.curved(s, &operands); len(l.tape.Code()) > 4*mostInstructions {
			return NoID, false
		}
	}
	l.values = b.recursive(opSteps, s, append(slices.Clone(start), operands...))
	operands = append(append([]ID{l.values}, start...), l.registers(s.out)...)
	return b.recursive(opRecurrence, s, append(operands, l.registers(slopes)...)), true
}

// backward reports whether steps read rows that were computed before them.
func (l *lifter) backward() bool {
	return !slices.ContainsFunc(l.lags, func(g lag) bool { return (g.offset > 0) != l.recursion.Down || g.offset == 0 })
}

func (b *Builder) recursive(o *op, s *stepper, in []ID) ID {
	n := node{op: o, in: in, recursion: s.Recursion, steps: s}
	n.whole(append(Shape{s.Rows}, s.State...))
	return b.intern(n)
}

// affine makes the steps of a recursion that is affine in earlier rows: its operands are the constants of each
// entry, then the factors of the terms.
func (l *lifter) affine(s *stepper, operands *[]ID) (factors []tape.Register, ok bool) {
	var constants []tape.Register
	for entry, y := range s.out {
		c, ok := l.tape.Affine(y, l.lagged)
		if !ok {
			s.terms = nil
			return nil, false
		}
		constants = append(constants, c.Constant)
		for k, r := range c.Of {
			if r != tape.None {
				s.terms, factors = append(s.terms, stepTerm{entry, l.lags[k]}), append(factors, r)
			}
		}
	}
	s.affine = true
	*operands = append(l.registers(constants), l.registers(factors)...)
	return factors, true
}

// curved makes the instructions of a step, whose operands are what they read, and its derivatives.
func (l *lifter) curved(s *stepper, operands *[]ID) (slopes []tape.Register) {
	s.code, s.reads = l.tape.Within(s.out, l.depends)
	s.registers, s.lagged = l.tape.Registers(), l.lagged
	*operands = l.registers(s.reads)
	for entry, y := range s.out {
		d := l.tape.Derive(y, len(l.sources))
		for k, at := range l.lagged {
			if d[at] != tape.None {
				s.terms, slopes = append(s.terms, stepTerm{entry, l.lags[k]}), append(slopes, d[at])
			}
		}
	}
	return slopes
}
