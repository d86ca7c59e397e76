package sfvi

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// The phases of a run.
const (
	ascending  = iota // iterations
	evaluating        // the final ELBO
	done
)

const (
	tracePoint = 32   // draws for one point of the ELBO trace
	batchOf    = 64   // draws of the final ELBO in one Step
	attempts   = 50   // initial values tried
	patience   = 1000 // non-finite iterations in a row before a fit is given up
	tailShare  = 4    // the last 1/tailShare of the iterations is averaged
	earliest   = 2000 // no fit stops early before this
)

// A kernel is one fit, over the parties of this process.
type kernel struct {
	env      density.Env
	settings backends.Settings
	parties  []*party
	theta    [][]float64
	grad     [][]float64
	lp       []float64
	part     [][]float64
	total    []float64
	terms    [][]float64 // of the integrand at several draws, by block
	sums     []float64   // over the blocks
	whole    view
	// none where every evaluation is of all rows; one for all with the same Env
	windows       []*view
	divided       density.Windowed // has them
	current       int              // number of the view of the current evaluation
	iterationView int              // that of the current iteration
	nextView      int              // that of the next draw of the fit
	order         order
	traceWindows  density.Stream // chooses the windows of the trace
	validation    *validation    // nil where no rows are held out

	places       []*place // nil where no party can evaluate its density by itself
	relay        density.Relaying
	stepping     *stepping // nil where there is one step for each round trip
	wantGradient bool      // from the current evaluation
	// parties are apart, so that a draw is made before the sums of the one before it are known
	speculative   bool
	nextEvaluated bool        // the evaluation of the next draw of the fit has been made
	memory        []int       // of the Env before that evaluation
	counted       bool        // it had been made and counted when the state was saved
	round         uint64      // of the current draw
	proceed       func() bool // decide
	phase         int
	iter          int // iterations done
	planned       int // iterations in all
	restart       int // number of the starting point
	tail          int // the first iteration that is averaged
	bad           int // evaluations that were not finite
	row           int // iterations in a row that were not
	elbo          running
	evaluated     int // draws of the final ELBO
	ratios        []float64
	// squared lengths of the draws; nil where they do not have the tails of a proposal
	squares   []float64
	normal    bool // the approximation is the posterior
	proposing bool // the draws are those that are weighed
	several   bool // the posterior may have several modes
	smooth    history
	traced    backends.MonteCarloMean
	fresh     bool                    // traced is of the last Step
	drift     backends.MonteCarloMean // at the last point of the trace
	verdict   [verdicts]float64       // totals of what rest.judge sets
}

// newKernel allocates a fit.
func newKernel(env density.Env, s backends.Settings) (*kernel, error) {
	blocks := env.Blocks()
	k := &kernel{env: env, settings: s, lp: make([]float64, len(blocks)), total: make([]float64, 2),
		current: allRows}
	k.whole = newView(env)
	for b, block := range blocks {
		p, err := newParty(env, b, s)
		if err != nil {
			return nil, err
		}
		k.parties = append(k.parties, p)
		k.theta = append(k.theta, make([]float64, block.Dim()))
		k.grad = append(k.grad, make([]float64, block.Dim()))
		k.part = append(k.part, make([]float64, 2))
		k.terms = append(k.terms, make([]float64, 2*batchOf+verdicts))
	}
	if err := k.divide(); err != nil {
		return nil, err
	}
	if err := k.place(); err != nil {
		return nil, err
	}
	k.sums = make([]float64, 2*batchOf+verdicts)
	k.ratios = make([]float64, s.Int(elboDraws))
	if !env.Augmented() {
		k.squares = make([]float64, len(k.ratios))
		scales := importance.Scales(env, len(k.ratios))
		for _, p := range k.parties {
			p.scales = scales
		}
	}
	k.speculative, k.proceed = k.whole.pipeline.Apart(), k.decide
	k.planned = s.Int(iterations)
	k.tail = k.planned - k.planned/tailShare
	k.smooth = newHistory(k.planned)
	return k, nil
}

// Init looks for a start where density and gradient are finite.
func (k *kernel) Init(ctx context.Context) error {
	first := 2 * attempts * uint64(k.restart)
	for attempt := first; attempt < first+attempts; attempt++ {
		for b, p := range k.parties {
			p.start(attempt)
			density.Place(k.env, b, p.mu())
		}
		k.selectView(allRows)
		_, ok, err := k.evaluate(ctx, starting, attempts+attempt)
		if err != nil || ok {
			return err
		}
	}
	return backends.NotFinite(k.view(k.current).env, false,
		"sfvi: the log density or its gradient is not finite at any of %d initial values", attempts)
}

