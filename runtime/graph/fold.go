package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// push appends a node.
func (b *Builder) push(n node) ID {
	b.nodes = append(b.nodes, n)
	return ID(len(b.nodes) - 1)
}

// share returns the node of a key, made at its first use.
func (b *Builder) share(key string, fresh func() ID) ID {
	if id, ok := b.shared[key]; ok {
		return id
	}
	id := fresh()
	b.shared[key] = id
	return id
}

// intern adds a node unless an equal one exists, as a constant if all its inputs are.
func (b *Builder) intern(n node) ID {
	return b.share(n.key(), func() ID {
		if b.constants(n.in) {
			y, _ := b.evaluate(&n)
			return b.Const("", n.shape, y)
		}
		b.finish(&n)
		return b.push(n)
	})
}

// key returns a text that two nodes have in common only if they compute the same.
func (n *node) key() string {
	var s strings.Builder
	s.WriteString(n.label())
	if n.recursion != nil {
		s.WriteString(n.recursion.key())
	}
	if n.steps != nil {
		fmt.Fprint(&s, n.steps.entries, n.steps.lanes)
	}
	if n.system != nil {
		s.WriteString(n.system.key())
	}
	for _, id := range n.in {
		fmt.Fprintf(&s, " %d", id)
	}
	return s.String()
}

// finish derives the degree of a node from its inputs, after infer.
func (b *Builder) finish(n *node) {
	degrees := make([]degree, len(n.in))
	for k, id := range n.in {
		degrees[k] = b.nodes[id].degree
	}
	n.degree = n.op.combine(degrees)
}

func (b *Builder) constants(in []ID) bool {
	for _, id := range in {
		if b.nodes[id].kind != constant {
			return false
		}
	}
	return true
}

// copyOf adds a node with the value of id that is not shared with any other.
func (b *Builder) copyOf(id ID) ID {
	n := node{op: opCopy, in: []ID{id}}
	if err := opCopy.infer(b, &n); err != nil {
		panic("graph: " + err.Error())
	}
	b.finish(&n)
	return b.push(n)
}

// simplify replaces an operation by a cheaper one with the same bits, except that a^2 becomes a·a
// (portable.Pow may differ in the last place), log(exp(a)) becomes a, log(√a) becomes log(a)/2, and what is
// an inv_logit, or a function after one, becomes that.
func (b *Builder) simplify(name string, in []ID) (ID, bool) {
	switch name {
	case "sum", "mean":
		if len(b.nodes[in[0]].shape) == 0 {
			return in[0], true
		}
	case "addn":
		if len(in) == 1 {
			return in[0], true
		}
	case "div":
		if b.neutral(in[1], 1, in[0]) {
			return in[0], true
		}
		if r, ok := b.exactReciprocal(in[1]); ok {
			return b.must2("mul", in[0], b.Scalar(r))
		}
		return b.logistic(in[0], in[1])
	case "inv":
		return b.logistic(b.Scalar(1), in[0])
	case "pow":
		return b.power(in)
	case "mul":
		for k := range 2 {
			if b.neutral(in[k], 1, in[1-k]) {
				return in[1-k], true
			}
		}
	case "sub":
		if b.neutral(in[1], 0, in[0]) {
			return in[0], true
		}
	case "add": // 0 added to -0 is 0
		for k := range 2 {
			if b.neutral(in[k], math.Copysign(0, -1), in[1-k]) {
				return in[1-k], true
			}
		}
	case "gather":
		return b.gatherOne(in)
	case "log_sum_exp":
		return b.lines(in)
	case "cholesky":
		if id, ok := b.scaledFactor(in[0]); ok {
			return id, true
		}
	case "transpose":
		if n := &b.nodes[in[0]]; n.op == opTranspose {
			return n.in[0], true
		}
		return b.columnsBeside(in[0])
	}
	return b.undone(name, in)
}

func (b *Builder) must2(name string, in ...ID) (ID, bool) { return b.must(name, in...), true }

