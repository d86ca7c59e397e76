package graph

import (
	"slices"

	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
)

// slabRows is how many rows a slab computes at a time, so that a cache holds them.
const slabRows = 256

// A slab computes registers of a step for all rows at once, given the rows and their adjoints.
type slab struct {
	once    tape.Instructions // what is the same for all rows
	numbers []float64         // of all registers; of those with a number for each row not used
	columns map[tape.Register]view
	calls   []call
	free    [][]float64
	left    map[tape.Register]int // how often a register is still read
}

// newSlab makes the slab of some registers. Where they are stored, these are kept for all rows.
func (s *stepState) newSlab(c *call, wanted []tape.Register, stored bool) *slab {
	b := &slab{columns: map[tape.Register]view{}, left: map[tape.Register]int{}}
	start := s.tape.Registers()
	b.numbers = s.shared.numbers(len(start))
	copy(b.numbers, start)
	low, n := s.low(), s.steps()
	for k, r := range s.reads {
		if buf := s.operands(c)[k].val.buf; len(buf) > 1 {
			b.columns[r] = view{buf: buf, move: 1}
		}
	}
	for k, r := range s.lagged {
		b.columns[r] = view{buf: c.out.val.buf[s.lags[k].entry*s.Rows+low+s.lags[k].offset:][:n], move: 1}
	}
	for entry, r := range s.seeds {
		b.columns[r] = view{buf: s.adj[entry*s.Rows+low:][:n], move: 1}
	}
	code := s.tape.Behind(wanted, s.reads)
	for _, i := range code {
		for _, r := range i.Operands() {
			b.left[r]++
		}
	}
	for _, i := range code {
		if k := slices.Index(wanted, i.To); k < 0 {
			b.add(s, c, i, nil)
		} else if b.left[i.To]++; stored {
			b.add(s, c, i, s.shared.numbers(n))
		} else {
			b.add(s, c, i, nil)
		}
	}
	return b
}

// add adds an instruction that writes to a column for all rows, or to one for some.
func (b *slab) add(s *stepState, c *call, i tape.Instruction, whole []float64) {
	to := call{width: 1, scratch: c.scratch, node: &node{op: operationOf(i), fn: i.Func, width: 1}}
	rows := false
	for _, r := range []tape.Register{i.A, i.B, i.C} {
		if r == tape.None {
			break
		}
		v, ok := b.columns[r]
		if rows = rows || ok; !ok {
			v = view{buf: b.numbers[r:][:1]}
		}
		to.in = append(to.in, operand{link: link{rows: ok}, val: v})
	}
	if !rows {
		b.once = append(b.once, i)
		return
	}
	switch {
	case whole != nil:
		to.out.val = view{buf: whole, move: 1}
	case len(b.free) > 0:
		to.out.val = view{buf: b.free[0]}
		b.free = b.free[1:]
	default:
		to.out.val = view{buf: s.shared.numbers(slabRows)}
	}
	if i.Func != nil {
		to.node.quick = vectorFuncs[i.Func.Vector]
	}
	b.columns[i.To] = to.out.val
	for _, r := range i.Operands() {
		if b.left[r]--; b.left[r] == 0 && b.columns[r].move == 0 && b.columns[r].buf != nil {
			b.free = append(b.free, b.columns[r].buf)
		}
	}
	to.run = to.node.op.forward
	b.calls = append(b.calls, to)
}

// operationOf is the operation that computes an instruction for many rows.
func operationOf(i tape.Instruction) *op {
	switch i.Op {
	case tape.Function:
		return opFunc
	case tape.Slope:
		return opSlope
	case tape.PowSlope:
		return opPowSlope
	case tape.PowLog:
		return opPowLog
	}
	for o, op := range instructions {
		if op == i.Op {
			return o
		}
	}
	panic("graph: no operation for an instruction")
}

// run computes the registers, and calls each, if there is one, with every block of rows.
func (b *slab) run(s *stepState, in []operand, each func(s *stepState, in []operand, row, n int)) {
	for k, r := range s.reads {
		if buf := in[k].val.buf; len(buf) == 1 {
			b.numbers[r] = buf[0]
		}
	}
	b.once.Run(b.numbers)
	n := s.steps()
	for row := 0; row < n; row += slabRows {
		steps(b.calls, row, min(slabRows, n-row))
		if each != nil {
			each(s, in, row, min(slabRows, n-row))
		}
	}
}

// value is what a register has for all rows.
func (b *slab) value(r tape.Register) []float64 {
	if v, ok := b.columns[r]; ok {
		return v.buf
	}
	return b.numbers[r:][:1]
}

// pulled adds what the adjoints of some rows give to what their steps read.
func (s *stepState) pulled(in []operand, row, n int) {
	for k, r := range s.pulls {
		to := in[k].adj.buf
		if to == nil || r == tape.None {
			continue
		}
		v := s.pull.columns[r]
		if from := v.col(0, row); len(to) == 1 {
			to[0] += vector.Sum(n, from)
		} else {
			vector.Accumulate(n, to[row:], from)
		}
	}
}
