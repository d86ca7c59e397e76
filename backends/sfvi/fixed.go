package sfvi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
)

// A fixed is a fit whose ELBO is the mean over draws of standard normal noise that stay the same: a function
// without noise, which a quasi-Newton method maximises. Its draws are evaluated in one round trip, and
// another one brings the direction (Giordano, Ingram and Broderick 2024, "Black box variational inference
// with a deterministic objective").
type fixed struct {
	settings backends.Settings
	env      density.Env
	relay    density.Relaying // nil where all is in one block
	parties  []*pointed
	server   *pointed // nil at a client's process
	sizes    fixedSizes

	restart  int // number of the starting point
	phase    int
	iter     int // evaluations
	begun    bool
	value    float64 // of the ELBO at the current point
	step     float64 // in the direction
	slope    float64 // of the ELBO along it
	rise     float64 // of the ELBO in the last step
	rejected int     // in a row
	calm     int     // steps in a row that rose by little, and after which little is to be gained
	renewed  bool    // the latest pairs were dropped since the last step that rose
	converged,
	stuck bool
	failure   error
	elbo      running
	ratios    []float64
	scales    []float64 // of the draws that are weighed
	squares   []float64 // squared lengths of the draws
	dims      float64   // of all parties
	normal    bool      // the approximation is the posterior
	proposing bool      // the draws are those that are weighed
	bad       int
	decided   [3]float64 // what the server answered on the last point
}

// fixedSizes are what all parties know alike.
type fixedSizes struct{ draws, samples, rows int }

const (
	mostRejects = 12   // shorter steps in a row before the direction is given up
	sufficient  = 1e-4 // of the rise that the slope promises
)

// leastOf draws that an ELBO is the mean of, for each dimension of a party with a full covariance: with as
// many draws as dimensions the ELBO has no maximum.
const leastOf = 4

// fixedApplies returns the reason why a block's density cannot be evaluated for fixed draws; nil where it
// can.
func fixedApplies(b density.Block, s backends.Settings) error {
	w, err := density.RequireOf[density.Standalone](b)
	if err != nil {
		return err
	}
	at := w.BlockRole()
	switch {
	case s.Transform.AtClients():
		return errors.New("the clients evaluate the likelihood")
	case b.AuxLen() > 0:
		return fmt.Errorf("%s has auxiliary variables, whose noise would be fixed too; "+
			"under exact there are none", b.Party())
	case at.Shared > 0:
		return fmt.Errorf("%s: parties share parameters", b.Party())
	case b.Index() > 0 && len(at.Receives) > 0:
		return fmt.Errorf("%s: its density depends on what others send", b.Party())
	}
	return nil
}

// newFixed prepares a fit. The error names what does not fit.
func newFixed(env density.Env, s backends.Settings) (*fixed, error) {
	if s.Int(stepDraws)%2 != 0 {
		return nil, fmt.Errorf("--%s %d: draws come in pairs with opposite noise", stepDraws,
			s.Int(stepDraws))
	}
	if s.Int(minibatch) > 0 {
		return nil, fmt.Errorf("--%s %s: --%s %d takes some of the rows at a time", estimator, byFixedDraws,
			minibatch, s.Int(minibatch))
	}
	for _, name := range ascents {
		if s.Differs(name) {
			return nil, fmt.Errorf("--%s %s: --%s concerns draws that change", estimator, byFixedDraws, name)
		}
	}
	if s.Text(thetaGuide) == quadrature.Joint {
		return nil, fmt.Errorf("--%s %s needs --%s %s", thetaGuide, quadrature.Joint, estimator, byQuadrature)
	}
	k := &fixed{settings: s, env: env, sizes: fixedSizes{draws: s.Int(stepDraws)}}
	for b, block := range env.Blocks() {
		if err := fixedApplies(block, s); err != nil {
			return nil, &backends.Refusal{Code: diag.NoFixedDraws, Err: fmt.Errorf("--%s %s: %w", estimator,
				byFixedDraws, err), Out: fmt.Sprintf("--%s %s, which takes what suits the model", estimator,
				auto)}
		}
		p, err := newPointed(env, b, s)
		if err != nil {
			return nil, err
		}
		k.parties = append(k.parties, p)
		if block.Index() == 0 {
			k.server = p
		}
		for _, n := range p.role.Sums {
			k.sizes.rows = max(k.sizes.rows, n)
		}
	}
	k.sizes.samples = samplesOf(k.sizes.rows, s.Int(draws))
	k.scales = importance.Scales(env, k.sizes.samples)
	if k.parties[0].role.Parties == 1 {
		return k, nil
	}
	var err error
	k.relay, err = density.Require[density.Relaying](env)
	return k, err
}