// scalarValue is the value of a constant without dimensions.
func (b *Builder) scalarValue(id ID) (float64, bool) {
	n := &b.nodes[id]
	if n.kind != constant || len(n.shape) != 0 {
		return 0, false
	}
	return n.values[0], true
}

// neutral reports whether each element of a constant is v, bit for bit, and an operation on another value and
// it has the shape of that value. Where graphs of other rows must be alike, that does not depend on data.
func (b *Builder) neutral(id ID, v float64, beside ID) bool {
	n, of := &b.nodes[id], b.nodes[beside].shape
	if n.kind != constant || len(n.shape) > 0 && b.eachRow {
		return false
	}
	shape, err := broadcast(of, n.shape)
	return err == nil && shape.equal(of) && !slices.ContainsFunc(n.values, func(w float64) bool {
		return math.Float64bits(w) != math.Float64bits(v)
	})
}

// exactReciprocal is 1/v of a constant power of two v: multiplying by it is the same as dividing by v.
func (b *Builder) exactReciprocal(id ID) (float64, bool) {
	v, ok := b.scalarValue(id)
	if !ok {
		return 0, false
	}
	frac, exp := math.Frexp(v)
	return 1 / v, (frac == 0.5 || frac == -0.5) && exp > -1000 && exp < 1000
}

// gatherOne turns a table indexed by constant numbers into a slice.
func (b *Builder) gatherOne(in []ID) (ID, bool) {
	table := b.nodes[in[0]].shape
	if len(in)-1 > len(table) {
		return NoID, false
	}
	cut := make([]Slice, len(in)-1)
	for k, id := range in[1:] {
		v, ok := b.scalarValue(id)
		if !ok || v != math.Trunc(v) || v < 1 || v > float64(table[k]) {
			return NoID, false
		}
		cut[k] = Slice{Lo: int(v) - 1, Hi: int(v), Drop: true}
	}
	id, err := b.Apply("slice", Attr{Slices: cut}, in[0])
	return id, err == nil
}

// carrier adds the part of a density that depends on constants only.
func (b *Builder) carrier(term string, n *node) error {
	values, err := b.carrierValues(n)
	if values == nil || err != nil {
		return err
	}
	return b.addCarrier(term, n, b.Const("carrier", b.nodes[n.in[0]].shape, values))
}

// carrierValues returns the carrier of each element, nil for a density without a carrier.
func (b *Builder) carrierValues(n *node) ([]float64, error) {
	d := n.likely.dist
	if d.Carrier == nil {
		return nil, nil
	}
	x, shape := &b.nodes[n.in[0]], b.nodes[n.in[0]].shape
	if x.kind != constant {
		return nil, fmt.Errorf("the left side must be constant")
	}
	theta := make([]float64, len(d.Params))
	values := make([]float64, len(x.values))
	for i := range values {
		for k, p := range d.Params {
			theta[k] = math.NaN()
			if at := &b.nodes[n.in[k+1]]; at.kind == constant {
				theta[k] = at.values[n.links[k+1].element(i, shape.rows())]
			} else if p.Integral {
				return nil, fmt.Errorf("%s must be constant", p.Name)
			}
		}
		values[i] = d.Carrier(x.values[i], theta)
	}
	return values, nil
}

// addCarrier adds the values of a carrier with the weights and power of its density.
func (b *Builder) addCarrier(term string, n *node, values ID) error {
	if n.likely.weighted {
		w := n.in[len(n.in)-1]
		zero := b.must("eq", w, b.Scalar(0)) // an element of weight 0 is left out, even if not finite
		values = b.must("where", zero, b.Scalar(0), b.must("mul", w, values))
	}
	return b.Add(term, values, n.power)
}

// element is the position in a linked operand that belongs to element i of a value with the given number of
// rows.
func (l *link) element(i, rows int) int {
	row, col := i%rows, i/rows
	if l.cols != nil {
		col = int(l.cols[col])
	}
	if !l.rows {
		return col
	}
	return col*rows + row
}
