package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/vector"
)

// Narrow steps. Where a model has few rows, finding the columns of operands takes longer than computing with
// them. A step over one column of few rows has operands of exactly these rows from the start, and runs in a
// form of its own, whose numbers are those of the general form bit for bit.

// narrow prepares a step of a loop over few rows that has a narrow form, and reports whether it has one.
func (c *call) narrow(l *loopSpec, v verb) bool {
	if l.global || l.rows < 1 || l.rows > min(shortRows, l.block) || c.width != 1 {
		return false
	}
	run := c.narrowForm(v)
	if run == nil {
		return false
	}
	c.run, c.row, c.n = run, 0, l.rows
	c.out.narrow(l.rows)
	for k := range c.in {
		if o := &c.in[k]; o.link.rows {
			o.narrow(l.rows)
		} else {
			o.narrow(1)
		}
	}
	if c.node.op == opDensity {
		c.bindDensity(0)
	}
	return true
}

// narrow cuts an operand of a step over one column to its n elements.
func (o *operand) narrow(n int) {
	at := o.at(0)
	o.cols = nil
	for _, v := range []*view{&o.val, &o.adj} {
		if v.buf == nil {
			continue
		}
		if o.rows {
			v.buf = v.buf[at*v.stride:]
		} else {
			v.buf = v.buf[at:]
		}
		v.buf = v.buf[:n:n]
	}
}

// narrowForm is the narrow form of a step, nil where it has none.
func (c *call) narrowForm(v verb) func(*call) {
	switch n := c.node; {
	case n.op == opNormal && n.inverse != nil && (len(n.inverse) == 1 || c.in[2].rows):
		return normalNarrow
	case n.op == opDensity && !n.likely.weighted:
		return densityNarrow
	case n.op == opShift && v == doForward:
		return shiftNarrow
	case n.op == opShift && v == doReverse:
		return shiftBackNarrow
	case n.op == opBijector && v == doForward:
		return bijectorNarrow
	case n.op == opBijector && v == doReverse:
		return bijectorBackNarrow
	case n.frame > 1 || slices.ContainsFunc(n.links, func(l link) bool { return !l.rows }):
		return nil
	case v == doForward:
		return numberForms[n.op]
	case v == doReverse:
		return numberBackForms[n.op]
	}
	return nil
}

// The forms of arithmetic of numbers.
var (
	numberForms = map[*op]func(*call){
		opAdd: func(c *call) { c.out.val.buf[0] = c.number(0) + c.number(1) },
		opSub: func(c *call) { c.out.val.buf[0] = c.number(0) - c.number(1) },
		opMul: func(c *call) { c.out.val.buf[0] = c.number(0) * c.number(1) },
		opDiv: func(c *call) { c.out.val.buf[0] = c.number(0) / c.number(1) },

		opProduct: narrowProduct,
		opBound: func(c *call) {
			if !(c.node.power*(c.number(0)-c.number(1)) >= 0) {
				*c.sum += math.Inf(-1)
			}
		},
		opTarget: func(c *call) {
			*c.sum += float64(c.node.power * c.number(0))
			c.giveNumber(0, c.node.power, 1)
		},

		opFunc: func(c *call) { c.node.fn.Forward(c.out.val.buf, c.in[0].val.buf) },
	}
	numberBackForms = map[*op]func(*call){
		opAdd: func(c *call) {
			c.giveNumber(0, c.out.adj.buf[0], 1)
			c.giveNumber(1, c.out.adj.buf[0], 1)
		},
		opSub: func(c *call) {
			c.giveNumber(0, c.out.adj.buf[0], 1)
			c.giveNumber(1, c.out.adj.buf[0], -1)
		},
		opMul: func(c *call) {
			if c.wants(0) {
				c.giveNumber(0, c.out.adj.buf[0], c.number(1))
			}
			if c.wants(1) {
				c.giveNumber(1, c.out.adj.buf[0], c.number(0))
			}
		},
		opDiv: func(c *call) {
			t := c.out.adj.buf[0] / c.number(1)
			c.giveNumber(0, t, 1)
			if c.wants(1) {
				c.giveNumber(1, float64(t*c.out.val.buf[0]), -1)
			}
		},
		opFunc: func(c *call) {
			x := &c.in[0]
			if x.set {
				x.adj.buf[0] = 0
			}
			c.node.fn.Backward(x.adj.buf, c.out.adj.buf, x.val.buf, c.out.val.buf)
		},
	}
)

// number is operand k.
func (c *call) number(k int) float64 { return c.in[k].val.buf[0] }

// giveNumber adds t·s to the adjoint of operand k, if it is wanted.
func (c *call) giveNumber(k int, t, s float64) {
	switch o := &c.in[k]; {
	case o.adj.buf == nil:
	case o.set:
		o.adj.buf[0] = t * s
	default:
		o.adj.buf[0] = math.FMA(t, s, o.adj.buf[0])
	}
}

