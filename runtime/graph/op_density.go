package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A likelihood is a density term: inputs are x, the parameters, and the weights where it has them.
type likelihood struct {
	dist     *def.Dist
	weighted bool
	sloped   []int // of elements: the operands that are no data, whose derivatives stand behind the values
}

// A densityState is the block of arguments that a bound density step passes to its distribution, reused so
// that nothing is allocated.
type densityState struct {
	block  def.Batch
	theta  []def.BlockArg
	dtheta [][]float64
}

func newDensityState(params int) *densityState {
	return &densityState{theta: make([]def.BlockArg, params), dtheta: make([][]float64, params)}
}

// opDensity adds power·Σ w·log p(x|θ) to the target. Since the adjoint of a term is known, the same step adds
// the partials to the adjoints.
var opDensity = &op{
	name: "density", doc: "a weighted log density, broadcast to the shape of x", least: 1,
	infer:   inferDensity,
	forward: runDensity,
	vjp:     func(*call) {}, // done in forward
}

func inferDensity(b *Builder, n *node) error {
	shape := b.nodes[n.in[0]].shape
	n.kind, n.shape, n.frame, n.width = term, Shape{}, shape.rows(), shape.cols()
	for _, id := range n.in {
		s, err := broadcast(shape, b.nodes[id].shape)
		if err != nil {
			return err
		}
		if !s.equal(shape) {
			return fmt.Errorf("shape %v does not broadcast to %v, the shape of the left side",
				b.nodes[id].shape, shape)
		}
		n.links = append(n.links, broadcastLink(b.nodes[id].shape, shape))
	}
	return nil
}

// The scratch vectors of a density step: log p, ∂x and ∂θ, in this order.
const densityScratch = 2

func runDensity(c *call) {
	for j := range c.width {
		c.densityColumn(j)
	}
}

func (c *call) densityColumn(j int) {
	s, l := c.density, c.node.likely
	k := len(s.theta)
	blk := &s.block
	c.bindDensity(j)
	if l.weighted {
		blk.LP = c.scratch[0][:c.n]
	}
	lp := l.dist.LogDensity(blk)
	var w []float64
	if l.weighted {
		w = c.spread(k+1, j, k+densityScratch)
		lp = vector.WeightedSum(c.n, w, blk.LP)
	}
	*c.sum += float64(c.node.power * lp)
	c.givePartial(0, j, blk.DX, w)
	for i := range k {
		c.givePartial(i+1, j, s.dtheta[i], w)
	}
	if l.weighted && c.wants(k+1) { // last: it may add to an adjoint that a partial has been written to
		c.giveScaled(k+1, j, c.node.power, blk.LP)
	}
}

// bindDensity fills the block of arguments for column j.
func (c *call) bindDensity(j int) {
	s := c.density
	b := &s.block
	b.N, b.X, b.Theta, b.DTheta, b.DX, b.LP = c.n, c.arg(0, j), s.theta, s.dtheta, c.partial(0, j), nil
	for i := range s.theta {
		s.theta[i], s.dtheta[i] = c.arg(i+1, j), c.partial(i+1, j)
	}
}

// partial returns where the distribution writes the derivative in operand k: the adjoint tile if nothing has
// been added to it yet, else scratch; nil if it is not wanted.
func (c *call) partial(k, j int) []float64 {
	switch {
	case !c.wants(k):
		return nil
	case c.in[k].set:
		return c.dvec(k, j)[:c.n]
	}
	return c.scratch[k+1][:c.n]
}

// givePartial weights a derivative and adds it to the adjoint of operand k, unless it was written there.
func (c *call) givePartial(k, j int, d, w []float64) {
	if d == nil {
		return
	}
	if w != nil {
		vector.Weight(c.n, d, d, w)
	}
	p := c.node.power
	switch {
	case !c.in[k].set:
		c.giveScaled(k, j, p, d)
	case p != 1:
		vector.Scale(c.n, d, d, p)
	}
}
