// Package quadrature is variational inference without sampling: q is Gaussian, every likelihood of rows sees a row through one predictor, and so the ELBO
// is one integral in one dimension a row beside closed forms. It is maximised by natural gradients, with the quadratic function around the
// iterate solved at each party.
//
// Methods: Khan and Lin (2017), "Conjugate-computation variational inference"; Walker and Ni (2011), "Anderson acceleration for fixed-point iterations"; Papandreou and
// Yuille (2010), "Gaussian sampling by local perturbations", for draws of the joint Gaussian.
package quadrature

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Options is what a user may choose.
type Options struct {
	Guide      string // form of q(z | θ)
	Theta      string // of q(θ): fullrank, meanfield or joint
	Iterations int
	Tolerance  float64 // of the ELBO
	Draws      int
	AtClients  bool   // the clients evaluate the likelihood
	Correct    bool   // by importance sampling
	Unfit      error  // why draws that should be corrected are not; nil: there is no reason
	Heading    string // of a saved state
}

// Forms of q(θ) beside a Gaussian with a full covariance for each party.
const (
	MeanField = "meanfield"
	Joint     = "joint"
)

// The phases of a run.
const (
	fitting = iota
	evaluating
	done
)

// A Kernel is one fit.
type Kernel struct {
	options Options
	env     density.Env
	relay   density.Relaying
	parties []*party
	server  *server // nil at a client's process
	phase   int
	iter    int
	verdict int
	damping float64
	elbo    float64
	rise    float64 // of the ELBO in the last iteration
	reached bool    // the ELBO rises no more
	mix     []float64
	shared  int // elements that the server sends
	sums    int // of contributions
	size    int // draws in a batch
	rows    int
	ratios  []float64
	solves  int // round trips of the linear system
	solved  bool
	failure error
	noise   []density.Stream // of draws
	noiseOf []float64        // totals of describeNoise, once they are known
	partial []float64        // of the ratios, at the server: all but the likelihood that the clients evaluate
}

// New prepares a fit. The error names what does not fit.
func New(env density.Env, o Options) (*Kernel, error) {
	k := &Kernel{options: o, env: env, mix: make([]float64, coefficients)}
	var err error
	if k.relay, err = density.Require[density.Relaying](env); err != nil {
		return nil, err
	}
	all := &rules{}
	for _, b := range env.Blocks() {
		lin, err := Applies(b, o.AtClients)
		if err != nil {
			return nil, err
		}
		p := newParty(b, lin, &o, all)
		k.parties = append(k.parties, p)
		if b.Index() == 0 {
			k.server = newServer(p, &o, lin.Sums, lin.Clients)
			k.shared = len(lin.Sends.Offset)
		} else {
			k.shared = lin.Received
		}
	}
	for b, p := range k.parties {
		k.noise = append(k.noise, env.Private(b, "sfvi draw"))
		k.sums = len(p.lin.Sums)
		k.rows = slices.Max(p.lin.Sums)
	}
	k.size = batchSize(k.rows, o.Draws)
	if r, ok := density.As[density.Reporter](env); ok && o.Guide == Coupled && r.ReadsAuxiliaries() {
		return nil, errCoupled
	}
	if err := k.expandable(); err != nil {
		return nil, err
	}
	k.noiseOf = make([]float64, perSum*k.sums)
	return k, nil
}

// columns is how many numbers cross for an element of a cut in the exchange of moments.
func (k *Kernel) columns() int {
	if k.options.Guide == Coupled && k.options.AtClients {
		return 3
	}
	return 2
}

// described is how many scalars tell of the noise of the sums.
func (k *Kernel) described() int {
	if k.options.Guide == Coupled || k.options.AtClients && k.evaluated() {
		return perSum * k.sums
	}
	return 0
}

// Has reports whether there is quadrature for a guide of auxiliary variables.
func Has(guide string) bool { return forms[guide] != nil }

// The largest problems that are solved unless asked for: parameters of a party, and elements of a matrix.
const (
	mostDim    = 1000
	mostMatrix = 1 << 26
)

