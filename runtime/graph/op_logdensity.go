package graph

import (
	"fmt"

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

// elementsOf is the operation that gives the elements of one function of a distribution and, behind these,
// its derivatives by the operands that are no data, column by column: a block gives both for little more.
func elementsOf(name, doc string, function func(*def.Dist) func(*def.Batch) float64) *op {
	return &op{
		name: name, doc: doc, least: 1,
		infer: func(b *Builder, n *node) error {
			if err := inferDensity(b, n); err != nil {
				return err
			}
			shape, slopes := b.nodes[n.in[0]].shape, 0
			n.rowwise(shape)
			for k, id := range n.in {
				if b.nodes[id].kind != constant {
					n.likely.sloped = append(n.likely.sloped, k)
					slopes++
				}
			}
			if slopes > 0 {
				n.attr.Shape, n.shape = shape, Shape{shape.rows(), (1 + slopes) * shape.cols()}
			}
			return nil
		},
		forward: func(c *call) {
			run := function(c.node.likely.dist)
			for j := range c.width {
				c.elementBlock(j)
				run(&c.density.block)
			}
		},
		vjp: func(c *call) {
			for slot, k := range c.node.likely.sloped {
				for j := range c.width {
					if c.wants(k) {
						d := c.fresh(k, j)
						copy(d[:c.n], c.slope(slot, j))
						c.giveFresh(k, j, d)
					}
				}
			}
		},
		needs: func(int) need { return output },
	}
}

// elementBlock sets up the arguments and the results of a block for column j.
func (c *call) elementBlock(j int) {
	s := c.density
	s.block.N, s.block.X, s.block.Theta, s.block.LP = c.n, c.arg(0, j), s.theta, c.y(j)[:c.n]
	s.block.DX, s.block.DTheta = nil, s.dtheta
	for i := range s.theta {
		s.theta[i], s.dtheta[i] = c.arg(i+1, j), nil
	}
	for slot, k := range c.node.likely.sloped {
		if k == 0 {
			s.block.DX = c.slope(slot, j)
		} else {
			s.dtheta[k-1] = c.slope(slot, j)
		}
	}
}

// slope is the derivatives of column j by the operand in this place among those that are no data.
func (c *call) slope(slot, j int) []float64 { return c.y((1+slot)*c.width + j)[:c.n] }

// LogDensity adds the log density of each element of x, normalised, in the shape of x, or of each vector or
// matrix of x where the distribution is one of these: theta and weights broadcast to it, weights may be NoID.
// An element of weight 0 has the value 0. It is computed by the distribution's own loop.
func (b *Builder) LogDensity(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	return b.logDensity(d, x, theta, weights, b.values)
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
		return b.values(n)
	})
}

// values adds a node of elements and their derivatives, and returns the elements.
func (b *Builder) values(n node) ID {
	id := b.intern(n)
	if len(n.likely.sloped) == 0 {
		return id
	}
	value := node{op: opValue, in: []ID{id}}
	if err := opValue.infer(b, &value); err != nil {
		panic("graph: " + err.Error())
	}
	return b.intern(value)
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
	return b.values(n), nil
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
