package graph

import "github.com/vflc/vflc/runtime/vector"

// opHazards is log(exp(-H) - exp(-K)) with H = exp(from) and K = exp(to), elementwise: the log probability of
// an interval of hazards. For each column of its operands it has the value, and behind all of these minus the
// slope by the first, and the slope by the second: both follow from the exponentials of the value.
//
// That is log(1 - exp(H-K)) - H, with all digits in H - K = K·(exp(from-to) - 1). Where K is so small that
// 1 - exp(H-K) is K - H, a factor is taken out of both, so that neither is 0.
var opHazards = &op{
	name: "hazards", doc: "log(exp(-exp(a)) - exp(-exp(b))) and its slopes, broadcast", least: 2, most: 2,
	infer: func(b *Builder, n *node) error {
		if err := elementwise(b, n); err != nil {
			return err
		}
		n.attr.Shape, n.shape = n.shape, Shape{n.shape.rows(), 3 * n.shape.cols()}
		return nil
	},
	forward: func(c *call) {
		for j := range c.width {
			c.hazards(c.spread(0, j, 0), c.spread(1, j, 1), c.y(j), c.y(c.width+j), c.y(2*c.width+j))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			if c.wants(0) {
				d := c.fresh(0, j)
				vector.Neg(c.n, d, c.y(c.width+j))
				c.giveFresh(0, j, d)
			}
			if c.wants(1) {
				d := c.fresh(1, j)
				copy(d[:c.n], c.y(2*c.width+j))
				c.giveFresh(1, j, d)
			}
		}
	},
	needs: func(int) need { return output },
}

// exp(-noDigits) has no digits beside 1.
const noDigits = 40

func (c *call) hazards(from, to, y, dfrom, dto []float64) {
	n, shift, d, odds := c.n, c.scratch[2], c.scratch[3], c.scratch[4]
	vector.Sub(n, d, from, to)
	small := below(to[:n], -noDigits)
	if small {
		vector.SubFrom(n, shift, -noDigits, to)
		vector.Relu(n, shift, shift)
		vector.Add(n, dfrom, from, shift)
		vector.Add(n, dto, to, shift)
		from, to = dfrom, dto
	}
	vector.Exp(n, dfrom, from)
	vector.Exp(n, dto, to)
	vector.Expm1(n, d, d)
	vector.Mul(n, d, d, dto)
	vector.Log1mExp(n, y, odds, d)
	if small {
		vector.Sub(n, y, y, shift)
	}
	vector.Sub(n, y, y, dfrom)
	vector.FMA(n, dfrom, dfrom, odds, dfrom)
	vector.Mul(n, dto, dto, odds)
}

// below reports whether a number is below another one, or NaN.
func below(x []float64, least float64) bool {
	for _, v := range x {
		if !(v >= least) {
			return true
		}
	}
	return false
}

// fresh is where the derivative of each row in operand k may be written: the adjoint tile where nothing has
// been added to it yet, else scratch.
func (c *call) fresh(k, j int) []float64 {
	if o := &c.in[k]; o.rows && o.set {
		return c.dvec(k, j)
	}
	return c.scratch[0]
}

// giveFresh multiplies derivatives by the adjoint of the row, and adds them to that of the operand where they
// do not stand there. A row with the adjoint 0 gives nothing, even where its derivative is not finite.
func (c *call) giveFresh(k, j int, d []float64) {
	vector.Weight(c.n, d, d, c.dy(j))
	if o := &c.in[k]; !(o.rows && o.set) {
		c.give(k, j, d)
	}
}

// opValue is the value of an operation that has its derivatives behind it.
var opValue = &op{
	name: "value", doc: "the first columns", least: 1, most: 1,
	infer: func(b *Builder, n *node) error {
		n.rowwise(b.nodes[n.in[0]].attr.Shape)
		n.links = []link{{rows: true}}
		return nil
	},
	forward: copyColumns,
	vjp:     giveColumns,
	passes:  func(int) bool { return true },
}
