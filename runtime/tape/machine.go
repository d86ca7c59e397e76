package tape

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// The instructions that a Program has beside those of a Tape. Those that end in After take the number that
// the instruction before has computed, which need not come from memory then, as the first operand; those that
// end in Under as the second, and in Onto as the last.
const (
	mulAdd    Op = iota + PowLog + 1 // a·b + c, rounded once
	mulSub                           // a·b - c
	negMulAdd                        // c - a·b
	exponent
	addAfter
	subAfter
	subUnder
	mulAfter
	divAfter
	divUnder
	mulAddAfter
	mulAddOnto
	mulSubAfter
	negMulAddAfter
	negMulAddOnto
	exponentAfter
)

// chained is an instruction in the form for which it comes after the one that computes a register.
func chained(i Instruction, before Register) (op Op, a, b, c Register) {
	if i.Op == Function && i.Func.Vector == def.ExpLoop {
		i.Op = exponent
	}
	type forms struct{ first, second, last Op }
	form, ok := map[Op]forms{
		Add: {first: addAfter}, Sub: {subAfter, subUnder, 0}, Mul: {first: mulAfter},
		Div:    {divAfter, divUnder, 0},
		mulAdd: {mulAddAfter, 0, mulAddOnto}, mulSub: {first: mulSubAfter},
		negMulAdd: {negMulAddAfter, 0, negMulAddOnto}, exponent: {first: exponentAfter},
	}[i.Op]
	if !ok || before == None {
		return i.Op, i.A, i.B, i.C
	}
	if i.B == before && form.second == 0 { // the operands may be exchanged
		i.A, i.B = i.B, i.A
	}
	switch {
	case i.A == before && i.B != before && i.C != before:
		return form.first, i.A, i.B, i.C
	case i.B == before && i.A != before && form.second != 0:
		return form.second, i.A, i.B, i.C
	case i.C == before && i.A != before && i.B != before && form.last != 0:
		return form.last, i.A, i.B, i.C
	}
	return i.Op, i.A, i.B, i.C
}

// A Machine has the memory of a Program. It is not safe for concurrent use.
type Machine struct {
	*Program
	memory []float64
	words  []word
	reads  []column
	writes []column
}

// A word is an instruction with its operands.
type word struct {
	a, b, c, to *float64
	op          Op
}

// A column has the number of a register for each row.
type column struct {
	of []float64
	at *float64
}

// NewMachine returns the memory of a program.
func (p *Program) NewMachine() *Machine {
	m := &Machine{Program: p, memory: append([]float64(nil), p.start...)}
	at := func(r Register) *float64 { return &m.memory[max(r, 0)] }
	for _, i := range p.code {
		m.words = append(m.words, word{at(i.A), at(i.B), at(i.C), at(i.To), i.Op})
	}
	m.reads = make([]column, 0, len(p.Reads)+len(p.Inputs))
	m.writes = make([]column, 0, len(p.Results))
	return m
}

// Clear makes no register read or written.
func (m *Machine) Clear() { m.reads, m.writes = m.reads[:0], m.writes[:0] }

// Set sets a register.
func (m *Machine) Set(r Register, v float64) { m.memory[r] = v }

// Read has a register take a number for each row.
func (m *Machine) Read(r Register, of []float64) { m.reads = append(m.reads, column{of, &m.memory[r]}) }

// Write has the number of a register for each row be stored.
func (m *Machine) Write(r Register, to []float64) {
	m.writes = append(m.writes, column{to, &m.memory[r]})
}

// take has the registers that are read take the numbers of a row.
func (m *Machine) take(row int) {
	for k := range m.reads {
		*m.reads[k].at = m.reads[k].of[row]
	}
}

// give stores the numbers of a row that are written.
func (m *Machine) give(row int) {
	for k := range m.writes {
		m.writes[k].of[row] = *m.writes[k].at
	}
}

// Run computes so many rows, from one on in steps of by.
func (m *Machine) Run(row, by, rows int) {
	y, words := m.memory[max(m.last, 0)], m.words
	for range rows {
		m.take(row)
		for k := range words {
			w := &words[k]
			switch w.op {
			case Add:
				y = *w.a + *w.b
			case Sub:
				y = *w.a - *w.b
			case Mul:
				y = *w.a * *w.b
			case Div:
				y = *w.a / *w.b
			case Neg:
				y = -*w.a
			case mulAdd:
				y = math.FMA(*w.a, *w.b, *w.c)
			case mulSub:
				y = math.FMA(*w.a, *w.b, -*w.c)
			case negMulAdd:
				y = math.FMA(-*w.a, *w.b, *w.c)
			case exponent:
				y = portable.Exp(*w.a)
			case addAfter:
				y += *w.b
			case subAfter:
				y -= *w.b
			case subUnder:
				y = *w.a - y
			case mulAfter:
				y *= *w.b
			case divAfter:
				y /= *w.b
			case divUnder:
				y = *w.a / y
			case mulAddAfter:
				y = math.FMA(y, *w.b, *w.c)
			case mulAddOnto:
				y = math.FMA(*w.a, *w.b, y)
			case mulSubAfter:
				y = math.FMA(y, *w.b, -*w.c)
			case negMulAddAfter:
				y = math.FMA(-y, *w.b, *w.c)
			case negMulAddOnto:
				y = math.FMA(-*w.a, *w.b, y)
			case exponentAfter:
				y = portable.Exp(y)
			default:
				m.code[k].rare(m.memory)
				y = *w.to
			}
			*w.to = y
		}
		m.give(row)
		row += by
	}
}
