package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/tape"
)

// instructions are the operations that compute each element from the same element of their inputs.
var instructions = map[*op]tape.Op{
	opAdd: tape.Add, opSub: tape.Sub, opMul: tape.Mul, opDiv: tape.Div, opNeg: tape.Neg, opPow: tape.Pow,
	opEq: tape.Eq, opNe: tape.Ne, opLt: tape.Lt, opLe: tape.Le, opGt: tape.Gt, opGe: tape.Ge,
	opAnd: tape.And, opOr: tape.Or, opNot: tape.Not, opWhere: tape.Where,
}

// scalars writes the values of a graph of few numbers, without superinstructions, to a tape, element by
// element, given those of its inputs. It returns the registers of its outputs.
func (g *Graph) scalars(t *tape.Tape, inputs [][]tape.Register) ([][]tape.Register, error) {
	registers := make([][]tape.Register, len(g.nodes))
	for k, id := range g.inputIDs {
		registers[id] = inputs[k]
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.kind == constant {
			for _, v := range n.values {
				registers[id] = append(registers[id], t.Const(v))
			}
		}
		if n.leaf() {
			continue
		}
		var in [][]tape.Register
		for _, p := range n.in {
			in = append(in, registers[p])
		}
		var err error
		if registers[id], err = g.elements(t, n, in); err != nil {
			return nil, err
		}
	}
	var out [][]tape.Register
	for _, id := range g.outputIDs {
		out = append(out, registers[id])
	}
	return out, nil
}

// elements writes the elements of one node.
func (g *Graph) elements(t *tape.Tape, n *node, in [][]tape.Register) ([]tape.Register, error) {
	op, is := instructions[n.op]
	affineIn := make([]degree, len(in))
	for k := range affineIn {
		affineIn[k] = affine
	}
	switch {
	case is || n.op == opFunc || (n.op == opMax || n.op == opMin) && len(in) == 2:
		out := make([]tape.Register, n.shape.Len())
		for i := range out {
			out[i] = n.element(t, op, g.row(n, in, i))
		}
		return out, nil
	case n.op == opMatMul:
		return products(t, n, in[0], in[1]), nil
	case n.op == opDot:
		return []tape.Register{innerProduct(t, in[0], in[1])}, nil
	case n.op == opRowDot:
		out, rows := make([]tape.Register, n.shape.Len()), n.shape.Len()
		for i := range out {
			var a, b []tape.Register
			for j := range n.width {
				pair := g.row(n, in, j*rows+i)
				a, b = append(a, pair[0]), append(b, pair[1])
			}
			out[i] = innerProduct(t, a, b)
		}
		return out, nil
	case n.op.degree != nil && n.op.degree(affineIn) == affine:
		return g.linearly(t, n, in), nil
	}
	return nil, fmt.Errorf("%s is not computed element by element", n.label())
}

// row lists what element i of a node takes of its inputs, by its links.
func (g *Graph) row(n *node, in [][]tape.Register, i int) []tape.Register {
	out := make([]tape.Register, len(in))
	for k := range in {
		o := operand{link: n.links[k]}
		at := o.at(i / n.frame)
		if o.rows {
			at = at*n.frame + i%n.frame
		}
		out[k] = in[k][at]
	}
	return out
}

// element writes an element of a node that is computed element by element.
func (n *node) element(t *tape.Tape, op tape.Op, in []tape.Register) tape.Register {
	beyond := tape.Gt
	switch n.op {
	case opFunc:
		return t.Func(n.fn, in[0])
	case opMin:
		beyond = tape.Lt
	case opMax:
	default:
		return t.Apply(op, in...)
	}
	second := t.Apply(tape.Or, t.Apply(beyond, in[1], in[0]), t.Apply(tape.Ne, in[1], in[1])) // or NaN
	return t.Apply(tape.Where, second, in[1], in[0])
}

func innerProduct(t *tape.Tape, a, b []tape.Register) tape.Register {
	if len(a) == 0 {
		return t.Const(0)
	}
	sum := t.Apply(tape.Mul, a[0], b[0])
	for k := 1; k < len(a); k++ {
		sum = t.Apply(tape.Add, sum, t.Apply(tape.Mul, a[k], b[k]))
	}
	return sum
}

// products writes the elements of a matrix product.
func products(t *tape.Tape, n *node, a, b []tape.Register) []tape.Register {
	rows, out := n.shape[0], make([]tape.Register, n.shape.Len())
	inner := len(b) / max(1, n.width)
	for i := range out {
		left := make([]tape.Register, inner)
		for k := range left {
			left[k] = a[k*rows+i%rows]
		}
		out[i] = innerProduct(t, left, b[i/rows*inner:][:inner])
	}
	return out
}

// linearly writes the elements of an operation that is linear in all its inputs together, as the choice, the
// order and the sums of elements are: its coefficients are its values where one element is 1 and all others
// are 0.
func (g *Graph) linearly(t *tape.Tape, n *node, in [][]tape.Register) []tape.Register {
	b, unit := New(""), *n
	unit.in = nil
	for _, id := range n.in {
		unit.in = append(unit.in, b.Const("", g.nodes[id].shape, make([]float64, g.nodes[id].shape.Len())))
	}
	out := make([]tape.Register, n.shape.Len())
	zero := t.Const(0)
	for i := range out {
		out[i] = zero
	}
	for k, registers := range in {
		v := b.nodes[unit.in[k]].values
		for e, s := range registers {
			v[e] = 1
			y, _ := b.evaluate(&unit)
			v[e] = 0
			for i, coefficient := range y {
				term := s
				switch coefficient {
				case 0:
					continue
				case 1:
				default:
					term = t.Apply(tape.Mul, t.Const(coefficient), s)
				}
				if out[i] == zero {
					out[i] = term
				} else {
					out[i] = t.Apply(tape.Add, out[i], term)
				}
			}
		}
	}
	return out
}
