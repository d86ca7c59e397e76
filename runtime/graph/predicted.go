package graph

import (
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// predicted replaces a distribution by its form with a predictor, where a parameter with an element for each
// row is the function of one: poisson(exp(m)) by poisson_log(m). The form computes the same density faster,
// and does not round the parameter.
func (b *Builder) predicted(d *def.Dist, theta []ID) (*def.Dist, []ID) {
	if b.plain {
		return d, theta
	}
	for _, p := range d.Predicted {
		if len(b.nodes[theta[p.Param]].shape) == d.Params[p.Param].Rank {
			continue // one value for all rows
		}
		if m, ok := b.argument(theta[p.Param], p.Func); ok {
			form, with := p.Form(), slices.Clone(theta)
			with[p.Param] = m
			if d.Carrier == nil { // counted elsewhere: both forms have the same one
				form.Carrier = nil
			}
			return &form, with
		}
	}
	return d, theta
}

// argument returns m where a value is name(m). It looks through what only rearranges elements, through
// parameters whose map to their support is the function, where name(m)·a = name(m + g(a)), through products
// with positive data, and through 1 - inv_logit(m), which is inv_logit(-m).
func (b *Builder) argument(id ID, name string) (ID, bool) {
	n := &b.nodes[id]
	switch {
	case n.fn != nil && n.fn.Name == name, n.op != nil && n.op.name == name:
		return n.in[0], true
	case n.bij != nil && n.bij.def != nil && n.bij.def.Func != nil &&
		n.bij.def.Func(n.bij.lower, n.bij.upper) == name:
		return n.in[0], true
	}
	f, elementwise := b.funcs[name]
	switch {
	case name == "inv_logit" && n.op == opSub && b.isOne(n.in[0]):
		m, ok := b.argument(n.in[1], name)
		if !ok {
			return NoID, false
		}
		return b.negative(m), true
	case n.op == opGather && (elementwise || len(n.in) == 2 && len(b.nodes[n.in[0]].shape) > 1),
		n.op == opSlice && elementwise:
		m, ok := b.argument(n.in[0], name)
		if !ok {
			return NoID, false
		}
		return b.rearranged(id, m)
	case elementwise && f.TakesFactor != "" && (n.op == opMul || n.op == opDiv):
		return b.scaled(id, f)
	}
	return NoID, false
}

// rearranged applies the operation of a node, with its other inputs, to another first input.
func (b *Builder) rearranged(id, first ID) (ID, bool) {
	n := &b.nodes[id]
	out, err := b.Apply(n.op.name, n.attr, append([]ID{first}, n.in[1:]...)...)
	return out, err == nil
}

// scaled is argument for a product or quotient of values of the function and positive data.
func (b *Builder) scaled(id ID, f *def.Func) (ID, bool) {
	n := b.nodes[id]
	var parts [2]ID
	found := false
	for k, p := range n.in {
		m, ok := b.argument(p, f.Name)
		found = found || ok
		if !ok {
			if !b.positive(p) {
				return NoID, false
			}
			m = b.must(f.TakesFactor, p)
		}
		parts[k] = m
	}
	join := opAdd
	if n.op == opDiv {
		join = opSub
	}
	if !found {
		return NoID, false
	}
	return b.must(join.name, parts[0], parts[1]), true
}

// positive reports whether a value is data above 0.
func (b *Builder) positive(id ID) bool {
	n := &b.nodes[id]
	return n.kind == constant && !slices.ContainsFunc(n.values, func(v float64) bool { return !(v > 0) })
}

// undone returns the argument of a function g, or of a map to a support, in f(g(x)) where f undoes g, half of
// log(x) for log(√x), and of f after g the function that both are together.
func (b *Builder) undone(name string, in []ID) (ID, bool) {
	f := b.funcs[name]
	if f == nil || b.plain {
		return NoID, false
	}
	if f.Undoes != "" {
		if m, ok := b.argument(in[0], f.Undoes); ok {
			return m, true
		}
	}
	n := &b.nodes[in[0]]
	if n.fn != nil && f.After[n.fn.Name] != "" {
		return b.must2(f.After[n.fn.Name], n.in[0])
	}
	if name == "log1m" { // 1 - Phi(x) is Phi(-x)
		if m, ok := b.argument(in[0], "Phi"); ok {
			return b.must2("log_Phi", b.negative(m))
		}
	}
	if name != "log" {
		return NoID, false
	}
	if m, ok := b.argument(in[0], "sqrt"); ok {
		return b.must2("mul", b.Scalar(0.5), b.must("log", m))
	}
	switch { // log(1 + exp(x)) and log(1 - exp(x)), log(1 - inv_logit(x)), and log(1 - Phi(x))
	case n.op == opAdd && b.isOne(n.in[0]):
		return b.undone("log1p", n.in[1:])
	case n.op == opAdd && b.isOne(n.in[1]):
		return b.undone("log1p", n.in[:1])
	case n.op == opSub && b.isOne(n.in[0]):
		return b.undone("log1m", n.in[1:])
	}
	return NoID, false
}

// logistic returns inv_logit(m) for a/b where it is written as 1/(1 + exp(-m)) or exp(m)/(1 + exp(m)): the
// one operation has no exponential that overflows.
func (b *Builder) logistic(a, under ID) (ID, bool) {
	n := &b.nodes[under]
	if b.plain || n.op != opAdd {
		return NoID, false
	}
	for k, id := range n.in {
		e := &b.nodes[id]
		if !b.isOne(n.in[1-k]) || e.fn == nil || e.fn.Name != "exp" {
			continue
		}
		switch {
		case a == id:
			return b.must2("inv_logit", e.in[0])
		case b.isOne(a):
			return b.must2("inv_logit", b.negative(e.in[0]))
		}
	}
	return NoID, false
}

// overExp returns a·exp(-m) for a/exp(m) where m has many elements, and nothing else needs exp(m) yet:
// neither the quotient nor its reverse divides.
func (b *Builder) overExp(a, under ID) (ID, bool) {
	n := &b.nodes[under]
	if b.plain || n.fn == nil || n.fn.Name != "exp" || n.shape.Len() <= fewRows || a == under ||
		slices.ContainsFunc(b.nodes[under:], func(n node) bool { return slices.Contains(n.in, under) }) {
		return NoID, false
	}
	return b.must2("mul", a, b.must("exp", b.negative(n.in[0])))
}

func (b *Builder) isOne(id ID) bool {
	v, ok := b.scalarValue(id)
	return ok && v == 1
}

// negative is -x, without an operation where x is one of another.
func (b *Builder) negative(id ID) ID {
	n := &b.nodes[id]
	switch {
	case n.op == opNeg:
		return n.in[0]
	case n.op == opSub && b.nodes[n.in[0]].op == opNeg:
		return b.must("add", b.nodes[n.in[0]].in[0], n.in[1])
	case n.op == opSub:
		return b.must("sub", n.in[1], n.in[0])
	case n.op == opMul:
		for k, p := range n.in {
			if v, ok := b.scalarValue(p); ok {
				return b.must("mul", b.Scalar(-v), n.in[1-k])
			}
		}
	}
	return b.must("neg", id)
}