// exchange is a round trip, or the server's part alone where all is in one block.
func (k *fixed) exchange(ctx context.Context, x *density.Exchange, size density.RelaySize,
	by density.Relayed) error {
	if k.relay != nil {
		return k.relay.Relay(ctx, x, size, by)
	}
	by.Answer(nil, make([]float64, size.Scalars), nil, make([]float64, size.Answers))
	return ctx.Err()
}

// Init implements backends.Kernel: the first evaluation is that of the first step.
func (k *fixed) Init(context.Context) error {
	for b, p := range k.parties {
		p.start(k.restart)
		density.Place(k.env, b, p.phi[:p.theta.all])
	}
	return nil
}

// Step does one evaluation of the ELBO and of what follows from it, or a part of what follows the fit.
func (k *fixed) Step(ctx context.Context) (backends.StepInfo, error) {
	var err error
	switch k.phase {
	case ascending:
		if err = k.climb(ctx); err == nil {
			err = k.failure
		}
		k.iter++
		if k.converged || k.stuck || k.iter >= k.settings.Int(iterations) {
			k.phase = evaluating
		}
	case evaluating:
		err = k.evaluate(ctx)
		k.phase = done
	}
	return k.info(), err
}

// climb evaluates the ELBO a step along the direction and, where it has risen enough, finds the next
// direction; else the next step is shorter.
func (k *fixed) climb(ctx context.Context) error {
	for _, p := range k.parties {
		p.advance(k.step)
	}
	if err := k.evaluateAt(ctx); err != nil {
		return err
	}
	accepted := k.decided[0] != 0
	k.step = k.decided[2]
	if !accepted && k.rejected < mostRejects {
		k.rejected++
		return nil
	}
	if accepted {
		k.rise = k.decided[1] - k.value
		k.value = k.decided[1]
	}
	for _, p := range k.parties {
		if accepted {
			p.accept(k.begun)
		} else {
			p.pairs.Used = 0 // begin anew along the gradient
		}
	}
	// nothing rises along the gradient either: it is 0 within rounding, or the ELBO is no smooth function
	if !accepted && k.renewed {
		k.stuck, k.converged = true, 0.5*k.slope <= k.enough()
		return nil
	}
	k.renewed, k.rejected, k.begun = !accepted, 0, true
	size := density.RelaySize{Scalars: algebra.HistoryProducts, Answers: turnAnswers}
	return k.exchange(ctx, quadrature.Mixing, size, turning{k})
}

// verdictAnswers is how many numbers the server answers on a point: whether it is accepted, the ELBO there
// and the next step.
const verdictAnswers = 3

// judge judges a point with an ELBO, at the server.
func (k *fixed) judge(v float64, out []float64) {
	out[0], out[1], out[2] = 0, v, k.step
	enough, rounding := k.value+float64(sufficient*k.step*k.slope), float64(1e-9*math.Abs(k.value))
	switch {
	case !k.begun && !finite(v): // take ends the fit at every party
	case !k.begun || finite(v) && (v >= enough || k.step*k.slope < rounding && v >= k.value-rounding):
		out[0], out[2] = 1, 1
	case finite(v): // the maximum of the parabola through value, slope and v
		by := 0.5 * k.step * k.slope / (k.value + float64(k.step*k.slope) - v)
		out[2] = k.step * min(max(by, 0.1), 0.5)
	default:
		out[2] = 0.2 * k.step
	}
}

func (k *fixed) take(out []float64) {
	if copy(k.decided[:], out); !k.begun && !finite(out[1]) && k.failure == nil {
		k.failure = &backends.FitError{Err: fmt.Errorf("sfvi: the log density is not finite at draws "+
			"around the initial values: %s", k.env.Cause())}
	}
}

// What the server answers on a direction: whether the latest pair is kept, the slope, the first step, whether
// the fit is done, and the coefficients.
const (
	turnKeep = iota
	turnSlope
	turnStep
	turnDone
	turnCoefficients
	turnAnswers = turnCoefficients + algebra.HistoryCoefficients
)

// turning is the exchange of products of vectors, which the direction follows from.
type turning struct{ *fixed }

func (k turning) Send(b int, _ [][]float64, scalars []float64) { k.parties[b].multiply(scalars) }