// Affordable returns an error where solving at every party takes much time or memory.
func Affordable(b density.Block, l *density.Linear) error {
	n := len(l.Cuts.Offset)
	for _, r := range l.Rows {
		n = max(n, len(r.Offset))
	}
	if d := b.Dim(); d > mostDim || n*d > mostMatrix {
		return fmt.Errorf("%s: %d parameters over %d rows take long to solve for", b.Party(), d, n)
	}
	return nil
}

// Exchanges are those of a run.
func Exchanges(guide string, atClients, joint, correct bool) []density.Use {
	terms := "terms of the ELBO at its mean and of products of its latest iterates"
	if atClients {
		out := []density.Use{
			{Exchange: density.Moments, LeastAnswers: 0, MostAnswers: 10000, Answers: "mean and covariance of the server's parameters in the likelihood, under the approximation"},
			{Exchange: density.Mixing, Least: pairs, Most: pairs, Scalars: terms, LeastAnswers: coefficients, MostAnswers: coefficients, Answers: "coefficients of the latest iterates"},
			{Exchange: density.Slopes, Least: 1, Most: 10000, Scalars: "term of the ELBO, and gradient and curvature of its likelihood in the server's parameters", LeastAnswers: decision, MostAnswers: decision, Answers: "ELBO and what follows from it"},
		}
		for i := range out {
			out[i].Often, out[i].LeastColumns, out[i].MostColumns = "every iteration", 2, 2
		}
		if guide == Coupled {
			out[0].LeastColumns, out[0].MostColumns = 3, 3
		}
		if guide == Coupled || joint || correct {
			out[2].MostAnswers = decision + mostSums*perSum
			out[2].Scalars += ", and the variance of its noise"
		}
		return append(out, atTheEnd(atClients, joint, correct)...)
	}
	out := []density.Use{{
		Exchange: density.Moments, Often: "every iteration", Least: 1 + coefficients, Most: 1 + coefficients, Scalars: terms, LeastAnswers: decision + coefficients, MostAnswers: decision + coefficients,
		Answers: "ELBO, and coefficients of the latest iterates", LeastColumns: 2, MostColumns: 2,
	}}
	if guide == Coupled {
		out[0].Most, out[0].MostAnswers = out[0].Most+mostSums*perSum, out[0].MostAnswers+mostSums*perSum
		out[0].Scalars += ", and the variance of its noise"
	}
	return append(out, atTheEnd(atClients, joint, correct)...)
}

// atTheEnd are the exchanges in which a fit is evaluated.
func atTheEnd(atClients, joint, correct bool) (out []density.Use) {
	if joint && atClients {
		out = append(out, density.Use{
			Exchange: density.CutMoments, Often: "once, at the end", MostAnswers: 10000, Answers: "mean and covariance of the server's parameters in the likelihood, under the approximation", LeastColumns: 2, MostColumns: 2,
		}, density.Use{
			Exchange: density.Expansion, Often: "once, at the end", LeastAnswers: 1, MostAnswers: 1, Answers: "whether there is a joint Gaussian", LeastColumns: 2, MostColumns: 100,
		})
	}
	if joint {
		out = append(out, density.Use{
			Exchange: density.Solving, Often: "every step of a linear system at the end", Least: 1, Most: 1000, Scalars: "variances of the noise of its auxiliary variables", LeastAnswers: 1, MostAnswers: 1,
			Answers: "whether the system is solved", LeastColumns: 2, MostColumns: MostBatch/2 + 3,
		})
	}
	if !correct {
		return out
	}
	out = append(out, density.Use{
		Exchange: density.Batch, Often: "once, at the end", Least: 2, Most: MostBatch + 1000, Scalars: "terms of log p − log q at draws, and variances of noise", LeastAnswers: 2, MostAnswers: MostBatch,
		Answers: "log p − log q of the draws", LeastColumns: 3, MostColumns: MostBatch + 1,
	})
	if atClients {
		batch := &out[len(out)-1]
		batch.Answers, batch.LeastAnswers, batch.MostAnswers = "the server's parameters in the likelihood at the draws", 0, 100*MostBatch
		out = append(out, density.Use{
			Exchange: density.Weighing, Often: "once, at the end", Least: 2, Most: MostBatch, Scalars: "share of the log likelihood at the draws", LeastAnswers: 2, MostAnswers: MostBatch, Answers: "log p − log q of the draws",
		})
	}
	return out
}

