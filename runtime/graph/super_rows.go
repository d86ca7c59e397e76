package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A rowLikelihood is a likelihood with a vector function of its own, for one observation and one predictor
// per row. It sums over the rows of a loop; end returns its value.
type rowLikelihood struct {
	// prepare, where set, precomputes facts about the observations.
	prepare func(g *Graph, n *node)
	begin   func(s *rowSums)
	// rows adds column j of a block, given the predictor eta. If d is not nil, it is set to the derivative in
	// the predictor.
	rows func(c *call, j int, eta, d []float64)
	// linear is rows for a linear predictor, given as matrix, coefficients and offset.
	linear func(c *call, p *vector.Predictor)
	end    func(c *call) float64
	// signed is true where linear reads the observations as signs.
	signed bool
	// byRow, where set, is the likelihood where the other parameter is data with a value for each row.
	byRow *rowLikelihood
	// finite is true where the kernel has no value at an infinite predictor, such as the log of an exposure
	// of 0, at which the density has a limit.
	finite bool
}

// rowSums holds the sums of one step.
type rowSums struct {
	logs      vector.LogProduct
	sum, dphi vector.SplitSum
	predictor linearState
}

// A histogram counts how often each value occurs among the observations.
type histogram struct{ counts, times []float64 }

var opRows = &op{
	name: "fused", doc: "a log density of rows without weights, value and partials in one step", least: 1,
	infer:   inferDensity,
	begin:   func(c *call) { c.node.rows.begin(c.sums) },
	forward: runRows,
	end:     endRows,
	vjp:     func(*call) {}, // done in forward
}

// rowLikelihoods holds the likelihoods with vector functions of their own, except the normal density, which
// rewriteNormal handles.
var rowLikelihoods = [...]*rowLikelihood{
	def.BernoulliLogitRows: {
		begin: func(s *rowSums) { s.logs.Reset() },
		rows: func(c *call, j int, eta, d []float64) {
			c.sums.logs.BernoulliLogit(c.n, eta, c.vec(0, j), d)
		},
		linear: func(c *call, p *vector.Predictor) {
			c.sums.logs.BernoulliLogitLinear(c.n, p, c.node.signs[c.row:])
		},
		signed: true,
		end:    func(c *call) float64 { return c.sums.logs.Value(1) },
	},
	def.BinomialLogitRows: {
		begin: func(s *rowSums) { s.logs.Reset() },
		rows: func(c *call, j int, eta, d []float64) {
			c.sums.logs.BinomialLogit(c.n, eta, c.vec(0, j), c.in[1].val.buf[0], d)
		},
		linear: func(c *call, p *vector.Predictor) {
			c.sums.logs.BinomialLogitLinear(c.n, p, c.vec(0, 0), c.in[1].val.buf[0])
		},
		end:    func(c *call) float64 { return c.sums.logs.Value(c.in[1].val.buf[0]) },
		finite: true,
		byRow: &rowLikelihood{
			begin: func(s *rowSums) { s.sum = vector.SplitSum{} },
			rows: func(c *call, j int, eta, d []float64) {
				vector.BinomialTrials(c.n, &c.sums.sum, eta, c.vec(0, j), c.vec(1, j), d)
			},
			end:    func(c *call) float64 { return c.sums.sum.Sum() },
			finite: true,
		},
	},
	def.PoissonLogRows: {
		begin: func(s *rowSums) { s.sum = vector.SplitSum{} },
		rows: func(c *call, j int, eta, d []float64) {
			vector.PoissonLog(c.n, &c.sums.sum, eta, c.vec(0, j), d)
		},
		linear: func(c *call, p *vector.Predictor) {
			vector.PoissonLogLinear(c.n, &c.sums.sum, p, c.vec(0, 0))
		},
		end:    func(c *call) float64 { return c.sums.sum.Sum() },
		finite: true,
	},
	def.NegBinomial2LogRows: {
		prepare: countObservations,
		begin:   func(s *rowSums) { s.sum, s.dphi = vector.SplitSum{}, vector.SplitSum{} },
		rows: func(c *call, j int, eta, d []float64) {
			vector.NegBinomial2Log(c.n, &c.sums.sum, &c.sums.dphi, eta, c.vec(0, j), c.in[2].val.buf[0], d)
		},
		linear: func(c *call, p *vector.Predictor) {
			vector.NegBinomial2LogLinear(c.n, &c.sums.sum, &c.sums.dphi, p, c.vec(0, 0), c.in[2].val.buf[0])
		},
		end:    endNegBinomial,
		finite: true,
	},
	def.BernoulliProbitRows: {
		begin: func(s *rowSums) { s.sum = vector.SplitSum{} },
		rows: func(c *call, j int, eta, d []float64) {
			vector.BernoulliProbit(c.n, &c.sums.sum, eta, c.vec(0, j), d)
		},
		linear: func(c *call, p *vector.Predictor) {
			vector.BernoulliProbitLinear(c.n, &c.sums.sum, p, c.vec(0, 0))
		},
		end:    func(c *call) float64 { return c.sums.sum.Sum() },
		finite: true,
	},
	def.GeometricRows: { // the negative binomial with a dispersion of 1, whose other terms cancel
		begin: func(s *rowSums) { s.sum = vector.SplitSum{} },
		rows: func(c *call, j int, eta, d []float64) {
			vector.NegBinomial2Log(c.n, &c.sums.sum, &c.sums.dphi, eta, c.vec(0, j), 1, d)
		},
		linear: func(c *call, p *vector.Predictor) {
			vector.NegBinomial2LogLinear(c.n, &c.sums.sum, &c.sums.dphi, p, c.vec(0, 0), 1)
		},
		end:    func(c *call) float64 { return c.sums.sum.Sum() },
		finite: true,
	},
	def.StudentTRows: {
		begin: func(s *rowSums) { s.logs.Reset(); s.dphi = vector.SplitSum{} },
		rows: func(c *call, j int, eta, d []float64) {
			inverse, slope := c.studentScale()
			c.sums.logs.StudentT(c.n, &c.sums.dphi, c.vec(0, j), eta, inverse, slope, d)
		},
		linear: func(c *call, p *vector.Predictor) {
			inverse, slope := c.studentScale()
			c.sums.logs.StudentTLinear(c.n, &c.sums.dphi, p, c.vec(0, 0), inverse, slope)
		},
		end: endStudentT,
	},
}