func (k turning) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	own := make([]float64, algebra.HistoryProducts)
	k.server.multiply(own)
	for i, v := range own {
		total[i] += v
	}
	used := k.server.pairs.Used
	out[turnKeep] = 1
	if used > 0 && !algebra.LatestCurved(total, used) {
		out[turnKeep] = 0
		used--
	}
	slope := -algebra.DescentDirection(total, used, out[turnCoefficients:])
	if !(slope > 0) && used > 0 { // rounding: along the gradient instead
		slope = -algebra.DescentDirection(total, 0, out[turnCoefficients:])
	}
	out[turnSlope], out[turnStep] = slope, 1
	if used == 0 { // nothing is known of the length: one standard deviation
		out[turnStep] = min(1, 1/math.Sqrt(algebra.SquaredGradient(total)))
	}
	calm := k.calm + 1
	if !(used > 0 || slope < 1e-12) || k.rise > k.enough() || 0.5*slope > k.enough() {
		calm = 0
	}
	out[turnDone] = float64(calm)
	k.turn(out)
	k.server.turn(out)
}

func (k turning) Receive(b int, _ [][]float64, out []float64) {
	k.turn(out)
	k.parties[b].turn(out)
}

// turn takes the server's answer.
func (k *fixed) turn(out []float64) {
	k.slope, k.step, k.calm = out[turnSlope], out[turnStep], int(out[turnDone])
	k.converged = k.calm >= 2
	if !finite(k.slope) && k.failure == nil {
		k.failure = &backends.FitError{Err: fmt.Errorf("sfvi: the gradient is not finite at draws "+
			"where the log density is: %s", k.env.Cause())}
	}
}

// enough is what may be left to gain, in nats, when the fit ends.
func (k *fixed) enough() float64 { return max(k.settings.Float(tolerance), 1e-9) }

// evaluateAt evaluates the ELBO and its gradient a step along the direction, in one round trip or, where the
// draws are too many for it, several.
func (k *fixed) evaluateAt(ctx context.Context) error {
	var own, total float64
	return k.inPieces(k.sizes.draws, func(from, to int) error {
		size := density.RelaySize{Columns: to - from, Scalars: 1, Answers: 1}
		last := to == k.sizes.draws
		if last {
			size.Answers = verdictAnswers
		}
		return k.exchange(ctx, drawSlopesExchange, size, atDraws{k, from, to, last, &own, &total})
	})
}

// inPieces calls exchange for one range of columns after another.
func (k *fixed) inPieces(columns int, exchange func(from, to int) error) error {
	piece := columns
	if k.relay != nil {
		piece = k.relay.Piece(columns)
	}
	for from := 0; from < columns; from += piece {
		if err := exchange(from, min(from+piece, columns)); err != nil {
			return err
		}
	}
	return nil
}

// atDraws is that exchange, of a range of draws.
type atDraws struct {
	*fixed
	from, to int
	last     bool
	// at the server: its own part of the ELBO, and the others' in all draws so far
	own, total *float64
}

func (k atDraws) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	clear(scalars)
	for m := k.from; m < k.to; m++ {
		if m == 0 {
			scalars[0] = p.entropy(p.at)
		}
		p.evaluate(m)
		scalars[0] += p.lp / float64(k.sizes.draws)
		p.put(up, m-k.from)
	}
}

func (k atDraws) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	p := k.server
	if k.from == 0 {
		*k.own = p.entropy(p.at)
		clear(p.next)
	}
	for m := k.from; m < k.to; m++ {
		p.receive(sum, m-k.from)
		p.evaluate(m)
		*k.own += p.lp / float64(k.sizes.draws)
		p.differentiate()
		p.giveBack(down, m-k.from)
	}
	*k.total += total[0]
	clear(out)
	if !k.last {
		return
	}
	p.close(k.sizes.draws)
	k.judge(*k.total+*k.own, out)
	k.take(out)
}

func (k atDraws) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	if k.last {
		k.take(out)
	}
	if k.from == 0 {
		clear(p.next)
	}
	for m := k.from; m < k.to; m++ {
		p.evaluate(m)
		p.seed(down, m-k.from)
		p.differentiate()
	}
	if k.last {
		p.close(k.sizes.draws)
	}
}

// evaluate computes log p − log q at draws of their own, in one round trip or several.
func (k *fixed) evaluate(ctx context.Context) error {
	k.ratios, k.squares = make([]float64, k.sizes.samples), make([]float64, k.sizes.samples)
	err := k.inPieces(k.sizes.samples, func(from, to int) error {
		size := density.RelaySize{Columns: to - from, Scalars: 2*(to-from) + 1, Answers: 2*(to-from) + 1}
		return k.exchange(ctx, quadrature.Batch, size, sampling{k, from})
	})
	if err != nil {
		return err
	}
	for id, v := range k.ratios {
		switch {
		case !finite(v):
			k.bad++
			k.ratios[id] = math.Inf(-1)
		case importance.Normal(id):
			k.elbo.add(v)
		}
	}
	k.normal = importance.Correct(k.ratios, k.squares, int(k.dims))
	return nil
}

