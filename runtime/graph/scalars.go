package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/ode"
)

// instructions are the operations that compute each element from the same element of their inputs.
var instructions = map[*op]ode.Op{
	opAdd: ode.Add, opSub: ode.Sub, opMul: ode.Mul, opDiv: ode.Div, opNeg: ode.Neg, opPow: ode.Pow,
	opEq: ode.Eq, opNe: ode.Ne, opLt: ode.Lt, opLe: ode.Le, opGt: ode.Gt, opGe: ode.Ge,
	opAnd: ode.And, opOr: ode.Or, opNot: ode.Not, opWhere: ode.Where,
}

// scalars writes the values of a graph of few numbers, without superinstructions, to a tape, element by
// element, given those of its inputs. It returns the registers of its outputs.
func (g *Graph) scalars(t *ode.Tape, inputs [][]ode.Register) ([][]ode.Register, error) {
	registers := make([][]ode.Register, len(g.nodes))
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
		var in [][]ode.Register
		for _, p := range n.in {
			in = append(in, registers[p])
		}
		var err error
		if registers[id], err = g.elements(t, n, in); err != nil {
			return nil, err
		}
	}
	var out [][]ode.Register
	for _, id := range g.outputIDs {
		out = append(out, registers[id])
	}
	return out, nil
}

// elements writes the elements of one node.
func (g *Graph) elements(t *ode.Tape, n *node, in [][]ode.Register) ([]ode.Register, error) {
	op, is := instructions[n.op]
	affineIn := make([]degree, len(in))
	for k := range affineIn {
		affineIn[k] = affine
	}
	switch {
	case is || n.op == opFunc || (n.op == opMax || n.op == opMin) && len(in) == 2:
		out := make([]ode.Register, n.shape.Len())
		for i := range out {
			out[i] = n.element(t, op, g.row(n, in, i))
		}
		return out, nil
	case n.op == opMatMul:
		return products(t, n, in[0], in[1]), nil
	case n.op == opDot:
		return []ode.Register{innerProduct(t, in[0], in[1])}, nil
	case n.op == opRowDot:
		out, rows := make([]ode.Register, n.shape.Len()), n.shape.Len()
		for i := range out {
			var a, b []ode.Register
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
func (g *Graph) row(n *node, in [][]ode.Register, i int) []ode.Register {
	out := make([]ode.Register, len(in))
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
func (n *node) element(t *ode.Tape, op ode.Op, in []ode.Register) ode.Register {
	beyond := ode.Gt
	switch n.op {
	case opFunc:
		return t.Func(n.fn, in[0])
	case opMin:
		beyond = ode.Lt
	case opMax:
	default:
		return t.Apply(op, in...)
	}
	second := t.Apply(ode.Or, t.Apply(beyond, in[1], in[0]), t.Apply(ode.Ne, in[1], in[1])) // or NaN
	return t.Apply(ode.Where, second, in[1], in[0])
}

func innerProduct(t *ode.Tape, a, b []ode.Register) ode.Register {
	if len(a) == 0 {
		return t.Const(0)
	}
	sum := t.Apply(ode.Mul, a[0], b[0])
	for k := 1; k < len(a); k++ {
		sum = t.Apply(ode.Add, sum, t.Apply(ode.Mul, a[k], b[k]))
	}
	return sum
}

// products writes the elements of a matrix product.
func products(t *ode.Tape, n *node, a, b []ode.Register) []ode.Register {
	rows, out := n.shape[0], make([]ode.Register, n.shape.Len())
	inner := len(b) / max(1, n.width)
	for i := range out {
		left := make([]ode.Register, inner)
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
func (g *Graph) linearly(t *ode.Tape, n *node, in [][]ode.Register) []ode.Register {
	b, unit := New(""), *n
	unit.in = nil
	for _, id := range n.in {
		unit.in = append(unit.in, b.Const("", g.nodes[id].shape, make([]float64, g.nodes[id].shape.Len())))
	}
	out := make([]ode.Register, n.shape.Len())
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
					term = t.Apply(ode.Mul, t.Const(coefficient), s)
				}
				if out[i] == zero {
					out[i] = term
				} else {
					out[i] = t.Apply(ode.Add, out[i], term)
				}
			}
		}
	}
	return out
}