// mostSums is how many sums a model has at most, as the list of exchanges has it.
const mostSums = 1000

// MostBatch is the largest number of draws that are evaluated together.
const MostBatch = 2000

// batchSize is the number of draws that are evaluated together: fewer for more rows, so that a message has some megabytes, and an even number.
func batchSize(rows, most int) int {
	s := min(MostBatch, max(500, 1000000/max(1, rows)))
	if rows > 20000 {
		s = max(100, 10000000/rows)
	}
	return max(2, min(s, most)/2*2)
}

// Applies returns the linear form of a block, or the reason why a fit by quadrature is not possible with it.
func Applies(b density.Block, atClients bool) (*density.Linear, error) {
	if len(density.WeightsOf(b)) > 0 {
		return nil, fmt.Errorf("%s: it has weights, which are estimated by a point", b.Party())
	}
	l, err := density.RequireOf[density.Linearisable](b)
	if err != nil {
		return nil, err
	}
	lin, err := l.Linear()
	switch {
	case err != nil:
		return nil, err
	case lin.Clients == 0 || len(lin.Sums) == 0:
		return nil, errors.New("no client contributes to another party's computation")
	case b.Index() == 0 && !atClients && len(lin.Rows) == 0:
		return nil, fmt.Errorf("%s: no likelihood", b.Party())
	case b.Index() > 0 && !atClients && len(lin.Rows) > 0:
		return nil, fmt.Errorf("%s: it has a likelihood that depends on what the server sends", b.Party())
	}
	if m := len(lin.Globals.Index); m > mostGlobals {
		return nil, fmt.Errorf("%s: its likelihood has %d parameters beside its predictor, over which a rule would need too many nodes", b.Party(), m)
	} else if m > 0 && (atClients || b.Index() > 0) {
		return nil, fmt.Errorf("%s: its likelihood has parameters beside its predictor, and is not at the server", b.Party())
	}
	for _, r := range lin.Rows {
		if atClients && r.Own < 0 {
			return nil, fmt.Errorf("%s: %s: the client does not contribute to it", b.Party(), r.Term)
		}
	}
	return lin, nil
}

// Init implements backends.Kernel: it needs no evaluation.
func (k *Kernel) Init(context.Context) error {
	for b, p := range k.parties {
		phi := p.start(func(mean []float64) { density.Place(k.env, b, mean) })
		if b == 0 && k.server != nil && k.server.globals != nil {
			copy(k.server.globals.mean, phi)
		}
		copy(p.now.theta, p.trail.last().theta)
	}
	return nil
}

// Step does one iteration, or evaluates the fit.
func (k *Kernel) Step(ctx context.Context) (backends.Info, error) {
	var err error
	switch k.phase {
	case fitting:
		if err = k.iterate(ctx); err == nil {
			err = k.failure
		}
		k.advance()
	case evaluating:
		if err = k.evaluate(ctx); err == nil {
			k.phase = done
		}
	}
	return k.info(), err
}

// advance ends the fit where the ELBO rises no more, or where there were as many iterations as are allowed.
func (k *Kernel) advance() {
	k.iter++
	k.reached = k.verdict == finish
	switch {
	case !k.reached && k.iter < k.options.Iterations:
	case k.evaluated():
		k.phase = evaluating
	default:
		k.phase = done
	}
}

