package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A density element by element, and the log probabilities of a value no greater, and of a greater one.
var (
	opLogDensity = elementsOf("logdensity", "the log density of each element, without the carrier",
		func(d *def.Dist) func(*def.Batch) float64 {
			return d.LogDensity
		})
	opLogCDF = elementsOf("logcdf", "the log of the distribution function at each element",
		func(d *def.Dist) func(*def.Batch) float64 {
			return d.LogCDF
		})
	opLogCCDF = elementsOf("logccdf",
		"the log of the complement of the distribution function at each element",
		func(d *def.Dist) func(*def.Batch) float64 {
			return d.LogCCDF
		})
)

// elementsOf is the operation that gives the elements of one function of a distribution, with the derivatives
// that its block has.
func elementsOf(name, doc string, function func(*def.Dist) func(*def.Batch) float64) *op {
	return &op{
		name: name, doc: doc, least: 1,
		infer: func(b *Builder, n *node) error {
			if err := inferDensity(b, n); err != nil {
				return err
			}
			n.rowwise(b.nodes[n.in[0]].shape)
			return nil
		},
		forward: func(c *call) {
			run := function(c.node.likely.dist)
			for j := range c.width {
				s := c.elementBlock(j)
				s.block.DX, s.block.DTheta, s.block.LP = nil, nil, c.y(j)[:c.n]
				run(&s.block)
			}
		},
		vjp: func(c *call) {
			run := function(c.node.likely.dist)
			for j := range c.width {
				s := c.elementBlock(j)
				s.block.DX, s.block.DTheta, s.block.LP = c.elementPartial(0), s.dtheta, nil
				for k := range s.dtheta {
					s.dtheta[k] = c.elementPartial(k + 1)
				}
				run(&s.block)
				c.giveElements(0, j, s.block.DX)
				for k, d := range s.dtheta {
					c.giveElements(k+1, j, d)
				}
			}
		},
		needs: func(int) need { return ^output },
	}
}

// elementBlock sets up the arguments of a block for column j.
func (c *call) elementBlock(j int) *densityState {
	s := c.density
	s.block.N, s.block.X, s.block.Theta = c.n, c.arg(0, j), s.theta
	for i := range s.theta {
		s.theta[i] = c.arg(i+1, j)
	}
	return s
}

// elementPartial is where the derivative in operand k is written, nil where it is not wanted.
func (c *call) elementPartial(k int) []float64 {
	if !c.wants(k) {
		return nil
	}
	return c.scratch[k][:c.n]
}

// giveElements adds a derivative times the adjoint of its element; an element with the adjoint 0 gives
// nothing, even where its derivative is not finite.
func (c *call) giveElements(k, j int, d []float64) {
	if d == nil {
		return
	}
	vector.Weight(c.n, d, c.dy(j))
	c.give(k, j, d)
}

// LogDensity adds the log density of each element of x, normalised, in the shape of x, or of each vector or
// matrix of x where the distribution is one of these: theta and weights broadcast to it, weights may be NoID.
// An element of weight 0 has the value 0. It is computed by the distribution's own loop.
func (b *Builder) LogDensity(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	return b.logDensity(d, x, theta, weights, func(n node) ID { return b.intern(n) })
}

// LogDensityByVectors is LogDensity written as operations that have vector functions where the distribution
// has such a form, several times faster. At limits such as 0·∞ it may be NaN where LogDensity is a number.
func (b *Builder) LogDensityByVectors(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	return b.logDensity(d, x, theta, weights, func(n node) ID {
		if id, ok := b.elements(&n); ok {
			return id
		}
		if id, ok := b.elementsOutside(&n); ok {
			return id
		}
		return b.intern(n)
	})
}

// TailByVectors adds the log of the distribution function at each element of x, in the shape of x, to which
// theta broadcasts, or of its complement, the probability of a greater value: written as operations that have
// vector functions where the distribution has such a form. The distribution must have both.
func (b *Builder) TailByVectors(upper bool, d *def.Dist, x ID, theta []ID) (ID, error) {
	o := opLogCDF
	if upper {
		o = opLogCCDF
	}
	n, err := b.elementNode(o, d, x, theta)
	if err != nil {
		return NoID, err
	}
	if id, ok := b.tail(&n, upper); ok {
		return id, nil
	}
	return b.intern(n), nil
}

func (b *Builder) elementwise(o *op, d *def.Dist, x ID, theta []ID) (ID, error) {
	n, err := b.elementNode(o, d, x, theta)
	if err != nil {
		return NoID, err
	}
	return b.intern(n), nil
}

// elementNode is the node of a function of a distribution, element by element.
func (b *Builder) elementNode(o *op, d *def.Dist, x ID, theta []ID) (node, error) {
	if len(theta) != len(d.Params) {
		panic(fmt.Sprintf("graph: %s takes %d parameters, got %d", d.Name, len(d.Params), len(theta)))
	}
	n := node{op: o, in: append([]ID{x}, theta...), likely: &likelihood{dist: d}}
	for _, id := range n.in {
		b.check(id)
	}
	if err := o.infer(b, &n); err != nil {
		return n, fmt.Errorf("%s: %w", d.Name, err)
	}
	return n, nil
}

// logDensity adds the density by one of its forms, then carrier and weights.
func (b *Builder) logDensity(d *def.Dist, x ID, theta []ID, weights ID, form func(node) ID) (ID, error) {
	d, theta = b.predicted(d, theta)
	if d.Event != nil {
		return b.events(d, x, theta, weights)
	}
	n, err := b.elementNode(opLogDensity, d, x, theta)
	if err != nil {
		return NoID, err
	}
	carrier, err := b.carrierValues(&n)
	if err != nil {
		return NoID, fmt.Errorf("%s: %w", d.Name, err)
	}
	id := form(n)
	if carrier != nil {
		id = b.must("add", id, b.Const("carrier", b.nodes[x].shape, carrier))
	}
	return b.weighted(id, weights)
}

// weighted multiplies by weights; a weight of 0 gives 0 even where the value is not finite.
func (b *Builder) weighted(id, weights ID) (ID, error) {
	if weights == NoID {
		return id, nil
	}
	b.check(weights)
	product, err := b.Apply("mul", Attr{}, weights, id)
	if err != nil {
		return NoID, err
	}
	return b.Apply("where", Attr{}, b.must("eq", weights, b.Scalar(0)), b.Scalar(0), product)
}
