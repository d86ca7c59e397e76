package graph

import "slices"

// Multipliers are, for parameters, what their elements are multiplied by where they are used, one product
// after another, as far as that is positive, computed from other parameters alone, and not the same for all
// draws; NoID where it is nothing, or different things at different places.
func (b *Builder) Multipliers(params []ID) []ID {
	users := make([][]ID, len(b.nodes))
	for id, n := range b.nodes {
		if len(n.in) == 2 && (n.op == opMul || n.op == opDiv || n.op == opGather) {
			users[n.in[0]] = append(users[n.in[0]], ID(id))
			if n.op == opMul && n.in[1] != n.in[0] {
				users[n.in[1]] = append(users[n.in[1]], ID(id))
			}
		}
	}
	out := make([]ID, len(params))
	for k, x := range params {
		if out[k] = NoID; len(users[x]) > 0 {
			out[k] = b.multiplier(x, users)
		}
	}
	return out
}

func (b *Builder) multiplier(x ID, users [][]ID) ID {
	s, at, gathered, barred := NoID, x, false, b.reached(append(slices.Clone(b.inputs), x))
	for int(at) < len(users) {
		next, by, uses := NoID, NoID, 0
		for _, id := range users[at] {
			if factor, ok := b.factor(id, at, gathered, barred); ok {
				next, by = id, factor
				uses++
			}
		}
		if uses != 1 {
			break
		}
		if n := &b.nodes[next]; n.op == opGather {
			gathered = true
		} else if s == NoID && n.op == opMul {
			s = by
		} else if s == NoID {
			s = b.must("div", b.Scalar(1), by)
		} else {
			s = b.must(n.op.name, s, by)
		}
		at = next
	}
	if s != NoID && b.Constant(s) {
		return NoID
	}
	return s
}

// factor returns what a node multiplies another by, or divides it by; ok where it does so by something
// positive that does not depend on what is barred, or gathers rows of it. What is gathered has one factor for
// all.
func (b *Builder) factor(id, of ID, gathered bool, barred []bool) (factor ID, ok bool) {
	n := &b.nodes[id]
	if n.op == opGather {
		return NoID, true
	}
	if factor = n.in[1]; factor == of {
		factor = n.in[0]
	}
	return factor, factor != of && b.surelyPositive(factor) && !barred[factor] &&
		(!gathered || b.nodes[factor].shape.Len() == 1) && n.shape.Len() == b.nodes[of].shape.Len()
}

// surelyPositive reports whether all elements of a node are sure to be above 0.
func (b *Builder) surelyPositive(id ID) bool {
	n := &b.nodes[id]
	switch {
	case b.positive(id):
		return len(n.values) > 0
	case n.bij != nil:
		return n.bij.whole == nil && n.bij.lower >= 0
	case n.fn != nil:
		switch n.fn.Name {
		case "exp":
			return true
		case "sqrt", "square", "inv":
			return b.surelyPositive(n.in[0])
		}
		return false
	}
	switch n.op {
	case opMul, opDiv, opAdd, opAddN, opPow, opCopy:
		return !slices.ContainsFunc(n.in, func(in ID) bool { return !b.surelyPositive(in) })
	case opGather:
		return b.surelyPositive(n.in[0])
	}
	return false
}
