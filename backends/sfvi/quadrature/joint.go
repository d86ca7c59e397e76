package quadrature

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// The joint Gaussian has the precision P + XᵀWX over the parameters of all parties: P the precisions of the
// priors, X the rows' derivatives in all parameters and W the curvatures at the fit. A draw θ solves a
// perturbed least squares problem (Papandreou and Yuille 2010):
//
//	θ_j = θ⁰_j + P_j⁻¹X_jᵀu,   (W⁻¹ + Σ_j X_j P_j⁻¹ X_jᵀ) u = m + r/w − Σ_j X_jθ⁰_j − ξ,
//
// with θ⁰_j from the party's prior, ξ ~ N(0, W⁻¹), m the predictors at the fit and r the slopes there. The
// server solves for u by conjugate gradients, for all draws at once, from sums of X_jP_j⁻¹X_jᵀu alone. Column
// 0 has no noise: its θ is the mean. Each draw comes with its reflection in the mean.

// Where a row sees several predictors W has a block for each. Where the likelihood has parameters φ beside
// its predictors, of precision A given all else and with the mixed curvatures B, what remains of W is W −
// BᵀA⁻¹B, and φ follows from the predictors of a draw. The square root of that is R.

// A sample is a party's part of a batch of columns: the mean, then draws.
type sample struct {
	columns   int
	prior     algebra.Factor // P_j
	start     []float64      // θ⁰ by column, and then θ
	direction []float64      // P_j⁻¹X_jᵀ times the server's directions
}

// beginSample draws θ⁰.
func (p *party) beginSample(columns int, noise density.Stream) bool {
	s := &sample{columns: columns, prior: algebra.NewFactor(p.d), start: make([]float64, columns*p.d),
		direction: make([]float64, columns*p.d)}
	p.sample = s
	copy(s.prior.Matrix, p.lin.Prior.Precision)
	if p.d == 0 {
		return true
	}
	if !s.prior.Definite() {
		return false
	}
	mean := append([]float64(nil), p.lin.Prior.Gradient...)
	s.prior.Solve(mean)
	sample := algebra.NewFactor(p.d) // the covariance of the noise
	for c := 1; c < columns; c++ {
		theta := s.column(c, p.d)
		noise.Round(uint64(c - 1))
		noise.FillNormals(theta)
		for i, v := range theta {
			vec.Axpy(p.d, sample.Matrix[i*p.d:], v/float64(columns-1), theta)
		}
	}
	// In directions of which the likelihood says nothing draws are those from the prior.
	match := columns-1 >= perPrior*p.d && sample.Definite()
	for c := range columns {
		theta := s.column(c, p.d)
		if match {
			sample.Forward(theta)
		}
		s.prior.Backward(theta)
		vec.Accumulate(p.d, theta, mean)
	}
	return true
}

// perPrior is the least number of draws from a prior for each parameter for their covariance to be matched.
const perPrior = 2

func (s *sample) column(c, d int) []float64 { return s.start[c*d:][:d] }

// conjugate is the server's part: conjugate gradients in v = R⁻¹u, of which all quantities are by row of all
// likelihoods, column by column.
type conjugate struct {
	n     int
	at    []int // of each likelihood
	root  *root
	level []float64 // Rᵀm + R⁻¹r, less what the server contributes at 0
	// by column and global: by how much its standardised mean is lower for the predictors of the draw
	beside []float64
	fitted []float64 // the same of those of the fit, less what the server contributes at 0
	// The right sides, which are the first directions, are noise and what lies in the range of the system
	// less the identity, as its products do: where there are more columns than that has dimensions, they are
	// held by their coordinates there.
	low               *lowRank
	cutsAt, productAt [][]float64 // by column
	noise             density.Stream
	short             *short // the solution where the first products give it
	// Else low is nil, and there are arrays: of the solution, what is left of the right sides, directions,
	// and the system times these. Until the first step the directions are r, and p and v are nil.
	v, r, p, q []float64
	squares    []float64 // rᵀr of each column
	first      []float64
	work       []float64
	raised     []float64 // a right side, or R times a vector
}

