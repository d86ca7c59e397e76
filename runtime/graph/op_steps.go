package graph

import (
	"slices"

	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
)

// A stepper is a recursion that a lifter has taken apart.
type stepper struct {
	*Recursion
	lags   []lag
	out    []tape.Register
	terms  []stepTerm // the derivatives of a step in earlier rows that are not 0 everywhere
	affine bool       // else:

	registers []float64
	code      tape.Code
	reads     []tape.Register // behind the first rows
	lagged    []tape.Register // of the lags
}

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
			put(y, c.in[k].val.buf, t, s.Rows)
		}
		if s.affine {
			s.combine(c, y)
		} else {
			s.compute(c, y)
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
	v           []float64 // of the registers
	rows        []reading
	adj         []float64 // of all rows
	forth, back scan
}

// A reading is an operand with a number for each row, and the register for it.
type reading struct {
	of []float64
	to tape.Register
}

func newStepState(s *stepper) *stepState {
	return &stepState{stepper: s, v: slices.Clone(s.registers), rows: make([]reading, 0, len(s.reads)),
		adj: make([]float64, s.Rows*s.State.Len()), forth: s.scan(false), back: s.scan(true)}
}

// combine computes the rows of an affine recursion.
func (s *stepState) combine(c *call, y []float64) {
	in := c.in[len(s.Start):]
	for entry := range s.out {
		constants, to := in[entry].val.buf, y[entry*s.Rows+s.low():][:s.steps()]
		if len(constants) == 1 {
			vector.Fill(len(to), to, constants[0])
		} else {
			copy(to, constants)
		}
	}
	s.forth.bind(y, s.Rows, in[len(s.out):])
	s.forth.run()
}

// compute computes the rows of any other.
func (s *stepState) compute(c *call, y []float64) {
	s.rows = s.rows[:0]
	for k, r := range s.reads {
		if in := c.in[len(s.Start)+k].val.buf; len(in) > 1 {
			s.rows = append(s.rows, reading{in, r})
		} else {
			s.v[r] = in[0]
		}
	}
	low := s.low()
	for i := range s.steps() {
		t := s.at(i)
		for _, r := range s.rows {
			s.v[r.to] = r.of[t-low]
		}
		for k, r := range s.lagged {
			s.v[r] = y[s.lags[k].entry*s.Rows+t+s.lags[k].offset]
		}
		s.code.Run(s.v)
		for entry, r := range s.out {
			y[entry*s.Rows+t] = s.v[r]
		}
	}
}

// reverse carries the adjoints of rows back to those that they follow from, and to the steps.
func (s *stepState) reverse(c *call) {
	copy(s.adj, c.out.adj.buf)
	first, entries := 1+len(s.Start), len(s.out)
	s.back.bind(s.adj, s.Rows, c.in[first+entries:])
	s.back.run()
	for entry := range entries {
		from, to := s.adj[entry*s.Rows+s.low():][:s.steps()], c.in[first+entry].adj.buf
		switch {
		case len(to) == 1:
			to[0] += vector.Sum(len(from), from)
		case to != nil:
			vector.Accumulate(len(from), to, from)
		}
	}
	for k, t := range s.Start {
		if to := c.in[1+k].adj.buf; to != nil {
			for entry := range to {
				to[entry] += s.adj[entry*s.Rows+t]
			}
		}
	}
}
