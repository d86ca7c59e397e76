// Package tape has lists of instructions on numbers, with their derivatives: what a differential equation, or
// a step of a recursion, computes, derived once and run without allocating. A [Solver] solves ordinary
// differential equations by them with error control, together with the derivatives of their solutions in
// initial values and arguments.
package tape

import (
	"cmp"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A Register is a number that a Tape computes, reads or holds.
type Register int32

// None is the Register of a derivative that is 0 everywhere, and of an operand that there is not.
const None Register = -1

// An Op is an instruction on numbers.
type Op uint8

// The instructions. Comparisons and those on truth give 1 or 0; a number that is not 0 is true.
const (
	Add Op = iota
	Sub
	Mul
	Div
	Neg
	Pow
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
	Not
	Where    // b where a is true, else c
	Function // f(a)
	Slope    // f'(a), where b is f(a) and c is 1
	PowSlope // ∂a^b/∂a
	PowLog   // ∂a^b/∂b, where c is a^b
)

// An Instruction computes the number To.
type Instruction struct {
	Op      Op
	A, B, C Register // None where it takes fewer
	Func    *def.Func
	To      Register
}

// Instructions is a list of instructions, in an order in which they can run.
type Instructions []Instruction

// A Tape is a program on numbers, each computed once: what stands twice is one. Its first numbers are inputs.
type Tape struct {
	start  []float64 // of each register: the value of a constant
	fixed  []bool    // the registers of constants
	code   Instructions
	shared map[Instruction]Register
	consts map[uint64]Register // by their bits
}

// New returns a Tape of so many inputs, the registers from 0 on.
func New(inputs int) *Tape {
	return &Tape{start: make([]float64, inputs), fixed: make([]bool, inputs),
		shared: map[Instruction]Register{}, consts: map[uint64]Register{}}
}

func (t *Tape) register(v float64, fixed bool) Register {
	t.start, t.fixed = append(t.start, v), append(t.fixed, fixed)
	return Register(len(t.start) - 1)
}

// Const returns the register of a constant.
func (t *Tape) Const(v float64) Register {
	at, ok := t.consts[math.Float64bits(v)]
	if !ok {
		at = t.register(v, true)
		t.consts[math.Float64bits(v)] = at
	}
	return at
}

// Apply adds an instruction on the registers that it takes: one for Neg and Not, three for Where, else two.
func (t *Tape) Apply(op Op, in ...Register) Register {
	i := Instruction{Op: op, A: in[0], B: None, C: None}
	if len(in) > 1 {
		i.B = in[1]
	}
	if len(in) > 2 {
		i.C = in[2]
	}
	return t.add(i)
}

// Func adds an elementwise function.
func (t *Tape) Func(f *def.Func, a Register) Register {
	return t.add(Instruction{Op: Function, A: a, B: None, C: None, Func: f})
}

// Registers is what the registers hold before the first instruction: constants, and 0 elsewhere.
func (t *Tape) Registers() []float64 { return slices.Clone(t.start) }

// Code is all instructions of the tape.
func (t *Tape) Code() Instructions { return t.code }

// Value is the value of a constant.
func (t *Tape) Value(r Register) (float64, bool) { return t.start[r], t.fixed[r] }

// At is the instruction that computes a register; nil for inputs and constants.
func (t *Tape) At(r Register) *Instruction {
	k, ok := slices.BinarySearchFunc(t.code, r, func(i Instruction, r Register) int {
		return cmp.Compare(i.To, r)
	})
	if !ok {
		return nil
	}
	return &t.code[k]
}

// Operands are the registers that an instruction reads.
func (i *Instruction) Operands() []Register {
	all := []Register{i.A, i.B, i.C}
	return slices.DeleteFunc(all, func(r Register) bool { return r == None })
}

// Dependent marks the registers that depend on inputs which are marked.
func (t *Tape) Dependent(inputs []bool) []bool {
	on := append(slices.Clone(inputs), make([]bool, len(t.start)-len(inputs))...)
	for k := range t.code {
		for _, r := range t.code[k].Operands() {
			on[t.code[k].To] = on[t.code[k].To] || on[r]
		}
	}
	return on
}

func (t *Tape) add(i Instruction) Register {
	at, ok := t.shared[i]
	if !ok {
		key := i
		i.To = t.register(0, false)
		t.code = append(t.code, i)
		at, t.shared[key] = i.To, i.To
	}
	return at
}

// times is a product of derivatives.
func (t *Tape) times(a, b Register) Register {
	switch t.Const(1) {
	case a:
		return b
	case b:
		return a
	}
	return t.Apply(Mul, a, b)
}

// Derive returns the registers of the derivatives of a register in the first so many, by reverse mode.
func (t *Tape) Derive(y Register, inputs int) []Register {
	return t.Pull(t.code, []Register{y}, []Register{t.Const(1)})[:inputs]
}

// Pull returns the registers of the derivatives of Σ seeds·results in each register, by reverse mode through
// some instructions. What others compute counts as given.
func (t *Tape) Pull(code Instructions, results, seeds []Register) []Register {
	d := make([]Register, len(t.start))
	for i := range d {
		d[i] = None
	}
	give := func(to Register, op Op, v Register) {
		switch {
		case t.fixed[to]:
		case d[to] != None:
			d[to] = t.Apply(op, d[to], v)
		case op == Sub:
			d[to] = t.Apply(Neg, v)
		default:
			d[to] = v
		}
	}
	for k, y := range results {
		give(y, Add, seeds[k])
	}
	for k := len(code) - 1; k >= 0; k-- {
		if i := code[k]; d[i.To] != None {
			t.back(&i, d[i.To], give)
		}
	}
	return d
}

// back gives the derivative v of an instruction to its operands.
func (t *Tape) back(i *Instruction, v Register, give func(to Register, op Op, v Register)) {
	switch i.Op {
	case Add, Sub:
		give(i.A, Add, v)
		give(i.B, i.Op, v)
	case Mul:
		give(i.A, Add, t.times(v, i.B))
		give(i.B, Add, t.times(v, i.A))
	case Div:
		q := t.Apply(Div, v, i.B)
		give(i.A, Add, q)
		give(i.B, Sub, t.times(q, i.To))
	case Neg:
		give(i.A, Sub, v)
	case Pow:
		give(i.A, Add, t.times(v, t.Apply(PowSlope, i.A, i.B)))
		give(i.B, Add, t.times(v, t.Apply(PowLog, i.A, i.B, i.To)))
	case Where:
		zero := t.Const(0)
		give(i.B, Add, t.Apply(Where, i.A, v, zero))
		give(i.C, Add, t.Apply(Where, i.A, zero, v))
	case Function:
		if i.Func.Vector == def.ExpLoop {
			give(i.A, Add, t.times(v, i.To))
			return
		}
		slope := t.add(Instruction{Op: Slope, A: i.A, B: i.To, C: t.Const(1), Func: i.Func})
		give(i.A, Add, t.times(v, slope))
	}
}

// Keep leaves out the instructions that none of the registers needs.
func (t *Tape) Keep(registers []Register) {
	need := make([]bool, len(t.start))
	for _, s := range registers {
		need[s] = true
	}
	var code Instructions
	for k := len(t.code) - 1; k >= 0; k-- {
		i := t.code[k]
		if !need[i.To] {
			continue
		}
		code = append(code, i)
		for _, s := range i.Operands() {
			need[s] = true
		}
	}
	t.code = code[:0:0]
	for k := len(code) - 1; k >= 0; k-- {
		t.code = append(t.code, code[k])
	}
}

// Run computes instructions on the registers v.
func (c Instructions) Run(v []float64) {
	for k := range c {
		i := &c[k]
		switch i.Op {
		case Add:
			v[i.To] = v[i.A] + v[i.B]
		case Sub:
			v[i.To] = v[i.A] - v[i.B]
		case Mul:
			v[i.To] = v[i.A] * v[i.B]
		case Div:
			v[i.To] = v[i.A] / v[i.B]
		case Neg:
			v[i.To] = -v[i.A]
		default:
			i.rare(v)
		}
	}
}

// rare computes an instruction that takes longer than a call.
func (i *Instruction) rare(v []float64) {
	switch i.Op {
	case Pow:
		v[i.To] = portable.Pow(v[i.A], v[i.B])
	case PowSlope:
		v[i.To] = portable.PowSlope(v[i.A], v[i.B])
	case PowLog:
		v[i.To] = portable.PowLog(v[i.A], v[i.C])
	case Function:
		i.Func.Forward(v[i.To:i.To+1], v[i.A:i.A+1])
	case Slope:
		v[i.To] = 0
		i.Func.Backward(v[i.To:i.To+1], v[i.C:i.C+1], v[i.A:i.A+1], v[i.B:i.B+1])
	case Where:
		v[i.To] = v[i.C]
		if v[i.A] != 0 {
			v[i.To] = v[i.B]
		}
	default:
		v[i.To] = 0
		if i.holds(v) {
			v[i.To] = 1
		}
	}
}

// holds computes an instruction that gives a truth.
func (i *Instruction) holds(v []float64) bool {
	a := v[i.A]
	if i.Op == Not {
		return a == 0
	}
	switch b := v[i.B]; i.Op {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Gt:
		return a > b
	case Ge:
		return a >= b
	case And:
		return a != 0 && b != 0
	case Or:
		return a != 0 || b != 0
	}
	panic("tape: no such instruction")
}