// evaluate draws once from q with the given noise. It returns the ELBO's integrand log p − log q, and leaves
// its gradient in each party's grad. ok is whether all of it was finite, and is the same at every party.
func (k *kernel) evaluate(ctx context.Context, from source, round uint64) (ratio float64, ok bool,
	err error) {
	k.wantGradient = true
	if err := k.visit(ctx, from, round); err != nil {
		return 0, false, err
	}
	k.setScalars()
	if err := k.env.Sum(ctx, k.part, k.total); err != nil {
		return 0, false, err
	}
	return k.total[0], k.allFinite(), nil
}

// setScalars completes the gradients and sets the scalars that the parties add up: the integrand, and 1 where
// a gradient was not finite.
func (k *kernel) setScalars() {
	for b, p := range k.parties {
		k.part[b][0], k.part[b][1] = k.lp[b]+p.ratio, 0
		if !p.finish(k.grad[b]) {
			k.part[b][1] = 1
		}
	}
}

// allFinite reports whether the density and all gradients were finite, from the totals.
func (k *kernel) allFinite() bool { return finite(k.total[0]) && k.total[1] == 0 }

// draw draws once from q.
func (k *kernel) draw(from source, round uint64) {
	for b, p := range k.parties {
		p.draw(from, round, k.theta[b])
		clear(p.dmu())
	}
}

// visit draws once from q and evaluates the density there: each block's term of the integrand is its lp and
// its party's ratio.
func (k *kernel) visit(ctx context.Context, from source, round uint64) error {
	k.draw(from, round)
	return k.view(k.current).env.Density(ctx, k.theta, k, k.grad, k.lp)
}

// visitOnce visits a draw of the fit, again where that had been done when the state was saved.
func (k *kernel) visitOnce(ctx context.Context, round uint64) error {
	if !k.counted {
		return k.visit(ctx, fitting, round)
	}
	return density.Replay(k.env, func() error { return k.visit(ctx, fitting, round) })
}

// Value implements density.Coordinates.
func (k *kernel) Value(b int, g, z []float64) {
	p := k.parties[b]
	p.ratio += p.value(g, z)
}

// Adjoint implements density.Coordinates.
func (k *kernel) Adjoint(b int, adj, own, w, early []float64) {
	p := k.parties[b]
	if !k.wantGradient {
		clear(w)
		return
	}
	p.square = p.guide.adjoint(p.vars.phi, adj, own, w, early, p.vars.grad, p.dmu())
}

// Step does one iteration, or evaluates one batch of the final ELBO.
func (k *kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	k.fresh = false
	var err error
	switch k.phase {
	case ascending:
		err = k.iterate(ctx)
	case evaluating:
		err = k.finalBatch(ctx)
	}
	return k.info(), err
}

func (k *kernel) iterate(ctx context.Context) error {
	take := k.takeDraw
	if k.stepping != nil {
		take = k.takeSteps
	}
	ok, err := take(ctx)
	if err != nil {
		return err
	}
	if !ok {
		k.bad++
		if k.row++; k.row == patience {
			return backends.NotFinite(k.view(k.current).env, true,
				"sfvi: the log density or its gradient was not finite in %d iterations in a row", patience)
		}
	} else {
		k.row = 0
	}
	if ok && k.closing(k.iter) {
		k.watch()
	}
	k.iter++
	if k.iter > k.tail {
		half := 2 * (k.iter - k.tail - 1) / (k.planned - k.tail)
		for _, p := range k.parties {
			p.last.average(p.own.phi, half)
			p.own.average()
			p.at(k.iterationView).vars.average()
		}
	}
	if k.iter%k.settings.Int(elboEvery) == 0 {
		if err := k.trace(ctx); err != nil {
			return err
		}
	}
	if k.validates(k.iter) {
		if err := k.validate(ctx); err != nil {
			return err
		}
	}
	k.advance()
	return nil
}

// takeDraw evaluates the draw of an iteration and moves the parameters along its gradient. It reports false
// where the draw is not finite.
func (k *kernel) takeDraw(ctx context.Context) (ok bool, err error) {
	if !k.nextEvaluated {
		k.selectView(k.windowOf(k.iter))
	}
	k.iterationView, k.nextView, k.round = k.current, k.current, uint64(k.iter)
	if !k.nextEvaluated {
		k.wantGradient = true
		if err := k.visitOnce(ctx, k.round); err != nil {
			return false, err
		}
		k.setScalars()
	}
	k.counted = false
	ratio, ok, err := k.finishDraw(ctx)
	if err != nil || !ok {
		return false, err
	}
	if k.round%2 == 0 { // an odd draw is not independent of the one before
		k.smooth.add(k.iter, ratio)
	}
	return true, nil
}

