package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// A rowLikelihood is a likelihood with a kernel of its own for observations and predictors by rows. It adds up over all rows of a loop and is
// worth what its end returns.
type rowLikelihood struct {
	dist string
	eta  int // the input that is the predictor
	// suits reports whether the observations, and what else there is, are as the kernel takes them.
	suits func(g *Graph, n *node) bool
	begin func(s *rowSums)
	// rows adds column j of a block and sets d, unless it is nil, to the derivative in the predictor.
	rows func(c *call, j int, d []float64)
	// linear is rows for a predictor in parts.
	linear func(c *call, p *vector.Predictor)
	end    func(c *call) float64
}

// rowSums are the sums of one step.
type rowSums struct {
	logs      vector.LogProduct
	sum, dphi vector.Lanes
	predictor linearState
}

// A histogram is how often each count occurs among the observations.
type histogram struct{ counts, times []float64 }

var opRows = &op{
	name: "fused", doc: "a log density of rows without weights, value and partials in one step", least: 1,
	infer:   inferDensity,
	begin:   func(c *call) { c.node.rows.begin(c.sums) },
	forward: runRows,
	end:     endRows,
	vjp:     func(*call) {}, // done in forward
}

// rowLikelihoods lists the likelihoods that have a kernel.
var rowLikelihoods = []*rowLikelihood{
	{
		dist: "bernoulli_logit", eta: 1, suits: suitsBernoulli,
		begin: func(s *rowSums) { s.logs.Reset() },
		rows: func(c *call, j int, d []float64) {
			c.sums.logs.BernoulliLogit(c.n, c.vec(1, j), c.vec(0, j), d)
		},
		linear: func(c *call, p *vector.Predictor) { c.sums.logs.BernoulliLogitLinear(c.n, p, c.vec(0, 0)) },
		end:    func(c *call) float64 { return c.sums.logs.Value(1) },
	},
	{
		dist: "binomial_logit", eta: 2, suits: suitsBinomial,
		begin: func(s *rowSums) { s.logs.Reset() },
		rows: func(c *call, j int, d []float64) {
			c.sums.logs.BinomialLogit(c.n, c.vec(2, j), c.vec(0, j), c.in[1].val.buf[0], d)
		},
		linear: func(c *call, p *vector.Predictor) {
			c.sums.logs.BinomialLogitLinear(c.n, p, c.vec(0, 0), c.in[1].val.buf[0])
		},
		end: func(c *call) float64 { return c.sums.logs.Value(c.in[1].val.buf[0]) },
	},
	{
		dist: "poisson_log", eta: 1, suits: func(g *Graph, n *node) bool { return g.observed(n, isCount) },
		begin: func(s *rowSums) { s.sum = vector.Lanes{} },
		rows: func(c *call, j int, d []float64) {
			vector.PoissonLog(c.n, &c.sums.sum, nil, c.vec(1, j), c.vec(0, j), d)
		},
		linear: func(c *call, p *vector.Predictor) { vector.PoissonLogLinear(c.n, &c.sums.sum, p, c.vec(0, 0)) },
		end:    func(c *call) float64 { return c.sums.sum.Sum() },
	},
	{
		dist: "neg_binomial_2_log", eta: 1, suits: suitsNegBinomial,
		begin: func(s *rowSums) { s.sum, s.dphi = vector.Lanes{}, vector.Lanes{} },
		rows: func(c *call, j int, d []float64) {
			vector.NegBinomial2Log(c.n, &c.sums.sum, &c.sums.dphi, nil, c.vec(1, j), c.vec(0, j), c.in[2].val.buf[0], d)
		},
		linear: func(c *call, p *vector.Predictor) {
			vector.NegBinomial2LogLinear(c.n, &c.sums.sum, &c.sums.dphi, p, c.vec(0, 0), c.in[2].val.buf[0])
		},
		end: endNegBinomial,
	},
}

// rewriteRows finds likelihoods of rowLikelihoods.
var rewriteRows = rewrite{"rows", func(g *Graph, id ID) {
	n := &g.nodes[id]
	for _, r := range rowLikelihoods {
		if n.unweighted(r.dist) && n.links[0].rows && n.links[r.eta].rows && r.suits(g, n) {
			n.op, n.rows = opRows, r
			return
		}
	}
}}

func runRows(c *call) {
	r := c.node.rows
	for j := range c.width {
		d := c.partial(r.eta, j)
		r.rows(c, j, d)
		c.givePartial(r.eta, j, d, nil)
	}
}

// observed reports whether the left side of a density is constant and all its values are allowed.
func (g *Graph) observed(n *node, allowed func(y float64) bool) bool {
	x := &g.nodes[n.in[0]]
	if x.kind != constant {
		return false
	}
	for _, y := range x.values {
		if !allowed(y) {
			return false
		}
	}
	return true
}

func isCount(y float64) bool { return y >= 0 && y == math.Floor(y) && y <= math.MaxFloat64 }

func suitsBernoulli(g *Graph, n *node) bool {
	return g.observed(n, func(y float64) bool { return y == 0 || y == 1 })
}

// suitsBinomial needs one number of trials for all.
func suitsBinomial(g *Graph, n *node) bool {
	trials := &g.nodes[n.in[1]]
	if trials.kind != constant || len(trials.values) != 1 {
		return false
	}
	most := trials.values[0]
	return isCount(most) && g.observed(n, func(y float64) bool { return isCount(y) && y <= most })
}

// suitsNegBinomial needs one phi for all. It counts how often each observation occurs.
func suitsNegBinomial(g *Graph, n *node) bool {
	if g.nodes[n.in[2]].shape.Len() != 1 || !g.observed(n, isCount) {
		return false
	}
	place := map[float64]int{}
	n.counted = &histogram{}
	for _, y := range g.nodes[n.in[0]].values {
		k, ok := place[y]
		if !ok {
			k = len(place)
			place[y] = k
			n.counted.counts, n.counted.times = append(n.counted.counts, y), append(n.counted.times, 0)
		}
		n.counted.times[k]++
	}
	return true
}

// endNegBinomial adds what depends on phi and the counts alone.
func endNegBinomial(c *call) float64 {
	h, phi := c.node.counted, c.in[2].val.buf[0]
	if !(phi > 0) {
		return math.NaN()
	}
	vector.Rising(len(h.counts), &c.sums.sum, &c.sums.dphi, h.counts, h.times, phi)
	if c.wants(2) {
		c.in[2].adj.buf[0] += c.node.power * c.sums.dphi.Sum()
	}
	return c.sums.sum.Sum()
}