const (
	residual = 1e-4 // relative, of the solution
	mostCG   = 200
)

func (s *server) newConjugate(columns int, noise density.Stream) *conjugate {
	c := &conjugate{low: &lowRank{most: columns / 2, vector: s.lin.Vector, free: s.lin.Free}, noise: noise}
	c.cutsAt, c.productAt = make([][]float64, columns), make([][]float64, columns)
	for _, r := range s.rows {
		c.at = append(c.at, c.n)
		c.n += r.n
	}
	c.level, c.work, c.raised = make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
	c.squares, c.first = make([]float64, columns), make([]float64, columns)
	if s.globals != nil {
		c.beside, c.fitted = make([]float64, columns*s.globals.m), make([]float64, s.globals.m)
	}
	return c
}

// linearise expands the likelihood, in which the auxiliary variables' noise is integrated out, around the
// fit: means and variances of the cuts by sum.
func (s *server) linearise(mean, variance [][]float64, noise []float64) {
	for _, r := range s.rows {
		r.integrateOut(noise[r.Group])
		r.mixed = make([]float64, r.n*len(r.by))
		algebra.Apply(&r.Affine, s.now.theta, r.mean)
		s.q.spread(&r.Affine, 0, r.variance)
		vec.Accumulate(r.n, r.mean, mean[r.Group])
		vec.Accumulate(r.n, r.variance, variance[r.Group])
	}
	s.adjust()
}

// level finds the right sides of a row from slopes and curvatures.
func (s *server) level() {
	c := s.conjugate
	c.root = newRoot(s.rows, c.n, s.globals)
	for k, r := range s.rows {
		if copy(c.level[c.at[k]:], r.mean); r.Offset != nil {
			vec.Sub(r.n, c.level[c.at[k]:], r.mean, r.Offset)
		}
		copy(c.work[c.at[k]:], r.slope)
	}
	c.root.back(c.level)
	c.root.beside(c.level, 1, c.fitted)
	c.root.undo(c.work)
	vec.Accumulate(c.n, c.level, c.work)
}

// besides is what the globals' mean of a column is lower by.
func (c *conjugate) besides(col int) []float64 {
	m := len(c.fitted)
	return c.beside[col*m:][:m]
}

// adjust finds slopes and curvatures. Where there are globals q(φ) is that of the likelihood in which the
// noise is integrated out: auxiliary variables and a scale depend on one another, and in the fit they could
// not.
func (s *server) adjust() {
	total := func() (value float64) {
		if s.globals != nil {
			value = s.globals.begin()
		}
		for _, r := range s.rows {
			value += r.expect()
		}
		return value
	}
	if s.globals == nil {
		total()
		return
	}
	s.globals.climb(total)
	total()
}

// setOut sets the right sides of a piece from the cuts at θ⁰, by sum and column, and the first directions.
func (s *server) setOut(of piece, cuts [][]float64) {
	c, sm := s.conjugate, s.sample
	for col := of.from; col < of.to; col++ {
		r := c.raised
		if c.low == nil {
			r = c.right(col)
		}
		c.noised(col, r)
		vec.Axpy(len(c.fitted), c.besides(col), -1, c.fitted)
		c.root.beside(r, 1, c.besides(col))
		w := c.pulled(s, cuts, col-of.from, sm.column(col, s.d))
		vec.Sub(c.n, r, r, w)
		c.squares[col] = vec.Dot(c.n, r, r)
		c.first[col] = c.squares[col]
		if c.low == nil {
			continue
		}
		var ok bool
		if c.cutsAt[col], ok = c.low.add(w); !ok {
			r = slices.Clone(r)
			c.writeOut(col)
			copy(c.right(col), r)
		}
	}
}

