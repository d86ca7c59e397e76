package tape

import (
	"math"
	"slices"
)

// A Program computes results of a Tape for one row after another, from inputs that change from row to row.
type Program struct {
	start []float64 // of the registers, before the first row
	code  Instructions
	// The registers where what it reads stands, apart from the inputs that change, these, and the results.
	Reads, Inputs, Results []Register
	// Held marks inputs in whose place a row computes what they are in the next one.
	Held []bool
	// last is where the number stands that the last instruction of the row before has computed, if the first
	// reads it; else None.
	last Register
}

// Within lists the instructions behind some registers that depend on marked ones, and the other registers
// that these read or that are results themselves, constants left out.
func (t *Tape) Within(results []Register, depends []bool) (code Instructions, reads []Register) {
	seen := make([]bool, len(t.start))
	for _, r := range results {
		seen[r] = true
	}
	for k := len(t.code) - 1; k >= 0; k-- {
		if i := t.code[k]; seen[i.To] && depends[i.To] {
			code = append(code, i)
			for _, r := range i.Operands() {
				seen[r] = true
			}
		}
	}
	slices.Reverse(code)
	for r, is := range seen {
		if is && !depends[r] && !t.fixed[r] {
			reads = append(reads, Register(r))
		}
	}
	return code, reads
}

// Behind lists the instructions behind some registers, given others.
func (t *Tape) Behind(results, given []Register) (code Instructions) {
	depends := make([]bool, len(t.start))
	for k := range depends {
		depends[k] = true
	}
	for _, r := range given {
		depends[r] = false
	}
	code, _ = t.Within(results, depends)
	return code
}

// Program returns the program of instructions, what they read and their results, given the inputs that
// change. next[k] is the position in results of what input k is in the next row, -1 where it is something
// else.
func (t *Tape) Program(code Instructions, reads, results, inputs []Register, next []int) *Program {
	code = fused(code, results)
	p := &Program{}
	place := map[Register]Register{}
	at := func(r Register) Register {
		if r == None {
			return None
		}
		if _, known := place[r]; !known {
			place[r] = Register(len(p.start))
			p.start = append(p.start, t.start[r])
		}
		return place[r]
	}
	for _, r := range reads {
		p.Reads = append(p.Reads, at(r))
	}
	for _, r := range inputs {
		p.Inputs = append(p.Inputs, at(r))
	}
	p.Held = make([]bool, len(inputs))
	taken := make([]bool, len(results))
	for k, r := range inputs {
		if j := next[k]; j >= 0 && !taken[j] && replaces(code, results, r, results[j]) {
			place[results[j]], p.Held[k], taken[j] = place[r], true, true
		}
	}
	before := None
	for k, r := range inputs {
		if p.Held[k] && results[next[k]] == code[len(code)-1].To {
			before = r
		}
	}
	p.last = at(before)
	for _, i := range code {
		after := i.To
		i.Op, i.A, i.B, i.C = chained(i, before)
		i.A, i.B, i.C, i.To = at(i.A), at(i.B), at(i.C), at(i.To)
		p.code, before = append(p.code, i), after
	}
	for _, r := range results {
		p.Results = append(p.Results, at(r))
	}
	return p
}

// replaces reports whether a result may be computed in the place of an input: nothing reads the input after
// it, and it is no other result.
func replaces(code Instructions, results []Register, input, result Register) bool {
	made := slices.IndexFunc(code, func(i Instruction) bool { return i.To == result })
	if made < 0 || slices.Contains(results, input) {
		return false
	}
	same := 0
	for _, r := range results {
		if r == result {
			same++
		}
	}
	return same == 1 && !slices.ContainsFunc(code[made+1:], func(i Instruction) bool {
		return slices.Contains(i.Operands(), input)
	})
}

// fused joins products that enter sums alone with these sums.
func fused(code Instructions, results []Register) (out Instructions) {
	const stays = math.MinInt32 // of what anything else reads
	uses, products := map[Register]int{}, map[Register]Instruction{}
	for _, r := range results {
		uses[r] = stays
	}
	for _, i := range code {
		for _, r := range i.Operands() {
			uses[r]++
			if i.Op != Add && i.Op != Sub {
				uses[r] = stays
			}
		}
		if i.Op == Mul {
			products[i.To] = i
		}
	}
	second := map[Op]Op{Add: mulAdd, Sub: negMulAdd} // where the second operand is a product
	first := map[Op]Op{Add: mulAdd, Sub: mulSub}
	for _, i := range code {
		a, isFirst := products[i.A]
		b, isSecond := products[i.B]
		switch sum := i.Op == Add || i.Op == Sub; {
		case sum && isSecond && uses[i.B] > 0:
			uses[i.B]--
			i = Instruction{Op: second[i.Op], A: b.A, B: b.B, C: i.A, To: i.To}
		case sum && isFirst && uses[i.A] > 0:
			uses[i.A]--
			i = Instruction{Op: first[i.Op], A: a.A, B: a.B, C: i.B, To: i.To}
		}
		out = append(out, i)
	}
	return slices.DeleteFunc(out, func(i Instruction) bool {
		_, is := products[i.To]
		return is && uses[i.To] == 0
	})
}