// iterate is one iteration: one round trip where the likelihood is at the server; where it is at the clients two, and one more from the second iterate on, for the
// coefficients.
func (k *Kernel) iterate(ctx context.Context) error {
	if !k.options.AtClients {
		size := density.RelaySize{Columns: 2, Scalars: 1 + coefficients + k.described(), Answers: decision + coefficients + k.described()}
		return k.relay.Relay(ctx, density.Moments, size, atServer{k})
	}
	sent := k.shared + k.shared*k.shared
	if err := k.relay.Relay(ctx, density.Moments, density.RelaySize{Columns: k.columns(), Answers: sent}, moments{k}); err != nil {
		return err
	}
	clear(k.mix)
	k.mix[0] = 1
	if k.parties[0].trail.used > 1 {
		if err := k.relay.Relay(ctx, density.Mixing, density.RelaySize{Scalars: pairs, Answers: coefficients}, mixing{k}); err != nil {
			return err
		}
	}
	for _, p := range k.parties {
		p.move(k.mix)
	}
	return k.relay.Relay(ctx, density.Slopes, density.RelaySize{Columns: 2, Scalars: 1 + sent + k.described(), Answers: decision + k.described()}, slopes{k})
}

// send sets what a client sends of the latest value of its map.
func (p *party) send(up [][]float64) {
	for i, at := range p.lin.Members {
		copy(up[i], member(at, p.trail.last().z))
		copy(up[i][at.Len:], member(at, p.next.variance))
		if p.coupledHere() {
			for j := range at.Len {
				up[i][2*at.Len+j] = p.inverse(at.Offset + j)
			}
		}
	}
}

// atServer is the exchange of an iteration where the likelihood is at the server.
type atServer struct{ *Kernel }

func (k atServer) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	p.send(up)
	clear(scalars)
	scalars[0] = p.next.entropy
	p.terms(scalars[1 : 1+coefficients])
	if k.described() > 0 {
		p.describeNoise(scalars[1+coefficients:])
	}
}

func (k atServer) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s := k.server
	elbo, ok := s.integrate(sum, total[1:1+coefficients])
	k.fail(ok)
	k.decide(elbo+total[0], out)
	copy(out[decision:], s.span.mix)
	copy(out[decision+coefficients:], total[1+coefficients:])
	for g, v := range down {
		copy(v, s.slope[g])
		copy(v[len(s.slope[g]):], s.curve[g])
	}
	if k.verdict == goBack {
		s.span.used = 0
	}
}

func (k atServer) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	k.take(out)
	p.move(out[decision : decision+coefficients])
	k.learn(p, out[decision+coefficients:])
	k.receive(p, down)
}

// learn takes what is known of all clients' noise.
func (k *Kernel) learn(p *party, totals []float64) {
	copy(k.noiseOf, totals)
	if p.coupling == nil {
		return
	}
	if err := p.learnNoise(totals); err != nil && k.failure == nil {
		k.failure = err
	}
}

// mostRejects is how often in a row the ELBO may fall.
const mostRejects = 30

// decide judges the newest iterate and writes the decision.
func (k *Kernel) decide(elbo float64, out []float64) {
	s := k.server
	verdict := s.judge(elbo)
	if s.rejected == mostRejects && k.failure == nil {
		k.failure = fmt.Errorf("sfvi: the ELBO fell or was not finite in %d iterations in a row, however small the step", mostRejects)
	}
	out[atVerdict], out[atDamping], out[atELBO] = float64(verdict), s.damping, s.elbo
	k.take(out)
}

// receive takes the slopes at an iterate and finds the next value of the client's map, or goes back.
func (k *Kernel) receive(p *party, down [][]float64) {
	switch k.verdict {
	case goBack:
		p.now, p.best = p.best, p.now
		p.trail.used = 0
	case goOn:
		p.takeSlopes(down)
	case finish:
		return
	}
	k.fail(p.cover(p.now) && p.solve(p.now, k.damping))
}

// moments is the exchange of means and variances where the clients evaluate the likelihood.
type moments struct{ *Kernel }

func (k moments) Send(b int, up [][]float64, _ []float64) { k.parties[b].send(up) }

func (k moments) Answer(sum [][]float64, _ []float64, down [][]float64, out []float64) {
	k.server.shared(out)
	for g, v := range sum {
		copy(down[g], v)
	}
}

func (k moments) Receive(b int, down [][]float64, out []float64) {
	mean, variance := columnsOf(down, k.columns())
	k.parties[b].observe(mean, variance, out[:k.shared], out[k.shared:])
}

// mixing is the exchange in which the parties' quadratic functions of the coefficients are added up.
type mixing struct{ *Kernel }

