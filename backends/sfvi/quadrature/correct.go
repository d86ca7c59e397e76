package quadrature

import (
	"context"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/spill"
)

// Draws are corrected on θ alone: log p has the auxiliary variables integrated out, as the likelihood with
// their noise on the predictor.

// fromFit makes the batch of draws from the parties' own Gaussians.
func (p *party) fromFit(columns int, noise density.Stream) {
	p.sample = &sample{columns: columns, start: make([]float64, columns*p.d)}
	copy(p.q.precision.Lower, p.now.factor)
	for c := range columns {
		theta := p.sample.column(c, p.d)
		if c > 0 {
			noise.Round(uint64(c - 1))
			noise.FillNormals(theta)
			p.q.precision.Backward(theta)
		}
		vec.Accumulate(p.d, theta, p.now.theta)
	}
}

// square is (θ − mean)ᵀM(θ − mean) for the precision of the prior, as of a draw of the joint Gaussian but for
// its likelihood, or of the party's own Gaussian.
func (p *party) square(theta []float64, joint bool) float64 {
	mean := p.sample.column(0, p.d)
	diff, m := make([]float64, p.d), make([]float64, p.d)
	vec.Sub(p.d, diff, theta, mean)
	if joint {
		for i := range m {
			m[i] = vec.Dot(p.d, p.lin.Prior.Precision[i*p.d:], diff)
		}
		return vec.Dot(p.d, diff, m)
	}
	for i := range p.d { // |Lᵀ diff|²
		v := 0.0
		for j := i; j < p.d; j++ {
			v += float64(p.now.factor[j*p.d+i] * diff[j])
		}
		m[i] = v
	}
	return vec.Dot(p.d, m, m)
}

// batch is the exchange in which the draws are evaluated, a piece of them: the mean's cuts, and those of the
// draws.
type batch struct {
	*Kernel
	piece
}

// numbers is how many scalars a client sends in a piece: for each draw two, and with the first those of noise
// and dimensions.
func (k batch) numbers() int {
	n := 2 * k.weighed().len()
	if k.from == 0 {
		n += k.sums + 1
	}
	return n
}

// weighed are the draws of which scalars cross in a piece: those of the further sets follow the last that
// cross.
func (k batch) weighed() piece {
	ids := k.ids()
	if k.to == k.crossing+1 {
		ids.to = k.size
	}
	return ids
}

func (k batch) Send(b int, up [][]float64, scalars []float64) {
	p, draws := k.parties[b], k.weighed()
	theta := make([]float64, p.d)
	for id := draws.from; id < draws.to; id++ {
		k.proposed(p.sample.start, p.d, id, theta)
		i := id - draws.from
		scalars[i], scalars[draws.len()+i] = algebra.Value(&p.lin.Prior, theta, p.step),
			p.square(theta, k.joint())
	}
	for c := k.from; c < k.to; c++ {
		if copy(theta, p.sample.column(0, p.d)); c > 0 {
			k.proposed(p.sample.start, p.d, c-1, theta)
		}
		for i, at := range p.lin.Members {
			p.cut(at, theta, up[i][(c-k.from)*at.Len:])
		}
	}
	if k.from > 0 {
		return
	}
	rest := scalars[2*draws.len():]
	clear(rest)
	for _, at := range p.lin.Members {
		rest[at.Group] = p.noiseOf(at)
	}
	rest[k.sums] = float64(p.d)
}

// weights are what the server has of a batch: log p of the draws so far, their squared lengths, the sums'
// noise, the number of all parameters, and the predictors of the mean.
type weights struct {
	logs, squares, noise []float64
	dims                 float64
	centre               [][]float64
}

func (w *weights) copied() *weights {
	c := *w
	c.logs, c.squares, c.centre = slices.Clone(w.logs), slices.Clone(w.squares), nil
	return &c
}

// take adds the scalars of a piece.
func (k batch) take(total []float64) {
	w, draws := &k.weights, k.weighed()
	if k.from == 0 {
		*w = weights{logs: make([]float64, k.size), squares: make([]float64, k.size),
			noise: slices.Clone(total[2*draws.len():][:k.sums]),
			dims:  total[2*draws.len()+k.sums] + float64(k.server.d)}
	}
	copy(w.logs[draws.from:], total[:draws.len()])
	copy(w.squares[draws.from:], total[draws.len():2*draws.len()])
}