// sampling is the exchange of draws from the fit, from one on.
type sampling struct {
	*fixed
	from int
}

func (k sampling) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	n := len(scalars) / 2
	for c := range n {
		scalars[c] = p.sample(k.from+c, k.scales[k.from+c])
		p.value()
		scalars[c] += p.lp
		scalars[n+c] = p.square
		p.put(up, c)
	}
	scalars[2*n] = float64(p.theta.dim)
}

func (k sampling) Answer(sum [][]float64, total []float64, _ [][]float64, out []float64) {
	p := k.server
	n := len(out) / 2
	for c := range n {
		out[c] = total[c] + p.sample(k.from+c, k.scales[k.from+c])
		p.receive(sum, c)
		p.value()
		out[c] += p.lp
		out[n+c] = total[n+c] + p.square
	}
	out[2*n] = total[2*n] + float64(p.theta.dim)
	k.keep(out)
}

func (k sampling) Receive(_ int, _ [][]float64, out []float64) { k.keep(out) }

func (k sampling) keep(out []float64) {
	n := len(out) / 2
	copy(k.ratios[k.from:], out[:n])
	copy(k.squares[k.from:], out[n:2*n])
	k.dims = out[2*n]
}

// info describes the state of the fit.
func (k *fixed) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "fit", Iteration: k.iter, Iterations: k.settings.Int(iterations),
		NonFinite: k.bad}
	i.Fit.Trace, i.Fit.Traced = backends.MonteCarloMean{Value: k.value, N: k.sizes.draws}, k.phase != done
	if k.phase == ascending {
		return i
	}
	i.Iterations = k.iter
	i.Fit.Judged, i.Fit.Converged, i.Fit.Rising = true, k.converged, !k.converged
	i.Fit.Drift = backends.MonteCarloMean{Value: k.rise, N: k.sizes.draws}
	if k.phase == done {
		i.Phase, i.Iteration, i.Iterations = backends.Evaluation, 1, 1
		i.Done, i.Draws, i.Fit.Final = true, max(k.sizes.samples, k.settings.Int(draws)), k.elbo.estimate()
	}
	return i
}

// Draw implements backends.Kernel.
func (k *fixed) Draw(id int, theta [][]float64) {
	scale := 1.0
	if k.proposing && !k.normal && id < len(k.ratios) {
		scale = k.scales[id]
	}
	for b, p := range k.parties {
		p.sample(id, scale)
		copy(theta[b], p.point)
	}
}

// Auxiliary implements backends.Kernel: there are none.
func (k *fixed) Auxiliary(context.Context, int, [][]float64) error { return nil }

// Ratios implements backends.Weighted.
func (k *fixed) Ratios() []float64 { return k.ratios }

// Propose implements backends.Weighted.
func (k *fixed) Propose(on bool) { k.proposing = on }

// Correctable implements backends.Weighted.
func (k *fixed) Correctable() (bool, error) { return wanted(k.settings), nil }

// Save implements backends.Kernel.
func (k *fixed) Save(w io.Writer) error { return backends.SaveState(w, k.heading(), k.state) }

// Load implements backends.Kernel.
func (k *fixed) Load(r io.Reader) error {
	if err := backends.LoadState(r, k.heading(), k.state); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	return nil
}

func (k *fixed) heading() string {
	text := fmt.Sprintf("vflc sfvi fixed draws checkpoint 2: %s", k.settings)
	for _, p := range k.parties {
		text += fmt.Sprintf("; %s %d %d", p.block.Party(), p.block.Dim(), len(p.phi))
	}
	return text
}

// state carries everything that a Step reads and an earlier one wrote.
func (k *fixed) state(c *backends.Codec) {
	c.Ints(&k.phase, &k.iter, &k.rejected, &k.calm, &k.bad)
	for _, b := range []*bool{&k.begun, &k.renewed, &k.converged, &k.stuck} {
		c.Bool(b)
	}
	c.Float(&k.value, &k.step, &k.slope, &k.rise)
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	for _, p := range k.parties {
		p.state(c)
	}
	if k.phase != done {
		return
	}
	carryRunning(c, &k.elbo)
	c.Bool(&k.normal)
	if k.ratios == nil {
		k.ratios = make([]float64, k.sizes.samples)
	}
	c.Floats(k.ratios)
}

// samplesOf is how many draws from the fit are evaluated: an even number, fewer for more rows, so that a
// message has some tens of megabytes.
func samplesOf(rows, most int) int {
	s := min(quadrature.MostBatch, max(500, 4000000/max(1, rows)))
	if rows > 80000 {
		s = max(100, 40000000/rows)
	}
	return max(2, min(s, most)/2*2)
}
