package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
)

// fitted is the outcome of an algorithm on a plan.
type fitted struct {
	draws      *posterior.Draws
	trace      []posterior.ELBOPoint
	info       backends.StepInfo // of the last step
	iterations int               // of all phases except the evaluation of the result
	work       density.Work
	fitting    time.Duration
	drawing    time.Duration
	fittingCPU *posterior.Number // seconds of all cores; nil: not known
	drawingCPU *posterior.Number
	// what was weighed, where the draws are resampled with weights, or would be if these were reliable
	weighted    *posterior.Draws
	corrected   []float64 // the weights
	weighable   bool      // weights would correct the draws, if they are reliable
	uncorrected string    // why they cannot, and what could; "": they can, or nobody wants it
	held        string    // what the draws are where parameters are held at a mode; "": none is
	// why the fit ended before it had converged; without a text: as its last step says
	unfinished posterior.Finding
	restarts   []posterior.ELBO // of the fits from several starting points; nil where there is one
	search     backends.Search  // what these found
	// log p − log q at draws from the approximation; nil where they are not computed
	ratios      []float64
	interrupted bool
	chains      []*chain // the chains of the draws; nil where draws are independent
	kernels     []*chain // what was saved
	left        int      // chains left out
	advice      string   // how to continue after an interrupt
	auxiliary   bool     // whether there are auxiliary variables
}

// approximate runs the algorithm over all parties until it is done, or stopped between two steps, and draws
// from the approximation at that point. It saves the fit where the run has a folder.
func (p *Prepared) approximate(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	m, c := &sampling{Prepared: p}, &chain{number: 1}
	m.place(c)
	f := &fitted{kernels: []*chain{c}}
	progress := p.options.Progress
	m.announceMissing(f.kernels)
	progress.Begin(1, 0)
	err := p.beside(ctx, 1, func(ctx context.Context, side *session.Chains) error {
		return side.Each(ctx, func(ctx context.Context, _ int) error {
			return m.approximation(ctx, stop, side.Envs[0], c, f)
		})
	})
	progress.End()
	return f, p.closeJournal(err)
}

// approximation is approximate with the Env.
func (m *sampling) approximation(ctx context.Context, stop <-chan struct{}, env density.Env, c *chain,
	f *fitted) (err error) {
	p := m.Prepared
	m.watch(env, c)
	if env, err = p.encrypted(ctx, env); err != nil {
		return err
	}
	env = m.startedAt(env, c.number)
	if c.kernel, err = p.Algorithm.New(env, p.Settings); err != nil {
		return &UsageError{err}
	}
	cpu := newCPUWatch(1)
	if err := m.begin(ctx, env, c); err != nil {
		return err
	}
	if err := m.ascend(ctx, stop, env, c); err != nil {
		return err
	}
	before, fitted := *env.Work(), time.Now()
	cpu.warm()
	f.interrupted, f.info, f.iterations, f.trace, f.fitting = !c.info.Done, c.info, c.iterations, c.trace,
		c.warming
	n := p.Settings.Plan.Draws
	if r, ok := c.kernel.(backends.Restarted); ok {
		for _, e := range r.Restarts() {
			f.restarts = append(f.restarts, atMost(e))
		}
		if c.info.Done {
			f.search = r.Search()
		}
	}
	if u, ok := c.kernel.(backends.Unfinished); ok {
		f.unfinished.Text, f.unfinished.Try = u.Unfinished()
	}
	if h, ok := c.kernel.(backends.Holding); ok {
		f.held = h.Held()
	}
	if w, ok := c.kernel.(backends.Weighted); ok {
		f.ratios = w.Ratios()
		able, why := w.Correctable()
		f.weighable = able && f.info.Done
		if why != nil {
			f.uncorrected = why.Error()
		}
		if f.correctable() || f.misled() {
			w.Propose(true)
			if f.weighted, err = take(ctx, env, c.kernel, len(f.ratios), p.options.Auxiliary,
				p.variables()); err != nil {
				return err
			}
			f.resample(env)
			w.Propose(false)
		}
	}
	if f.info.Done {
		n = min(n, f.info.Draws)
	}
	if f.corrected == nil {
		f.draws, err = take(ctx, env, c.kernel, n, p.options.Auxiliary, p.variables())
	}
	f.drawing, f.work = time.Since(fitted), c.work.Plus(env.Work().Minus(before))
	f.fittingCPU, f.drawingCPU = cpu.end()
	return err
}