// finishDraw sums the scalars of a draw over the parties and, where the draw is finite, moves the parameters.
// Unless something else comes next, the next draw is evaluated in the same exchange: where parties are apart
// they move and draw before the totals are there, and restore the parameters where the draw was not finite.
func (k *kernel) finishDraw(ctx context.Context) (ratio float64, ok bool, err error) {
	k.nextEvaluated = false
	if k.sumsAlone() {
		if err := k.env.Sum(ctx, k.part, k.total); err != nil {
			return 0, false, err
		}
		if ok = k.allFinite(); ok {
			k.ascend()
		}
		return k.total[0], ok, nil
	}
	k.nextView = k.windowOf(k.iter + 1)
	if k.speculative {
		k.nextDraw()
	}
	k.memory = density.Remember(k.env, k.memory)
	decision := density.Decision{Part: k.part, Total: k.total, Wanted: k.proceed}
	if err := k.view(k.nextView).pipeline.Proceed(ctx, decision, k.theta, k, k.grad, k.lp); err != nil {
		return 0, false, err
	}
	if k.nextEvaluated {
		k.setScalars()
	}
	return k.total[0], k.nextEvaluated, nil
}

// sumsAlone reports whether what comes next is not the evaluation of a draw of the fit, so that the sums need
// an exchange of their own.
func (k *kernel) sumsAlone() bool {
	next := k.iter + 1
	return next == k.planned || next%k.settings.Int(elboEvery) == 0 || k.validates(next)
}

// nextDraw makes the next draw, after the step of the optimiser.
func (k *kernel) nextDraw() {
	k.ascend()
	k.selectView(k.nextView)
	k.draw(fitting, k.round+1)
}

// decide reports whether a draw was finite, and so the next evaluation is wanted.
func (k *kernel) decide() bool {
	k.nextEvaluated = k.allFinite()
	switch {
	case k.nextEvaluated && !k.speculative:
		k.nextDraw()
	case !k.nextEvaluated && k.speculative:
		for _, p := range k.parties {
			p.own.opt.restore(p.own.phi)
			h := p.at(k.iterationView)
			h.vars.flush()
			h.vars.opt.restore(h.vars.phi)
		}
	}
	return k.nextEvaluated
}

// ascend moves q(θ) and the guide of the iteration's rows.
func (k *kernel) ascend() {
	for _, p := range k.parties {
		if k.closing(k.iter) {
			copy(p.last.slope, p.own.grad)
		}
		p.own.ascend(k.rate())
		if len(p.windows) > 0 { // the next evaluation is of others
			p.vars.ascend(k.rate())
		} else {
			p.vars.ascendLater(k.rate())
		}
	}
}

// rate is Adam's step size in the current iteration.
func (k *kernel) rate() float64 {
	first := k.settings.Float(rate)
	if k.settings.Text(schedule) == "constant" {
		return first
	}
	last := first / 100
	return last + float64(0.5*(first-last)*(1+portable.Cos(math.Pi*float64(k.iter)/float64(k.planned))))
}

// advance begins the tail or the evaluation of the final ELBO where it is due.
func (k *kernel) advance() {
	switch {
	case k.iter == k.planned:
		for _, p := range k.parties {
			for _, f := range p.factors() {
				f.settle()
			}
		}
		k.returnToBest()
		k.phase = evaluating
	case k.mayStop():
		k.tail, k.planned = k.iter, k.shortest()
	}
}

// closing reports whether convergence is judged by the gradient of an iteration, counted from 0. The first is
// one of an even number, which begins a pair of draws.
func (k *kernel) closing(iteration int) bool { return iteration >= k.closingFrom() }

func (k *kernel) closingFrom() int {
	from := k.planned - k.planned/lastShare
	return from + from%2
}

// watch takes in the gradient of an iteration that convergence is judged by.
func (k *kernel) watch() {
	from := k.closingFrom()
	batch := 2 * max(1, (k.planned-from)/batchesOf/2)
	for _, p := range k.parties {
		p.last.add((k.iter-from)%batch == batch-1)
	}
}

// shortest is the number of iterations in all if the tail begins now.
func (k *kernel) shortest() int { return k.iter + k.iter/(tailShare-1) }

// mayStop reports whether the rest of the iterations before the tail can be left out.
func (k *kernel) mayStop() bool {
	if !k.fresh || k.validation != nil || k.settings.Text(schedule) != "constant" {
		return false
	}
	if k.iter < earliest || k.iter >= k.tail || k.shortest() >= k.planned {
		return false
	}
	return k.drift.N > 0 && math.Abs(k.drift.Value)+float64(2*k.drift.SE) < k.settings.Float(tolerance)
}

// Auxiliary implements backends.Kernel, with the noise that goes with the draw's in the final ELBO.
func (k *kernel) Auxiliary(ctx context.Context, id int, z [][]float64) error {
	k.selectView(allRows)
	for b, p := range k.parties {
		p.draw(drawing, uint64(id), k.theta[b])
	}
	for b, p := range k.parties {
		if p.guide == nil {
			continue
		}
		p.block.Cut(density.Here, k.theta[b], p.cut)
		p.value(p.cut, z[b])
	}
	return nil
}

// Draw implements backends.Kernel.
func (k *kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		p.sample(drawing, uint64(id), k.proposing && !k.normal, theta[b])
	}
}