// normalNarrow is runNormal with a constant sigma.
func normalNarrow(c *call) {
	x, mu, inv, p := &c.in[0], &c.in[1], c.node.inverse, c.node.power
	var squares float64
	switch {
	case len(x.val.buf) == 1:
		z := (x.val.buf[0] - mu.val.buf[0]) * inv[0]
		squares = z * z
		z = float64(z * float64(p*inv[0]))
		if d := x.adj.buf; d != nil {
			if x.set {
				d[0] = 0
			}
			d[0] -= z
		}
		if d := mu.adj.buf; d != nil {
			if mu.set {
				d[0] = 0
			}
			d[0] += z
		}
	case c.n <= fewRows || len(inv) == 1 && mu.rows:
		runNormal(c)
		return
	default:
		var z vector.SplitSum
		by := p
		if len(inv) == 1 {
			squares = normalLanes(&z, x.val.buf, mu.val.buf, nil) * inv[0] * inv[0]
			by = p * inv[0] * inv[0]
		} else {
			squares = normalLanes(&z, x.val.buf, mu.val.buf, inv)
		}
		if d := x.adj.buf; d != nil {
			giveLanes(d, x.set, -by, &z)
		}
		switch d := mu.adj.buf; {
		case d == nil:
		case mu.rows:
			giveLanes(d, mu.set, by, &z)
		default:
			d[0] += float64(by * z.Sum())
		}
	}
	if lp := -0.5 * squares; lp >= -math.MaxFloat64 {
		*c.sum += float64(p * lp)
	} else {
		*c.sum += math.Inf(-1)
	}
}

// densityNarrow is runDensity without weights: the block of arguments is the same each time.
func densityNarrow(c *call) {
	s := c.density
	lp := c.node.likely.dist.LogDensity(&s.block)
	*c.sum += float64(c.node.power * lp)
	c.giveNarrow(0, s.block.DX)
	for i, d := range s.dtheta {
		c.giveNarrow(i+1, d)
	}
}

// giveNarrow is givePartial.
func (c *call) giveNarrow(k int, t []float64) {
	if len(t) != 1 || c.in[k].set {
		c.givePartial(k, 0, t, nil)
		return
	}
	d, p := &c.in[k].adj.buf[0], c.node.power
	if c.in[k].rows {
		*d = math.FMA(p, t[0], *d)
	} else {
		*d += float64(p * t[0])
	}
}

// shiftNarrow is the forward step of opShift.
func shiftNarrow(c *call) {
	v, s, by, y := c.in[0].val.buf, c.in[1].val.buf[0], c.in[2].val.buf[0], c.out.val.buf
	if y, v := full(y), full(v); y != nil && v != nil {
		for i, x := range v {
			y[i] = float64(x*s) + by
		}
		return
	}
	for i, x := range v[:min(len(v), len(y))] {
		y[i] = float64(x*s) + by
	}
}

// shiftBackNarrow is its reverse.
func shiftBackNarrow(c *call) {
	v, s, by := &c.in[0], &c.in[1], &c.in[2]
	var own, product vector.SplitSum
	d := full(c.out.adj.buf)
	if d == nil {
		copy(own[:], c.out.adj.buf)
		d = &own
	}
	if to := v.adj.buf; to != nil {
		giveLanes(to, v.set, s.val.buf[0], d)
	}
	if to := s.adj.buf; to != nil {
		if x := full(v.val.buf); x != nil {
			for i, x := range x {
				product[i] = d[i] * x
			}
		} else {
			for i, x := range v.val.buf {
				product[i%shortRows] = d[i%shortRows] * x
			}
		}
		to[0] += product.Sum()
	}
	if to := by.adj.buf; to != nil {
		to[0] += d.Sum()
	}
}

// bijectorNarrow is the forward step of opBijector.
func bijectorNarrow(c *call) {
	b := c.node.bij
	*c.sum += b.forward(c.out.val.buf, c.in[0].val.buf)
}

// bijectorBackNarrow is its reverse.
func bijectorBackNarrow(c *call) {
	in, b := &c.in[0], c.node.bij
	switch {
	case c.mode == withJacobian:
		b.backward(in.adj.buf, c.out.adj.buf, in.val.buf, c.out.val.buf, in.set)
	case c.mode == noJacobian && c.n == 1:
		both, jac, zero := c.scratch[0][:1], c.scratch[1][:1], c.scratch[2][:1]
		both[0], jac[0], zero[0] = 0, 0, 0
		b.def.Backward(both, c.out.adj.buf, in.val.buf, c.out.val.buf, b.lower, b.upper)
		b.def.Backward(jac, zero, in.val.buf, c.out.val.buf, b.lower, b.upper)
		if in.set {
			in.adj.buf[0] = 0
		}
		in.adj.buf[0] += both[0] - jac[0]
	default:
		opBijector.vjp(c)
	}
}
