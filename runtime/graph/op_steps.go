package graph

import (
	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
)

// A stepper is a recursion of some entries of another one, which a lifter has taken apart. Its operands are,
// behind the entries of the first rows, what its steps read. Of an affine one these are the constants of each
// entry, then the factors of the terms.
type stepper struct {
	*Recursion
	entries []int
	lanes   int   // there are as many sets of entries, each with columns of its own in what is read; 0: one
	cuts    []int // how many numbers of each operand a lane has; 0: all
	lags    []lag
	terms   []stepTerm // the derivatives of a step in earlier rows that are not 0 everywhere
	program *tape.Program
	tape    *tape.Tape
	// The registers of the tape: of the lags, of the results, and of the adjoints of these; of a program too:
	// of what it reads, of the derivatives of each term, and of what the adjoints give to what is read.
	lagged, out, seeds, reads, slopes, pulls []tape.Register
}

// A lag is an entry of an earlier row, so many rows away.
type lag struct{ entry, offset int }

// A stepTerm is the derivative of an entry in a lag.
type stepTerm struct {
	entry int
	lag
}

// affine makes the terms of entries that are affine in earlier rows, and returns the operands.
func (s *stepper) affine() (constants []tape.Register, ok bool) {
	var factors []tape.Register
	for entry, y := range s.out {
		c, ok := s.tape.Affine(y, s.lagged)
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
	return append(constants, factors...), true
}

// curved makes the program of any others, and returns the operands.
func (s *stepper) curved(lags []bool) (reads []tape.Register, ok bool) {
	next := make([]int, len(s.lags))
	for k, g := range s.lags {
		if next[k] = -1; g.offset == -1 || g.offset == 1 {
			next[k] = g.entry
		}
	}
	code, reads := s.tape.Within(s.out, s.tape.Dependent(lags))
	s.program = s.tape.Program(code, reads, s.out, s.lagged, next)
	for entry, y := range s.out {
		d := s.tape.Pull(code, []tape.Register{y}, []tape.Register{s.tape.Const(1)})
		for k, at := range s.lagged {
			if d[at] != tape.None {
				s.terms, s.slopes = append(s.terms, stepTerm{entry, s.lags[k]}), append(s.slopes, d[at])
			}
		}
	}
	d := s.tape.Pull(code, s.out, s.seeds)
	for _, r := range reads {
		s.pulls = append(s.pulls, d[r])
	}
	s.reads = reads
	functions := 0
	for _, i := range code {
		if i.Op == tape.Function || i.Op == tape.Pow {
			functions++
		}
	}
	return reads, len(s.tape.Code()) <= 4*mostInstructions*max(1, s.lanes) &&
		(s.State.Len() <= mostEntries || s.lanes*(1+8*functions) <= mostScalar)
}

// opSteps computes such a recursion. The adjoint of a row is what later ones give by their derivatives in it;
// those of what steps read follow from these for all rows at once.
var opSteps = &op{
	name: "recur", doc: "rows that follow from those before them, one by one", least: 1,
	forward: func(c *call) { c.steps.each(c, (*stepState).run) },
	vjp:     func(c *call) { c.steps.each(c, (*stepState).reverse) },
}

// each runs all lanes.
func (s *stepState) each(c *call, run func(s *stepState, c *call)) {
	if s.of == nil {
		run(s, c)
	}
	for k := range s.of {
		run(s.of[k].steps, &s.of[k])
	}
}

// run computes the rows.
func (s *stepState) run(c *call) {
	y := c.out.val.buf
	for k, t := range s.Start {
		for entry := range s.entries {
			y[entry*s.Rows+t] = c.in[k*len(s.entries)+entry].val.buf[0]
		}
	}
	if in := s.operands(c); s.program == nil {
		s.combine(in, y)
	} else {
		s.compute(in, y)
	}
}

// operands are those behind the first rows.
func (s *stepper) operands(c *call) []operand { return c.in[len(s.Start)*len(s.entries):] }

// A stepState is the memory of a stepper in one Exec.
type stepState struct {
	*stepper
	machine     *tape.Machine
	adj         []float64 // of all rows
	forth, back scan
	derivatives *slab // of steps in earlier rows
	factors     []operand
	pull        *slab  // of what the adjoints of rows give to what steps read
	of          []call // of each lane
	shared      *desk
}

// A desk is memory that all lanes use, one after another.
type desk struct {
	machine *tape.Machine
	arrays  [][]float64
	used    int // of the arrays, by this lane
}

// numbers is the next array, of so many numbers.
func (d *desk) numbers(n int) []float64 {
	if d.used == len(d.arrays) {
		d.arrays = append(d.arrays, make([]float64, n))
	}
	d.used++
	return d.arrays[d.used-1]
}

func newStepState(c *call) *stepState {
	s := c.node.steps
	e, shared := &stepState{stepper: s}, &desk{}
	if s.lanes == 0 {
		return s.state(c, shared)
	}
	for lane := range s.lanes {
		one := *c
		one.in, one.out = nil, cut(c.out, s.Rows*len(s.entries), lane)
		for k := range c.in {
			one.in = append(one.in, cut(c.in[k], s.cuts[k], lane))
		}
		one.steps = s.state(&one, shared)
		e.of = append(e.of, one)
	}
	return e
}

// cut is the part of an operand that a lane has, n numbers; all where n is 0.
func cut(o operand, n, lane int) operand {
	if n > 0 {
		o.val.buf = o.val.buf[lane*n:][:n:n]
		if o.adj.buf != nil {
			o.adj.buf = o.adj.buf[lane*n:][:n:n]
		}
	}
	return o
}

func (s *stepper) state(c *call, shared *desk) *stepState {
	e := &stepState{stepper: s, forth: s.scan(false), shared: shared}
	if shared.used = 0; s.program != nil {
		if shared.machine == nil {
			shared.machine = s.program.NewMachine()
		}
		e.machine = shared.machine
	}
	if c.out.adj.buf == nil {
		return e
	}
	e.back, e.adj = s.scan(true), shared.numbers(s.Rows*len(s.entries))
	if s.program != nil {
		e.factors = make([]operand, len(s.slopes))
		e.derivatives = e.newSlab(c, s.slopes, true)
		var wanted []tape.Register
		for k, r := range s.pulls {
			if s.operands(c)[k].adj.buf != nil && r != tape.None {
				wanted = append(wanted, r)
			}
		}
		e.pull = e.newSlab(c, wanted, false)
	}
	return e
}

// combine computes the rows of an affine recursion.
func (s *stepState) combine(in []operand, y []float64) {
	for entry := range s.entries {
		constants, to := in[entry].val.buf, y[entry*s.Rows+s.low():][:s.steps()]
		if len(constants) == 1 {
			vector.Fill(len(to), to, constants[0])
		} else {
			copy(to, constants)
		}
	}
	s.forth.bind(y, s.Rows, in[len(s.entries):])
	s.forth.run()
}

// compute computes the rows of any other.
func (s *stepState) compute(in []operand, y []float64) {
	low, n, p := s.low(), s.steps(), s.program
	first := s.at(0) - low
	s.machine.Clear()
	for k, r := range p.Reads {
		if of := in[k].val.buf; len(of) == 1 {
			s.machine.Set(r, of[0])
		} else {
			s.machine.Read(r, of)
		}
	}
	for k, r := range p.Inputs {
		of := y[s.lags[k].entry*s.Rows+low+s.lags[k].offset:][:n]
		if p.Held[k] {
			s.machine.Set(r, of[first])
		} else {
			s.machine.Read(r, of)
		}
	}
	for entry, r := range p.Results {
		s.machine.Write(r, y[entry*s.Rows+low:][:n])
	}
	s.machine.Run(first, s.forth.by, n)
}

// reverse carries the adjoints of rows back to those that they follow from, and to what steps read.
func (s *stepState) reverse(c *call) {
	copy(s.adj, c.out.adj.buf)
	in := s.operands(c)
	if s.program == nil {
		s.back.bind(s.adj, s.Rows, in[len(s.entries):])
		s.back.run()
		s.give(in, c.out.val.buf)
	} else {
		s.derivatives.run(s, in, nil)
		for k, r := range s.slopes {
			s.factors[k].val.buf = s.derivatives.value(r)
		}
		s.back.bind(s.adj, s.Rows, s.factors)
		s.back.run()
		s.pull.run(s, in, (*stepState).pulled)
	}
	for k, t := range s.Start {
		for entry := range s.entries {
			if to := c.in[k*len(s.entries)+entry].adj.buf; to != nil {
				to[0] += s.adj[entry*s.Rows+t]
			}
		}
	}
}

// give adds adjoints of rows to the constants and factors that they are made of.
func (s *stepState) give(in []operand, y []float64) {
	n, low := s.steps(), s.low()
	for entry := range s.entries {
		from, to := s.adj[entry*s.Rows+low:][:n], in[entry].adj.buf
		switch {
		case len(to) == 1:
			to[0] += vector.Sum(n, from)
		case to != nil:
			vector.Accumulate(n, to, from)
		}
	}
	for k, m := range s.terms {
		from, by := s.adj[m.entry*s.Rows+low:][:n], y[m.lag.entry*s.Rows+low+m.offset:]
		switch to := in[len(s.entries)+k].adj.buf; {
		case len(to) == 1:
			to[0] += vector.Dot(n, from, by)
		case to != nil:
			vector.MulAdd(n, to, from, by)
		}
	}
}