// conclude writes log p − log q of the draws so far, what follows from them, and whether the others are left
// out.
func (k *Kernel) conclude(w *weights, out []float64) {
	n := len(out) - verdicts
	logs, squares := out[:n], w.squares[:n]
	copy(logs, w.logs)
	for i, s := range squares {
		logs[i] += float64(0.5 * s)
	}
	out[n], out[n+1], out[n+2] = 0, 0, 0
	if normal, vain := importance.Conclude(logs, squares, int(w.dims)); normal {
		out[n] = 1
	} else if n < k.size && vain {
		out[n+2] = 1
	}
	if k.convex {
		out[n+1] = 1
	}
	k.concluded(out)
}

// verdicts is how many numbers follow log p − log q: whether the approximation is the posterior, whether
// there may be several modes, and whether more weights would be in vain.
const verdicts = 3

func (k *Kernel) concluded(out []float64) {
	n := len(out) - verdicts
	k.ratios = append(k.ratios[:0], out[:n]...)
	k.normal, k.convex, k.vain = out[n] == 1, out[n+1] == 1, out[n+2] == 1
}

func (k batch) Answer(sum [][]float64, total []float64, _ [][]float64, out []float64) {
	s, w := k.server, &k.weights
	k.take(total)
	if k.byDraws() {
		if k.hold(sum, k.piece); len(out) == 0 {
			return
		}
		// What the first draws decide leaves no trace where the others follow: these begin with the fit's
		// globals, and with what the clients have sent.
		sum, k.piece = k.held, piece{0, k.to}
		w = w.copied()
		if s.globals.restore(); k.to <= k.crossing {
			s.globals.remember()
		}
		s.adjustByDraws(sum, w.noise, k.to-1, k.Kernel)
		k.sampleGlobals()
	}
	var phi, by []float64
	if g := s.globals; g != nil {
		phi, by = append(phi, g.mean...), make([]float64, g.m)
		if k.from == 0 {
			w.dims += float64(g.m)
		}
	}
	likelihoods := withNoise(s.rows, w.noise)
	weigh := func(id int, theta []float64, sum [][]float64) {
		w.logs[id] += algebra.Value(&s.lin.Prior, theta, s.step)
		w.squares[id] += s.square(theta, k.joint())
		if g := s.globals; g != nil {
			k.proposed(g.sample, g.m, id, phi)
			w.logs[id] += g.Density(phi, by)
		}
		w.squares[id] += k.squareOfRows(theta, sum, w.centre, phi)
		for _, l := range likelihoods {
			w.logs[id] += l.value(phi, func(r *rows, from int, eta []float64) {
				s.predict(r, from, theta, sum[r.Group], eta)
			})
		}
	}
	theta, at := make([]float64, s.d), make([][]float64, len(sum))
	for c := k.from; c < k.to; c++ {
		for g, v := range sum {
			n := s.lin.Sums[g]
			at[g] = v[(c-k.from)*n:][:n]
		}
		if c > 0 {
			k.proposed(s.sample.start, s.d, c-1, theta)
			weigh(c-1, theta, at)
			continue
		}
		for i, r := range s.rows {
			w.centre = append(w.centre, make([]float64, r.n))
			s.predict(r, 0, s.sample.column(0, s.d), at[r.Group], w.centre[i])
		}
	}
	if k.keep(sum); k.to == k.crossing+1 {
		k.further(func(id int, sum [][]float64) {
			k.proposed(s.sample.start, s.d, id, theta)
			weigh(id, theta, sum)
		})
	}
	if len(out) > 0 {
		if !k.joint() { // else it is known
			k.convex = slices.ContainsFunc(likelihoods, (*together).somewhereConvex)
		}
		k.conclude(w, out)
	}
}

// predict sets eta to predictors, from one on, given the server's parameters and the clients' sum.
func (s *server) predict(r *rows, from int, theta, sum, eta []float64) {
	algebra.ApplyFrom(&r.Affine, from, theta, eta)
	vec.Accumulate(len(eta), eta, sum[from:])
}

