// Package ode solves ordinary differential equations with error control, together with the derivatives of
// their solutions in initial values and arguments. The equations are a list of instructions on numbers, which
// is derived once and evaluated without allocating.
package ode

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A Register is a number that a Tape computes, reads or holds.
type Register int32

// none is the Register of a derivative that is 0 everywhere.
const none Register = -1

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
	function // f(a)
	slope    // f'(a), where b is f(a) and c is 1
	powSlope // ∂a^b/∂a
	powLog   // ∂a^b/∂b, where c is a^b
)

type instruction struct {
	op      Op
	a, b, c Register
	f       *def.Func
	to      Register
}

// A Tape is a program on numbers, each computed once: what stands twice is one. Its first numbers are inputs.
type Tape struct {
	start  []float64 // of each register: the value of a constant
	fixed  []bool    // the registers of constants
	code   []instruction
	shared map[instruction]Register
	consts map[uint64]Register // by their bits
}

// NewTape returns a Tape of so many inputs, the registers from 0 on.
func NewTape(inputs int) *Tape {
	return &Tape{start: make([]float64, inputs), fixed: make([]bool, inputs),
		shared: map[instruction]Register{}, consts: map[uint64]Register{}}
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
	i := instruction{op: op, a: in[0], b: none, c: none}
	if len(in) > 1 {
		i.b = in[1]
	}
	if len(in) > 2 {
		i.c = in[2]
	}
	return t.add(i)
}

// Func adds an elementwise function.
func (t *Tape) Func(f *def.Func, a Register) Register {
	return t.add(instruction{op: function, a: a, b: none, c: none, f: f})
}

func (t *Tape) add(i instruction) Register {
	at, ok := t.shared[i]
	if !ok {
		key := i
		i.to = t.register(0, false)
		t.code = append(t.code, i)
		at, t.shared[key] = i.to, i.to
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

// derive returns the registers of the derivatives of a register in the first so many, by reverse mode.
func (t *Tape) derive(y Register, inputs int) []Register {
	d := make([]Register, len(t.start))
	for i := range d {
		d[i] = none
	}
	d[y] = t.Const(1)
	give := func(to Register, op Op, v Register) {
		switch {
		case t.fixed[to]:
		case d[to] != none:
			d[to] = t.Apply(op, d[to], v)
		case op == Sub:
			d[to] = t.Apply(Neg, v)
		default:
			d[to] = v
		}
	}
	for k := len(t.code) - 1; k >= 0; k-- { // what is added meanwhile has no part in y
		if i := t.code[k]; int(i.to) < len(d) && d[i.to] != none {
			t.back(&i, d[i.to], give)
		}
	}
	return d[:inputs]
}

// back gives the derivative v of an instruction to its operands.
func (t *Tape) back(i *instruction, v Register, give func(to Register, op Op, v Register)) {
	switch i.op {
	case Add, Sub:
		give(i.a, Add, v)
		give(i.b, i.op, v)
	case Mul:
		give(i.a, Add, t.times(v, i.b))
		give(i.b, Add, t.times(v, i.a))
	case Div:
		q := t.Apply(Div, v, i.b)
		give(i.a, Add, q)
		give(i.b, Sub, t.times(q, i.to))
	case Neg:
		give(i.a, Sub, v)
	case Pow:
		give(i.a, Add, t.times(v, t.Apply(powSlope, i.a, i.b)))
		give(i.b, Add, t.times(v, t.Apply(powLog, i.a, i.b, i.to)))
	case Where:
		zero := t.Const(0)
		give(i.b, Add, t.Apply(Where, i.a, v, zero))
		give(i.c, Add, t.Apply(Where, i.a, zero, v))
	case function:
		give(i.a, Add, t.times(v, t.add(instruction{op: slope, a: i.a, b: i.to, c: t.Const(1), f: i.f})))
	}
}

// keep leaves out the instructions that none of the registers needs.
func (t *Tape) keep(registers []Register) {
	need := make([]bool, len(t.start))
	for _, s := range registers {
		need[s] = true
	}
	var code []instruction
	for k := len(t.code) - 1; k >= 0; k-- {
		i := t.code[k]
		if !need[i.to] {
			continue
		}
		code = append(code, i)
		for _, s := range []Register{i.a, i.b, i.c} {
			if s != none {
				need[s] = true
			}
		}
	}
	t.code = code[:0:0]
	for k := len(code) - 1; k >= 0; k-- {
		t.code = append(t.code, code[k])
	}
}

// run computes instructions on the registers v.
func run(code []instruction, v []float64) {
	for k := range code {
		i := &code[k]
		switch i.op {
		case Add:
			v[i.to] = v[i.a] + v[i.b]
		case Sub:
			v[i.to] = v[i.a] - v[i.b]
		case Mul:
			v[i.to] = v[i.a] * v[i.b]
		case Div:
			v[i.to] = v[i.a] / v[i.b]
		case Neg:
			v[i.to] = -v[i.a]
		default:
			i.rare(v)
		}
	}
}

// rare computes an instruction that takes longer than a call.
func (i *instruction) rare(v []float64) {
	switch i.op {
	case Pow:
		v[i.to] = portable.Pow(v[i.a], v[i.b])
	case powSlope:
		v[i.to] = portable.PowSlope(v[i.a], v[i.b])
	case powLog:
		v[i.to] = portable.PowLog(v[i.a], v[i.c])
	case function:
		i.f.Forward(v[i.to:i.to+1], v[i.a:i.a+1])
	case slope:
		v[i.to] = 0
		i.f.Backward(v[i.to:i.to+1], v[i.c:i.c+1], v[i.a:i.a+1], v[i.b:i.b+1])
	case Where:
		v[i.to] = v[i.c]
		if v[i.a] != 0 {
			v[i.to] = v[i.b]
		}
	default:
		v[i.to] = 0
		if i.holds(v) {
			v[i.to] = 1
		}
	}
}

// holds computes an instruction that gives a truth.
func (i *instruction) holds(v []float64) bool {
	a := v[i.a]
	if i.op == Not {
		return a == 0
	}
	switch b := v[i.b]; i.op {
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
	panic("ode: no such instruction")
}
