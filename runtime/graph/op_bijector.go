package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A bijection is a bijector with its bounds, or a map to whole vectors or matrices.
type bijection struct {
	def          *def.Bijector
	lower, upper float64
	whole        *wholeMap
}

// exponential reports whether the map is exp.
func (b *bijection) exponential() bool {
	return b.whole == nil && b.def.Func != nil && b.def.Func(b.lower, b.upper) == "exp"
}

// forward maps x to y and returns the log-Jacobian, by vector functions where there are rows enough.
func (b *bijection) forward(y, x []float64) float64 {
	if len(x) <= fewRows || !b.exponential() {
		return b.def.Forward(y, x, b.lower, b.upper)
	}
	vector.Exp(len(x), y, x)
	for i, v := range y {
		if v == 0 { // rounding must not put y on the bound
			y[i] = math.SmallestNonzeroFloat64
		}
	}
	return vector.Sum(len(x), x)
}

// backward adds dy·f' and the derivative of the log-Jacobian to dx, or sets dx to them.
func (b *bijection) backward(dx, dy, x, y []float64, set bool) {
	n := len(x)
	switch {
	case n <= fewRows || !b.exponential():
		if set {
			clear(dx)
		}
		b.def.Backward(dx, dy, x, y, b.lower, b.upper)
		return
	case set:
		vector.Mul(n, dx, dy, y)
	default:
		vector.FMA(n, dx, dy, y, dx)
	}
	vector.Shift(n, dx, 1)
}

// jacobianMode selects what the reverse of a bijector adds, of the sum dy·f' + d log|f'|/dx that Backward
// returns.
type jacobianMode uint8

const (
	withJacobian jacobianMode = iota // both: the reverse of the target
	// the second: the reverse of the target where the value is an output or not used
	onlyJacobian
	noJacobian // the first: the reverse of the outputs
	neither    // nothing: onlyJacobian, with log-Jacobians off
)

// counting returns the mode of a step of the target's sweep, planned as withJacobian or onlyJacobian, with
// log-Jacobians on or off.
func (m jacobianMode) counting(on bool) jacobianMode {
	switch {
	case on && m == noJacobian:
		return withJacobian
	case on && m == neither:
		return onlyJacobian
	case !on && m == withJacobian:
		return noJacobian
	case !on && m == onlyJacobian:
		return neither
	}
	return m
}

// opBijector is the map to a parameter's support. Its log-Jacobian is accumulated where the value is
// computed.
var opBijector = &op{
	name: "bijector",
	doc: "an unconstrained value mapped to a support, elementwise; its log-Jacobian " +
		"is a term of the target",
	least: 1, most: 1,
	infer: elementwise,
	forward: func(c *call) {
		for j := range c.width {
			b := c.node.bij
			*c.sum += b.forward(c.y(j)[:c.n], c.vec(0, j)[:c.n])
		}
	},
	vjp: func(c *call) {
		if c.mode == neither {
			return
		}
		for j := range c.width {
			b := c.node.bij
			x, y := c.vec(0, j)[:c.n], c.y(j)[:c.n]
			if c.mode == withJacobian {
				b.backward(c.dvec(0, j)[:c.n], c.dy(j)[:c.n], x, y, c.in[0].set)
				continue
			}
			dx := c.sumInto(0, j)
			zero := c.scratch[0][:c.n]
			clear(zero)
			switch c.mode {
			case onlyJacobian:
				b.def.Backward(dx, zero, x, y, b.lower, b.upper)
			case noJacobian: // Backward is affine in dy: its constant part is subtracted
				both, jac := c.scratch[1][:c.n], c.scratch[2][:c.n]
				clear(both)
				clear(jac)
				b.def.Backward(both, c.dy(j)[:c.n], x, y, b.lower, b.upper)
				b.def.Backward(jac, zero, x, y, b.lower, b.upper)
				vector.Sub(c.n, both, both, jac)
				vector.Accumulate(c.n, dx, both)
			}
		}
	},
	needs: func(int) need { return inputs(0) | output },
}