// pulled is Rᵀ(X_0θ + the clients' part), which stays there until the next.
func (c *conjugate) pulled(s *server, cuts [][]float64, col int, theta []float64) []float64 {
	for k, l := range s.rows {
		w := c.work[c.at[k]:][:l.n]
		algebra.Times(&l.Affine, 0, theta, w)
		vec.Accumulate(l.n, w, cuts[l.Group][col*l.n:])
	}
	c.root.back(c.work)
	return c.work
}

// raise returns R times a vector, which stays there until the next, in the place of a right side.
func (c *conjugate) raise(v []float64) []float64 {
	copy(c.raised, v)
	c.root.onto(c.raised)
	return c.raised
}

// towards is the direction of a column.
func (c *conjugate) towards(col int) []float64 {
	if c.p == nil {
		return c.right(col)
	}
	return c.p[col*c.n:][:c.n]
}

// solution is that of a column, which stays there until the next.
func (c *conjugate) solution(col int) []float64 {
	if c.short == nil {
		return c.v[col*c.n:][:c.n]
	}
	copy(c.work, c.right(col))
	c.short.add(col, c.work)
	return c.work
}

// direct writes R times a vector of each column of a piece, by sum, for the clients.
func (c *conjugate) direct(s *server, of piece, from func(col int) []float64, down [][]float64) {
	for _, v := range down {
		clear(v)
	}
	for col := of.from; col < of.to; col++ {
		w := c.raise(from(col))
		for k, l := range s.rows {
			vec.Accumulate(l.n, down[l.Group][(col-of.from)*l.n:], w[c.at[k]:])
		}
	}
}

// own returns P_0⁻¹X_0ᵀRp.
func (c *conjugate) own(s *server, p []float64) []float64 {
	theta := make([]float64, s.d)
	if s.d == 0 {
		return theta
	}
	w := c.raise(p)
	for k, l := range s.rows {
		algebra.Pull(&l.Affine, w[c.at[k]:][:l.n], theta)
	}
	s.sample.prior.Solve(theta)
	return theta
}

// apply sets q to the system times p for a piece, given the sums of X_jP_j⁻¹X_jᵀ times the directions.
func (c *conjugate) apply(s *server, of piece, product [][]float64) {
	for col := of.from; col < of.to; col++ {
		p := c.towards(col)
		image := c.pulled(s, product, col-of.from, c.own(s, p))
		if c.low != nil {
			var ok bool
			copy(c.raised, image)
			if c.productAt[col], ok = c.low.add(c.raised); !ok {
				c.writeOut(len(c.first))
				p = c.right(col)
			}
		}
		if c.low == nil {
			vec.Add(c.n, c.q[col*c.n:], p, image)
		}
	}
}

// advance makes an iteration. It reports whether the solution is reached.
func (c *conjugate) advance(s *server) bool {
	if c.p == nil {
		c.p, c.v = slices.Clone(c.r), make([]float64, len(c.r))
	}
	worst := 0.0
	for col := range s.sample.columns {
		at := func(v []float64) []float64 { return v[col*c.n:][:c.n] }
		v, r, p, q := at(c.v), at(c.r), at(c.p), at(c.q)
		if c.squares[col] == 0 {
			continue
		}
		alpha := c.squares[col] / vec.Dot(c.n, p, q)
		vec.Axpy(c.n, v, alpha, p)
		vec.Axpy(c.n, r, -alpha, q)
		next := vec.Dot(c.n, r, r)
		vec.ScaleAdd(c.n, p, next/c.squares[col], p, r)
		c.squares[col] = next
		worst = max(worst, next/c.first[col])
	}
	return math.Sqrt(worst) <= residual
}

// solving is the exchange of an iteration, or of a piece of it: products up, directions down. The first
// brings the cuts at θ⁰, and with them, after its first piece, mean and variance of the cuts under the fit
// and the variances of the auxiliary variables; the last directions are the solution.
type solving struct {
	*Kernel
	up, down piece
}

