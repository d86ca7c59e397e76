package graph

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
)

// A System is an ordinary differential equation, which is solved at times that are data. Its body is a graph
// without parameters, made by a plain Builder, with three outputs: the derivative of the state, the initial
// state and its time. Only the first may read time and state.
type System struct {
	Name  string // as printed
	Body  *Graph // its inputs are the Reads, in order
	State Shape
	Reads []Read // of kind ReadTime, ReadState, ReadWhole, or ReadRow: the row of a group
	// Groups lists the rows of the times of each group, which is solved by itself; nil: one with all rows.
	Groups  [][]int32
	Control tape.Control
}

// Ode adds the solution of a system at times, a row for each, followed by the dimensions of a state. The
// inputs are those that its Reads name. The error says what cannot be solved. NaN stands where there is no
// solution. Derivatives in all inputs that are not constant are computed with the solution.
func (b *Builder) Ode(s *System, times ID, in []ID) (ID, error) {
	for _, id := range append([]ID{times}, in...) {
		b.check(id)
	}
	if s.Groups == nil {
		all := make([]int32, b.nodes[times].shape.Len())
		for i := range all {
			all[i] = int32(i)
		}
		s.Groups = [][]int32{all}
	}
	d := &derivedSystem{System: s}
	if err := d.derive(b, in); err != nil {
		return NoID, err
	}
	n := node{op: opOde, in: append([]ID{times}, in...), system: d}
	rows := b.nodes[times].shape.Len()
	n.whole(Shape{rows * d.equations.States() * (1 + d.equations.Directions())})
	solved := b.intern(n)
	n = node{op: opStates, in: append([]ID{solved}, in...), system: d}
	n.whole(append(Shape{rows}, s.State...))
	return b.intern(n), nil
}

// A derivedSystem is a System whose instructions are known. The arguments of a group are the elements that it
// reads of its inputs.
type derivedSystem struct {
	*System
	equations *tape.Equations
	arguments []argument
	wanted    []int // positions among the arguments
}

// An argument is an element of an input: the first of a column of so many groups where byGroup is set.
type argument struct {
	input, element int
	byGroup        bool
}

// at is the element of the input that an argument is in a group.
func (d *derivedSystem) at(a argument, group int) int {
	if a.byGroup {
		return a.element*len(d.Groups) + group
	}
	return a.element
}

// derive makes the instructions of a system.
func (d *derivedSystem) derive(b *Builder, in []ID) error {
	n, body := d.State.Len(), d.Body
	inputs := make([][]tape.Register, len(d.Reads))
	for k, r := range d.Reads {
		size, first := body.inputs[k].Len, tape.Register(1)
		switch r.Kind {
		case ReadTime:
			first = 0
		case ReadWhole, ReadRow:
			first = tape.Register(1 + n + len(d.arguments))
			for e := range size {
				if !b.Constant(in[r.Input]) {
					d.wanted = append(d.wanted, len(d.arguments))
				}
				d.arguments = append(d.arguments, argument{r.Input, e, r.Kind == ReadRow})
			}
		}
		for e := range size {
			inputs[k] = append(inputs[k], first+tape.Register(e))
		}
	}
	t := tape.New(1 + n + len(d.arguments))
	out, err := body.scalars(t, inputs)
	if err != nil {
		return err
	}
	d.equations = tape.NewEquations(t, out[0], out[1], out[2][0], len(d.arguments), d.wanted)
	return nil
}

// key distinguishes systems that have the same inputs.
func (d *derivedSystem) key() string {
	var s strings.Builder
	fmt.Fprintf(&s, "ode{%s %v %v %v %v\n", d.Name, d.State, d.Reads, d.Groups, d.Control)
	return s.String() + d.Body.String() + "}"
}

// A systemState is the memory of one system in one Exec.
type systemState struct {
	*derivedSystem
	solver    *tape.Solver
	arguments []float64 // of a group
	times     []float64
	failed    tape.Failure // of the last evaluation
}

func newSystemState(d *derivedSystem) *systemState {
	rows := 0
	for _, g := range d.Groups {
		rows = max(rows, len(g))
	}
	return &systemState{derivedSystem: d, solver: d.equations.NewSolver(d.Control),
		arguments: make([]float64, len(d.arguments)), times: make([]float64, rows)}
}

// opOde is the solution of a system and its derivatives, group by group.
var opOde = &op{
	name:  "ode",
	doc:   "the solution of a differential equation at times, with its derivatives in the inputs behind them",
	least: 1,
	forward: func(c *call) {
		s, out := c.system, c.out.val.buf
		s.failed = tape.Solved
		for g, rows := range s.Groups {
			for k, a := range s.derivedSystem.arguments {
				s.arguments[k] = c.in[1+a.input].val.buf[s.at(a, g)]
			}
			times := s.times[:len(rows)]
			for i, row := range rows {
				times[i] = c.in[0].val.buf[row]
			}
			size := len(rows) * s.equations.States() * (1 + s.equations.Directions())
			if f := s.solver.Solve(out[:size], s.arguments, times); f != tape.Solved {
				s.failed = f
			}
			out = out[size:]
		}
	},
}

// opStates is the solution of a system alone, of which the derivatives are in its first input.
var opStates = &op{
	name: "states", doc: "the solution of a differential equation: a row for each time",
	least: 1,
	forward: func(c *call) {
		s, in, y := c.system, c.in[0].val.buf, c.out.val.buf
		for _, rows := range s.Groups {
			for j := range s.equations.States() {
				for i, row := range rows {
					y[j*c.node.shape[0]+int(row)] = in[j*len(rows)+i]
				}
			}
			in = in[len(rows)*s.equations.States()*(1+s.equations.Directions()):]
		}
	},
	vjp: func(c *call) {
		s, in, n := c.system, c.in[0].val.buf, c.system.equations.States()
		for g, rows := range s.Groups {
			size := n * len(rows)
			dy := c.own[:size]
			for j := range n {
				for i, row := range rows {
					dy[j*len(rows)+i] = c.out.adj.buf[j*c.node.shape[0]+int(row)]
				}
			}
			for k, at := range s.wanted {
				a := s.derivedSystem.arguments[at]
				to := c.in[1+a.input].adj.buf
				for j := 0; j < n && to != nil; j++ {
					slope := in[(n+j*len(s.wanted)+k)*len(rows):]
					to[s.at(a, g)] += vector.Dot(len(rows), dy[j*len(rows):], slope)
				}
			}
			in = in[size*(1+s.equations.Directions()):]
		}
	},
	needs: func(int) need { return inputs(0) },
	flat:  func(k int) bool { return k == 0 },
}

// Solves reports whether an evaluation solves differential equations.
func (e *Exec) Solves() bool { return len(e.systems) > 0 }

// Unsolved is a system that had no solution at the last Forward or Target, by its name; ode.Solved if all had
// one.
func (e *Exec) Unsolved() (name string, why tape.Failure) {
	for _, s := range e.systems {
		if s.failed != tape.Solved {
			return s.Name, s.failed
		}
	}
	return "", tape.Solved
}

// solving lists the systems of loops.
func solving(loops []loop) (out []*systemState) {
	for i := range loops {
		for j := range loops[i].calls {
			if c := &loops[i].calls[j]; c.node.op == opOde {
				out = append(out, c.system)
			}
		}
	}
	return out
}