// rewriteRows applies rowLikelihoods.
var rewriteRows = rewrite{"rows", func(g *Graph, id ID) {
	n := &g.nodes[id]
	r := rowLoop(g.nodes, n)
	if r == nil || r.finite && infinite(g.nodes, n.in[n.predictor()]) {
		return
	}
	n.op, n.rows = opRows, r
	if r.prepare != nil {
		r.prepare(g, n)
	}
}}

// rowLoop returns the loop over rows that computes a density, nil where there is none.
func rowLoop(nodes []node, n *node) *rowLikelihood {
	r := rowLikelihoods[n.unweighted()]
	if r == nil || !n.links[0].rows || !n.links[n.predictor()].rows || !observed(nodes, n) {
		return nil
	}
	numbers, data := true, true
	for k := 1; k < len(n.in); k++ {
		if k == n.predictor() {
			continue
		}
		p := &nodes[n.in[k]]
		numbers = numbers && !n.links[k].rows && p.shape.Len() == 1
		data = data && n.links[k].rows && p.kind == constant
	}
	switch {
	case numbers:
		return r
	case data:
		return r.byRow
	}
	return nil
}

// infinite reports whether data that are infinite enter a value.
func infinite(nodes []node, id ID) bool {
	seen := map[ID]bool{}
	var found func(id ID) bool
	found = func(id ID) bool {
		if seen[id] {
			return false
		}
		seen[id] = true
		n := &nodes[id]
		return slices.ContainsFunc(n.values, func(v float64) bool {
			return math.IsInf(v, 0)
		}) || slices.ContainsFunc(n.in, found)
	}
	return found(id)
}

// predictor is the position of the linear predictor among the inputs of a density.
func (n *node) predictor() int { return n.likely.dist.Link.Param + 1 }

func runRows(c *call) {
	eta := c.node.predictor()
	for j := range c.width {
		d := c.partial(eta, j)
		c.node.rows.rows(c, j, c.vec(eta, j), d)
		c.givePartial(eta, j, d, nil)
	}
}

// countObservations counts how often each observation occurs.
func countObservations(g *Graph, n *node) {
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
}

// endNegBinomial adds the terms that depend on phi and the counts only.
func endNegBinomial(c *call) float64 {
	h, phi := c.node.counted, c.in[2].val.buf[0]
	if !(phi > 0) {
		return math.NaN()
	}
	vector.Rising(len(h.counts), &c.sums.sum, &c.sums.dphi, h.counts, h.times, phi)
	if c.wants(2) {
		c.in[2].adj.buf[0] += float64(c.node.power * c.sums.dphi.Sum())
	}
	return c.sums.sum.Sum()
}

// studentScale returns 1/(sigma·√nu) and (nu+1) times that.
func (c *call) studentScale() (inverse, slope float64) {
	nu := c.num(1, 0)
	inverse = 1 / (c.num(3, 0) * math.Sqrt(nu))
	return inverse, (nu + 1) * inverse
}

// endStudentT adds the density at the location, which the distribution computes, once for each row.
func endStudentT(c *call) float64 {
	nu, sigma, b := c.num(1, 0), c.num(3, 0), &c.density.block
	if !(nu > 0 && sigma > 0) {
		return math.NaN()
	}
	at, s := c.scratch[0][:2], c.density
	at[0] = 0
	b.N, b.X, b.Theta, b.DTheta = 1, def.BlockArg{V: at[:1]}, s.theta, s.dtheta
	s.theta[0], s.theta[1], s.theta[2] = c.arg(1, 0), b.X, c.arg(3, 0)
	s.dtheta[0] = at[1:]
	rows := float64(c.node.frame * c.node.width)
	value, logs, share := c.node.likely.dist.LogDensity(b), c.sums.logs.Value(1), c.sums.dphi.Sum()
	if c.wants(1) {
		*c.dnum(1, 0) += float64(c.node.power * (float64(rows*at[1]) + float64(0.5*logs) +
			float64((nu+1)*share)/(2*nu)))
	}
	if c.wants(3) {
		*c.dnum(3, 0) += float64(c.node.power * ((float64((nu+1)*share) - rows) / sigma))
	}
	return float64(rows*value) + float64(0.5*float64((nu+1)*logs))
}