// awayFrom is the squared length, by the curvatures, of how far the predictors of a draw are from those of
// the mean.
func (s *server) awayFrom(r *rows, theta, sum, centre []float64) (squares float64) {
	for p := range r.parts() {
		s.predict(r, p.from, theta, sum, p.at)
		vec.Sub(p.n, p.at, p.at, centre[p.from:])
		p.weigh(p.at, p.lp)
		squares += vec.Dot(p.n, p.at, p.lp)
	}
	return squares
}

// squareOfRows is what the predictors of a draw and its globals add to its squared length.
func (k *Kernel) squareOfRows(theta []float64, sum, centre [][]float64, phi []float64) (squares float64) {
	s := k.server
	if s.globals == nil {
		for i, r := range s.rows {
			if k.joint() {
				squares += s.awayFrom(r, theta, sum[r.Group], centre[i])
			}
		}
		return squares
	}
	beside := make([]float64, s.globals.m)
	if k.joint() {
		root := s.conjugate.root
		away := make([]float64, root.n)
		for i, r := range s.rows {
			at := away[s.conjugate.at[i]:][:r.n]
			s.predict(r, 0, theta, sum[r.Group], at)
			vec.Sub(r.n, at, at, centre[i])
		}
		root.back(away)
		root.beside(away, 1, beside)
		squares = vec.Dot(len(away), away, away)
	}
	return squares + s.globals.square(phi, beside)
}

// hold keeps the sums of a piece until all are there.
func (k *Kernel) hold(sum [][]float64, of piece) {
	if of.from == 0 {
		k.held = make([][]float64, len(sum))
	}
	for g, v := range sum {
		n := len(v) / of.len()
		if of.from == 0 {
			k.held[g] = make([]float64, n*(k.crossing+1))
		}
		copy(k.held[g][n*of.from:], v)
	}
}

// byDraws reports whether parameters that the likelihood has beside its predictor are fitted to the draws of
// a batch.
func (k *Kernel) byDraws() bool { return k.server.globals != nil && !k.joint() }

// proposed sets out to draw id of a batch with the tails of the proposal: a draw and its reflection have one
// scale.
func (k *Kernel) proposed(columns []float64, d, id int, out []float64) {
	importance.Proposed(columns, d, id, k.scales[id/2], out)
}

// sampleGlobals draws the globals.
func (k *Kernel) sampleGlobals() {
	if g := k.server.globals; g != nil {
		var beside []float64
		if k.joint() {
			beside = k.server.conjugate.beside
		}
		g.beginSample(k.server.sample.columns, beside, k.env.Private(0, "sfvi globals"))
	}
}

// adjustByDraws is adjust where mean and variance of the predictors are those of the first draws of a batch.
func (s *server) adjustByDraws(sum [][]float64, noise []float64, draws int, k *Kernel) {
	theta := make([]float64, s.d)
	for _, r := range s.rows {
		r.integrateOut(noise[r.Group])
		clear(r.variance)
		predictors := make([]float64, r.n)
		for c := range draws + 1 {
			if copy(theta, s.sample.column(0, s.d)); c > 0 {
				k.proposed(s.sample.start, s.d, c-1, theta)
			}
			s.predict(r, 0, theta, sum[r.Group][c*r.n:], predictors)
			if c == 0 {
				copy(r.mean, predictors)
				continue
			}
			for i, eta := range predictors {
				r.variance[i] += (eta - r.mean[i]) * (eta - r.mean[i]) / float64(draws)
			}
		}
	}
	s.adjust()
}

// A client takes the ratios as the server answers them.
func (k batch) Receive(_ int, _ [][]float64, out []float64) {
	if len(out) > 0 {
		k.concluded(out)
	}
}

