package graph

import (
	"fmt"

	"github.com/vflc/vflc/stdlib/def"
)

// opLogDensity is a density element by element: a value to report, such as the pointwise log likelihood. It has no gradient.
var opLogDensity = &op{
	name: "logdensity", doc: "the log density of each element, without the carrier", least: 1,
	infer: func(b *Builder, n *node) error {
		if err := inferDensity(b, n); err != nil {
			return err
		}
		n.rowwise(b.nodes[n.in[0]].shape)
		return nil
	},
	forward: func(c *call) {
		s := c.density
		for j := range c.width {
			s.block.N, s.block.X, s.block.Theta, s.block.LP = c.n, c.arg(0, j), s.theta, c.y(j)[:c.n]
			for i := range s.theta {
				s.theta[i] = c.arg(i+1, j)
			}
			c.node.likely.dist.LogDensity(&s.block)
		}
	},
}

// LogDensity adds the log density of each element of x, normalised, in the shape of x, or of each vector or matrix of x where the distribution is one of these: theta and weights broadcast to it, weights may be NoID.
// An element of weight 0 has the value 0. It is for reports: no gradient passes through it. It is computed by the distribution's own loop.
func (b *Builder) LogDensity(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	return b.logDensity(d, x, theta, weights, func(n node) ID { return b.intern(n) })
}

// LogDensityByVectors is LogDensity written as operations that have vector functions where the distribution has such a form, several times faster.
// At limits such as 0·∞ it may be NaN where LogDensity is a number.
func (b *Builder) LogDensityByVectors(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	return b.logDensity(d, x, theta, weights, func(n node) ID {
		if id, ok := b.elements(&n); ok {
			return id
		}
		return b.intern(n)
	})
}

// logDensity adds the density by one of its forms, then carrier and weights.
func (b *Builder) logDensity(d *def.Dist, x ID, theta []ID, weights ID, form func(node) ID) (ID, error) {
	if len(theta) != len(d.Params) {
		panic(fmt.Sprintf("graph: %s takes %d parameters, got %d", d.Name, len(d.Params), len(theta)))
	}
	if d.Event != nil {
		return b.events(d, x, theta, weights)
	}
	n := node{op: opLogDensity, in: append([]ID{x}, theta...), likely: &likelihood{dist: d}}
	for _, id := range n.in {
		b.check(id)
	}
	if err := opLogDensity.infer(b, &n); err != nil {
		return NoID, fmt.Errorf("%s: %w", d.Name, err)
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
