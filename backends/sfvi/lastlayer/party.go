package lastlayer

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A party is one block, with its point and what it knows of the likelihood there.
type party struct {
	block density.Standalone
	role  density.BlockRole
	cond  *density.Conditional // its density given hidden layers; nil: it has none
	noise density.Stream       // of the start

	theta []float64 // where it is, or would be
	base  []float64 // the best point so far
	g     []float64 // cuts at theta
	begun []float64 // cuts at base
	adj   []float64 // derivative of the likelihood by them there
	curve []float64 // minus the second derivative
	seeds []float64
	own   []float64
	zeros []float64

	cuts      density.DifferentiableCuts // of a client with hidden layers
	precision []float64                  // of its last layer's prior
}

// Applies is the reason why a block does not suit; nil: it does.
func Applies(block density.Block) error {
	_, err := newParty(block)
	return err
}

func newParty(block density.Block) (*party, error) {
	if len(block.Weights()) > 0 {
		return nil, fmt.Errorf("%s: it has weights, without priors, and a mode is that of a density: "+
			"nn.mlp, with a prior on every weight", block.Party())
	}
	s, err := density.RequireOf[density.Standalone](block)
	if err != nil {
		return nil, err
	}
	p := &party{block: s, role: s.BlockRole()}
	for _, v := range []*[]float64{&p.theta, &p.base} {
		*v = make([]float64, block.Dim())
	}
	for _, v := range []*[]float64{&p.g, &p.begun, &p.adj, &p.curve, &p.seeds, &p.own, &p.zeros} {
		*v = make([]float64, p.role.Cuts)
	}
	_, affine := quadrature.Applies(block, false, true)
	switch {
	case p.role.Shared > 0:
		return nil, fmt.Errorf("%s: parties share parameters", block.Party())
	case block.Index() == 0 || affine == nil:
		return p, affine
	}
	if p.cond, err = conditional(block); err != nil {
		return nil, err
	}
	if p.cuts, err = density.RequireOf[density.DifferentiableCuts](block); err != nil {
		return nil, err
	}
	return p, p.proper()
}

// conditional is a block's density given its hidden layers.
func conditional(block density.Block) (*density.Conditional, error) {
	b, err := density.RequireOf[density.ConditionalBlock](block)
	if err != nil {
		return nil, err
	}
	c, err := b.Conditional()
	if err == nil && len(c.Index) == 0 {
		err = fmt.Errorf("%s: no parameter enters its contribution linearly with a normal "+
			"prior, as a last layer does", block.Party())
	}
	return c, err
}

// proper is the reason why there may be no mode, or why the last layer's prior is not known where the hidden
// layers are.
func (p *party) proper() error {
	var forms [2]density.ConditionalForm
	for i := range forms {
		hyper := make([]float64, len(p.cond.Hyper))
		for k := range hyper {
			hyper[k] = float64(0.5*float64(i)) + 0.1
		}
		p.cond.At(hyper, nil, &forms[i])
	}
	a, b := &forms[0].Prior, &forms[1].Prior
	if !slices.EqualFunc(a.Precision, b.Precision, near) || !slices.EqualFunc(a.Gradient, b.Gradient, near) {
		return fmt.Errorf("%s: the prior of its last layer depends on other parameters: a "+
			"scale there is a number", p.block.Party())
	}
	p.precision = a.Precision
	low, high := p.slope(0.1), p.slope(0.6)
	for i, v := range low {
		if v == high[i] {
			return fmt.Errorf("%s: a parameter has a flat prior, and the density may have no mode",
				p.block.Party())
		}
	}
	return nil
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)) }

// slope is the gradient of the party's own density where all parameters are the same number.
func (p *party) slope(at float64) []float64 {
	theta, grad := make([]float64, len(p.theta)), make([]float64, len(p.theta))
	vec.Fill(len(theta), theta, at)
	p.block.Local(theta, p.g, p.own)
	p.block.Gradient(p.zeros, grad)
	return grad
}

// hidden lists the elements of θ that are of hidden layers.
func (p *party) hidden() []int {
	if p.cond == nil {
		return nil
	}
	return p.cond.Hyper
}

// start sets hidden layers to a draw of so many from their priors, as if these were normal with independent
// elements, and all else to 0.
func (p *party) start(number int) {
	clear(p.theta)
	if p.cond == nil {
		return
	}
	low, high, draw := p.slope(0), p.slope(1), make([]float64, len(p.theta))
	p.noise.Round(uint64(number))
	p.noise.FillNormals(draw)
	for _, i := range p.cond.Hyper {
		p.theta[i] = draw[i] / math.Sqrt(max(1, low[i]-high[i]))
	}
}

// starts is from how many draws of its hidden layers a party sets out: it goes on from where it comes
// highest.
const starts = 16

// set out finds the first point: the highest of those where steps from several starts end.
func (p *party) setOut(damping float64) {
	best, at := p.advance(damping), slices.Clone(p.theta)
	for number := 1; number < starts && p.cond != nil; number++ {
		p.start(number)
		if value := p.climb(damping); value > best {
			best = value
			copy(at, p.theta)
		}
	}
	copy(p.theta, at)
}

// advance climbs from the best point so far.
func (p *party) advance(damping float64) float64 {
	copy(p.theta, p.base)
	return p.climb(damping)
}

// climb maximises the party's own density plus the quadratic function of its cuts, with a multiple of the
// curvature, plus the evidence.
func (p *party) climb(damping float64) float64 {
	return algebra.Maximise(p.theta, mostSteps, func(theta, grad []float64) float64 {
		value := p.block.Local(theta, p.g, p.own)
		for i, g := range p.g {
			away, w := g-p.begun[i], float64(damping*p.curve[i])
			value += float64(p.adj[i]*away) - float64(0.5*float64(w*away)*away)
			p.seeds[i] = p.adj[i] - float64(w*away) + p.own[i]
		}
		p.block.Gradient(p.seeds, grad)
		return value + p.evidence(theta, grad)
	})
}

// featured is the block given its hidden layers.
func (p *party) featured() density.Block {
	if p.cond == nil {
		return p.block
	}
	c, hyper := p.cond, make([]float64, len(p.cond.Hyper))
	for k, i := range c.Hyper {
		hyper[k] = p.base[i]
	}
	var form density.ConditionalForm
	c.At(hyper, nil, &form)
	return features{p.block, &density.Linear{Index: c.Index, Cuts: form.Cuts, Prior: form.Prior,
		Members: c.Members, Sums: c.Sums, Clients: c.Clients}}
}

// features is a block whose hidden layers are data.
type features struct {
	density.Block
	linear *density.Linear
}

// Linear implements density.Linearisable.
func (f features) Linear(bool) (*density.Linear, error) { return f.linear, nil }