func (k solving) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	s := p.sample
	clear(scalars)
	for i, at := range p.lin.Members {
		for c := k.up.from; c < k.up.to; c++ {
			v := up[i][(c-k.up.from)*at.Len:][:at.Len]
			if k.solves == 0 {
				p.cut(at, s.column(c, p.d), v)
			} else {
				algebra.Times(&p.lin.Cuts, at.Offset, s.direction[c*p.d:][:p.d], v)
			}
		}
		if v := up[i][k.up.len()*at.Len:]; k.solves == 0 && k.up.from == 0 {
			p.cut(at, p.now.theta, v)
			p.spreadOf(at, p.now, v[at.Len:])
			scalars[at.Group] = p.noiseOf(at)
		}
	}
}

func (k solving) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s := k.server
	c := s.conjugate
	out[0] = 0
	if k.solves == 0 {
		if k.up.from == 0 {
			k.linearise(sum, total)
		}
		s.setOut(k.up, sum)
		c.direct(s, k.down, c.towards, down)
		return
	}
	c.apply(s, k.up, sum)
	if k.down.from == 0 && k.down.to > 0 { // all products are here
		k.solved = k.solves == 1 && c.outright(s.sample.columns, s.noise, &k.exact) || c.advance(s) ||
			k.solves >= mostCG
		if k.solved {
			c.end(s)
			k.sampleGlobals()
		}
	}
	if !k.solved {
		c.direct(s, k.down, c.towards, down)
		return
	}
	if out[0] = 1; k.exact {
		out[0] = 2
	}
	c.direct(s, k.down, c.solution, down)
}

// end adds to the server's parameters and the globals of each draw what follows from the solution.
func (c *conjugate) end(s *server) {
	var left []float64
	if c.root.m > 0 {
		left = make([]float64, c.n)
	}
	for col := range s.sample.columns {
		v := c.solution(col)
		vec.Accumulate(s.d, s.sample.column(col, s.d), c.own(s, v))
		if c.root.m == 0 {
			continue
		}
		if copy(left, c.right(col)); c.short != nil {
			c.short.leave(col, left, v)
		}
		c.root.beside(left, -1, c.besides(col))
		c.root.beside(v, -1, c.besides(col))
	}
}

// rest drops all but the root, once there are draws.
func (c *conjugate) rest() {
	c.low.end()
	c.low, c.level, c.work, c.raised, c.short = nil, nil, nil, nil, nil
	c.v, c.r, c.p, c.q = nil, nil, nil, nil
}

// linearise prepares the system from mean and variance of the cuts, which follow the draws of the first
// piece.
func (k solving) linearise(sum [][]float64, noise []float64) {
	s := k.server
	if !k.options.AtClients { // else the clients have told slopes and curvatures
		var mean, variance [][]float64
		for g, v := range sum {
			n, at := s.lin.Sums[g], k.up.len()
			mean, variance = append(mean, v[at*n:(at+1)*n]), append(variance, v[(at+1)*n:])
		}
		s.linearise(mean, variance, noise)
	}
	s.level()
	if k.options.Weigh && !k.options.AtClients {
		k.convex = slices.ContainsFunc(withNoise(s.rows, noise), (*together).somewhereConvex)
	}
	for _, r := range s.rows {
		r.rest(false)
	}
}

func (k solving) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	s := p.sample
	k.solved, k.exact = out[0] > 0, out[0] == 2
	for c := k.down.from; c < k.down.to; c++ {
		theta := s.direction[c*p.d:][:p.d]
		clear(theta)
		for i, at := range p.lin.Members {
			algebra.PullFrom(&p.lin.Cuts, at.Offset, down[i][(c-k.down.from)*at.Len:][:at.Len], theta)
		}
		s.prior.Solve(theta)
		if k.solved {
			vec.Accumulate(p.d, s.column(c, p.d), theta)
		}
	}
}

// errUnsolved is a client's error: the server ends the iteration earlier.
var errUnsolved = fmt.Errorf("sfvi: the server asks for products after %d steps of the linear system, "+
	"which a fit never needs", mostCG)

var errFlat = errors.New("sfvi: the joint Gaussian needs priors that are proper normal " +
	"distributions, and one is flat")
