package graph

import (
	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
)

// A stepper is a recursion of some entries of another one, which a lifter has taken apart: affine, or a
// program.
type stepper struct {
	*Recursion
	entries []int
	lags    []lag
	terms   []stepTerm // the derivatives of a step in earlier rows that are not 0 everywhere
	program *tape.Program
}

// A lag is an entry of an earlier row, so many rows away.
type lag struct{ entry, offset int }

// A stepTerm is the derivative of an entry in a lag.
type stepTerm struct {
	entry int
	lag
}

// opSteps is the value of a recursion that has been taken apart. It passes no adjoint on: opRecurrence does.
var opSteps = &op{
	name: "steps", doc: "rows that follow from those before them, one by one", least: 1,
	forward: func(c *call) {
		s, y := c.steps, c.out.val.buf
		for k, t := range s.Start {
			for entry := range s.entries {
				y[entry*s.Rows+t] = c.in[k*len(s.entries)+entry].val.buf[0]
			}
		}
		if in := c.in[len(s.Start)*len(s.entries):]; s.program == nil {
			s.combine(in, y)
		} else {
			s.compute(in, y)
		}
	},
}

// opRecurrence is the value of opSteps as a function of its first rows and of what its steps compute, given
// the rows before; both follow these as inputs. Behind them are the derivatives of steps in those rows. The
// adjoint of a row is what a later one gives by these, and that of a step is that of its row.
var opRecurrence = &op{
	name: "recur", doc: "rows that follow from those before them", least: 1,
	forward: func(c *call) { copy(c.out.val.buf, c.in[0].val.buf) },
	vjp:     func(c *call) { c.steps.reverse(c) },
	flat:    func(k int) bool { return k == 0 },
}

// A stepState is the memory of a stepper in one Exec.
type stepState struct {
	*stepper
	memory      tape.Memory
	rows        []reading // what is read for each row
	adj         []float64 // of all rows
	forth, back scan
}

// A reading is a column of numbers for the rows, and the register for them.
type reading struct {
	of []float64
	to tape.Register
}

func newStepState(s *stepper) *stepState {
	e := &stepState{stepper: s, adj: make([]float64, s.Rows*len(s.entries)), forth: s.scan(false),
		back: s.scan(true)}
	if p := s.program; p != nil {
		e.memory, e.rows = p.Start, make([]reading, 0, len(p.Reads)+len(p.Inputs))
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
	low, n, v, p := s.low(), s.steps(), &s.memory, s.program
	s.rows = s.rows[:0]
	for k, r := range p.At {
		s.read(in[k].val.buf, r)
	}
	for k, r := range p.Inputs {
		of := y[s.lags[k].entry*s.Rows+low+s.lags[k].offset:][:n]
		if p.Held[k] {
			v[r] = of[s.at(0)-low]
		} else {
			s.rows = append(s.rows, reading{of, r})
		}
	}
	at, by := s.at(0)-low, s.forth.by
	for range n {
		for _, r := range s.rows {
			v[r.to] = r.of[at]
		}
		p.Run(v)
		for entry, r := range p.Results {
			y[entry*s.Rows+low+at] = v[r]
		}
		at += by
	}
}

// read has a register read a number for each row, or be one for all.
func (s *stepState) read(of []float64, to tape.Register) {
	if len(of) == 1 {
		s.memory[to] = of[0]
	} else {
		s.rows = append(s.rows, reading{of, to})
	}
}

// reverse carries the adjoints of rows back to those that they follow from, and to the steps.
func (s *stepState) reverse(c *call) {
	copy(s.adj, c.out.adj.buf)
	entries := len(s.entries)
	first := c.in[1:]
	steps := first[len(s.Start)*entries:]
	s.back.bind(s.adj, s.Rows, steps[entries:])
	s.back.run()
	for entry := range entries {
		from, to := s.adj[entry*s.Rows+s.low():][:s.steps()], steps[entry].adj.buf
		switch {
		case len(to) == 1:
			to[0] += vector.Sum(len(from), from)
		case to != nil:
			vector.Accumulate(len(from), to, from)
		}
		for k, t := range s.Start {
			if to := first[k*entries+entry].adj.buf; to != nil {
				to[0] += s.adj[entry*s.Rows+t]
			}
		}
	}
}