// evaluate makes the joint Gaussian where that is wanted, and corrects the fit by importance sampling where
// that is.
func (k *Kernel) evaluate(ctx context.Context) error {
	columns := 1 + k.crossing/2
	k.rest()
	if k.options.AtClients {
		k.marginalise()
	}
	if k.options.AtClients && k.joint() {
		if err := k.expand(ctx); err != nil {
			return err
		}
	}
	for b, p := range k.parties {
		from := k.env.Private(b, "sfvi draw")
		if !k.joint() {
			p.fromFit(columns, from)
		} else if !p.beginSample(columns, from) {
			return errFlat
		}
		if b == 0 && k.server != nil {
			k.server.noise = k.env.Private(b, "sfvi rows")
			k.server.conjugate = k.server.newConjugate(columns, k.server.noise)
		}
	}
	if k.joint() {
		if err := k.solve(ctx, columns); err != nil {
			return err
		}
		k.addSets()
		if k.server != nil {
			k.server.conjugate.rest()
		}
		spill.GiveBack(few * k.rows)
	}
	if k.options.Weigh {
		if err := k.weigh(ctx); err != nil {
			return err
		}
		k.weights, k.held = weights{}, nil
	}
	if s := k.server; s != nil {
		if s.conjugate = nil; k.options.AtClients {
			s.rows = nil
		}
	}
	k.restRows()
	return nil
}

// rest drops what a fit that has ended needs no longer.
func (k *Kernel) rest() {
	for _, p := range k.parties {
		p.rest()
	}
	if s := k.server; s != nil {
		s.endSpan()
	}
	spill.GiveBack(few * k.rows)
}

// few is how many vectors of all rows are gone at least where a phase of a fit ends.
const few = 4

// restRows drops what no draw needs.
func (k *Kernel) restRows() {
	for _, p := range k.parties {
		for _, r := range p.rows {
			r.rest(true)
		}
		p.noisy = nil
	}
}

// weigh finds log p − log q at the draws, the first ones and then the others, unless the first weights say
// that these would be in vain: in one round trip each where the server has the likelihood, else in two, or
// more of them in pieces.
func (k *Kernel) weigh(ctx context.Context) error {
	first, done := k.firstDecision(), 0
	pieces := k.divide(k.divide(nil, first), k.crossing+1)
	for _, p := range pieces {
		decided := p.to == first || p.to == k.crossing+1
		answers, b := 0, batch{k, p}
		if decided {
			answers = b.weighed().to + verdicts
		}
		size := density.RelaySize{Columns: p.len(), Scalars: b.numbers(), Answers: answers}
		var by density.Relayed = b
		if k.options.AtClients {
			size.Answers, by = k.shared*p.len(), sums{b}
		}
		if err := k.relay.Relay(ctx, Batch, size, by); err != nil {
			return err
		}
		if decided && k.options.AtClients {
			of := piece{done, p.to - 1}
			if err := k.relay.Relay(ctx, weighingExchange,
				density.RelaySize{Scalars: of.len(), Answers: answers}, weighing{k, of}); err != nil {
				return err
			}
			done = of.to
		}
		if decided && k.vain {
			return nil
		}
	}
	return nil
}

// solve finds the draws of the joint Gaussian.
func (k *Kernel) solve(ctx context.Context, columns int) error {
	pieces := k.pieces(columns)
	k.solves, k.solved = 0, false
	for !k.solved {
		if err := k.iterateSolution(ctx, pieces); err != nil {
			return err
		}
		if k.solves++; k.solves > mostCG && !k.solved {
			return errUnsolved
		}
	}
	return nil
}

// iterateSolution is one step of that. The first directions of a column follow from its cuts alone; later
// ones from the products of all columns, so that pieces go up before the first comes down.
func (k *Kernel) iterateSolution(ctx context.Context, pieces []piece) error {
	last := len(pieces) - 1
	if k.solves == 0 {
		last = 0
	}
	for i := range len(pieces) + last {
		e := solving{Kernel: k}
		if i < len(pieces) {
			e.up = pieces[i]
		}
		if i >= last {
			e.down = pieces[i-last]
		}
		size := density.RelaySize{Columns: e.up.len(), Back: e.down.len() - e.up.len(), Scalars: k.sums,
			Answers: 1, Over: true}
		if k.solves == 0 && i == 0 {
			size.Columns, size.Back = size.Columns+2, size.Back-2 // mean and variance
		}
		if err := k.relay.Relay(ctx, solvingExchange, size, e); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) joint() bool { return k.options.Theta == Joint }