// ascend makes the steps of a fit until it is done or stopped, and saves it now and then and at the end.
func (m *sampling) ascend(ctx context.Context, stop <-chan struct{}, env density.Env, c *chain) (err error) {
	watch := stopwatch{chain: c, work: c.work, begun: time.Now(), warming: c.warming}
	saved := time.Now()
	for !c.info.Done && !stopped(stop) {
		if c.info, err = c.kernel.Step(ctx); err != nil {
			return err
		}
		c.steps++
		c.current = false
		m.options.Progress.Step(1, c.info)
		if c.info.Phase != backends.Evaluation {
			c.iterations = c.info.Iteration
		}
		if e := c.info.Fit.Trace; c.info.Fit.Traced {
			c.trace = append(c.trace, posterior.ELBOPoint{Iteration: c.info.Iteration, Value: e.Value,
				SE: e.SE})
		}
		if m.dueNow(c, time.Since(saved)) {
			watch.fitted(env)
			if err := m.saveOrGoOn(c); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	watch.fitted(env)
	return m.persist(ctx, stop, []*chain{c})
}

// stopped reports whether a channel is closed. A nil channel never is.
func stopped(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// take draws from the fitted approximation, or from the one at the interrupt.
func take(ctx context.Context, env density.Env, k backends.Kernel, n int, auxiliary bool,
	vars []posterior.Variable) (*posterior.Draws, error) {
	draws := posterior.NewDraws(vars, 1, n)
	taker := NewTaker(env, auxiliary)
	for id := range n {
		row, err := taker.Take(ctx, k, id)
		if err != nil {
			return nil, err
		}
		draws.Append(0, row)
	}
	return draws, nil
}

// converged reports whether the fit ended, and at an optimum.
func (f *fitted) converged() bool { return f.info.Done && f.info.Fit.Converged }

// equalRatios is a spread of log p − log q within which all weights are equal up to rounding.
const equalRatios = 1e-6

// khat is the Pareto shape of the weights that would correct the approximation, 0 where they are equal. It is
// NaN where it cannot be computed.
func (f *fitted) khat() posterior.Number {
	if len(f.ratios) == 0 {
		return posterior.NotApplicable()
	}
	if f.exact() {
		return 0
	}
	k := importance.Smooth(f.ratios, 1).K
	if math.IsInf(k, 0) {
		return posterior.NotApplicable()
	}
	return posterior.Number(k)
}

func (f *fitted) elbo() posterior.ELBO {
	return atMost(f.info.Fit.Best())
}

// evidence is the marginal likelihood by weights that are reliable; nil: there are none that have all
// constants.
func (f *fitted) evidence() *posterior.ELBO {
	e := f.elbo()
	if !f.info.Fit.Evidence || !f.correctable() || math.IsNaN(float64(e.SE)) {
		return nil
	}
	return &e
}

// atMost is an estimate of the ELBO as the summary has it.
func atMost(e backends.MonteCarloMean) posterior.ELBO {
	if e.N == 0 {
		return posterior.ELBO{Value: posterior.NotApplicable(), SE: posterior.NotApplicable()}
	}
	return posterior.ELBO{Value: posterior.Number(e.Value), SE: posterior.Number(e.SE)}
}

// noted are the reasons not to trust the fit that its draws do not show.
func (f *fitted) noted(a posterior.Advice) (out []posterior.Finding) {
	if f.interrupted {
		out = append(out, posterior.Finding{Check: "interrupted", Value: posterior.Number(f.iterations),
			Text: fmt.Sprintf("interrupted after %s; the result is the approximation at that moment; %s",
				grouped.Count(f.iterations, "iteration"), f.advice)})
	} else if !f.info.Fit.Converged {
		out = append(out, f.restless(a))
	}
	if f.held != "" {
		out = append(out, posterior.Finding{Check: "conditional", Value: posterior.NotApplicable(),
			Text: f.held, Try: a.Exact})
	}
	if len(f.ratios) > 0 && math.IsNaN(float64(f.khat())) {
		out = append(out, posterior.Finding{Check: "khat", Value: posterior.NotApplicable(),
			Text: fmt.Sprintf("k̂ of the approximation cannot be computed from the densities at %d draws: "+
				"they are too few, or none is finite", len(f.ratios))})
	}
	if k, most := float64(f.khat()), reliable(len(f.ratios)); f.weighable && k > most &&
		k <= posterior.KhatBound {
		out = append(out, posterior.Finding{Check: "khat", Value: posterior.Number(k),
			Text: fmt.Sprintf("k̂ of the approximation is %.2f, above %.2f, the most at which weights of "+
				"%d draws are reliable; they do not correct it", k, most, len(f.ratios)),
			Try: moreOf(a.Draws)})
	}
	if few := f.scarce(); few != nil {
		few.Try = joined(a.Exact, moreOf(a.Draws))
		out = append(out, *few)
	}
	if f.corrected == nil && !(float64(f.khat()) > posterior.KhatBound) && !(len(f.ratios) > 0 && f.exact()) {
		out = append(out, f.unweighed(a))
	}
	out = append(out, searched(&f.search)...)
	return append(out, f.nonFinite(" and were left out")...)
}

// restless is the finding of a fit that has not converged.
func (f *fitted) restless(a posterior.Advice) posterior.Finding {
	fit, out := f.info.Fit, posterior.Finding{Check: "converged", Value: posterior.NotApplicable(),
		Try: moreOf(a.Iterations)}
	if f.unfinished.Text != "" {
		out.Text, out.Try = "the fit has not converged: "+f.unfinished.Text, f.unfinished.Try
		return out
	}
	if !fit.Judged {
		out.Text = "too few iterations to decide whether the fit has converged"
		return out
	}
	if fit.BestAt > 0 {
		out.Text = fmt.Sprintf("the fit has not converged: the rows held out were predicted best after %d "+
			"of %s, and too few followed to say that more make it worse", fit.BestAt,
			grouped.Count(f.iterations, "iteration"))
		return out
	}
	var reasons []string
	if fit.Gradient > fit.GradientBound {
		reasons = append(reasons,
			fmt.Sprintf("the mean gradient of the last tenth of the iterations is %.2g of its standard "+
				"errors (root mean square; at most %.2g at an optimum)", fit.Gradient, fit.GradientBound))
	}
	if fit.Drifting > 0 {
		reasons = append(reasons,
			fmt.Sprintf("%d standard deviations still changed by more than 5 %% in the last "+
				"quarter of the iterations", fit.Drifting))
	}
	if fit.Rising {
		reasons = append(reasons, fmt.Sprintf("the ELBO still rose by %.2g ± %.1g nats in the last half",
			fit.Drift.Value, fit.Drift.SE))
	}
	out.Text = "the fit has not converged: " + strings.Join(reasons, "; ")
	if a.Rate != "" {
		out.Try = joined(out.Try, "a larger "+a.Rate)
	}
	return out
}