func (k mixing) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	k.parties[b].model(scalars)
}

func (k mixing) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	k.server.combine(total, out)
	copy(k.mix, out)
}

func (k mixing) Receive(_ int, _ [][]float64, out []float64) { copy(k.mix, out) }

// take reads the server's decision.
func (k *Kernel) take(out []float64) {
	k.rise = out[atELBO] - k.elbo
	k.verdict, k.damping, k.elbo = int(out[atVerdict]), out[atDamping], out[atELBO]
}

// takeSlopes takes the whole likelihood's slopes and curvatures, of which those of the party's own copy are taken off.
func (p *party) takeSlopes(down [][]float64) {
	for i, at := range p.lin.Members {
		slope, curve := member(at, p.now.slope), member(at, p.now.curvature)
		copy(slope, down[i][:at.Len])
		copy(curve, down[i][at.Len:])
		for j, own := range member(at, p.now.own) {
			slope[j] -= own
			curve[j] -= p.now.ownCurve[at.Offset+j]
		}
	}
	positive(p.now.curvature)
}

func (k *Kernel) fail(ok bool) {
	if !ok && k.failure == nil {
		k.failure = errors.New("sfvi: a linear system of the fit by quadrature has no solution: the density or the data are not finite, or the posterior is not proper")
	}
}

// slopes is the exchange of slopes where the clients evaluate the likelihood.
type slopes struct{ *Kernel }

func (k slopes) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	p.expectOwn(k.mix)
	for i, at := range p.lin.Members {
		copy(up[i], member(at, p.now.own))
		copy(up[i][at.Len:], member(at, p.now.ownCurve))
	}
	clear(scalars)
	scalars[0] = p.now.value
	m := k.shared
	g, h := scalars[1:1+m], scalars[1+m:1+m+m*m]
	if k.described() > 0 {
		p.describeNoise(scalars[1+m+m*m:])
	}
	for _, r := range p.rows {
		for a := range m {
			g[a] += vec.Dot(r.n, r.slope, r.Shared[a*r.n:])
			for c := range m {
				for i, w := range r.curvature {
					h[a*m+c] += float64(r.Shared[a*r.n+i] * w * r.Shared[c*r.n+i])
				}
			}
		}
	}
}

func (k slopes) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s, m := k.server, k.shared
	k.decide(s.now.value+total[0], out)
	copy(out[decision:], total[1+m+m*m:])
	copy(k.noiseOf, total[1+m+m*m:])
	for g, v := range sum {
		copy(down[g], v)
	}
	switch k.verdict {
	case goBack:
		s.back()
	case goOn:
		copy(s.g, total[1:1+m])
		copy(s.h, total[1+m:1+m+m*m])
	case finish:
		return
	}
	k.fail(s.follow())
}

func (k slopes) Receive(b int, down [][]float64, out []float64) {
	k.take(out)
	k.learn(k.parties[b], out[decision:])
	k.receive(k.parties[b], down)
}

func (k *Kernel) info() backends.Info {
	now := backends.Estimate{Value: k.elbo, N: 1}
	i := backends.Info{Phase: "fit", Iteration: k.iter, Iterations: k.options.Iterations, Fit: backends.Fit{Trace: now, Traced: k.phase != done || !k.evaluated()}}
	if k.phase == fitting {
		return i
	}
	i.Iterations = k.iter
	i.Fit.Judged, i.Fit.Converged, i.Fit.Rising = true, k.reached, !k.reached
	i.Fit.Drift = backends.Estimate{Value: k.rise, N: 1}
	if k.phase == evaluating {
		return i
	}
	if k.evaluated() {
		i.Phase, i.Iteration, i.Iterations = backends.Evaluation, 1, 1
	}
	i.Done, i.Draws, i.Fit.Final = true, k.draws(), now
	return i
}

// evaluated reports whether the fit ends with an evaluation.
func (k *Kernel) evaluated() bool { return k.joint() || k.options.Correct }

// draws is how many draws there are.
func (k *Kernel) draws() int {
	if k.evaluated() {
		return k.size
	}
	return k.options.Draws
}
