package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/loo"
	"github.com/vflc/vflc/runtime/session"
)

// fitted is the outcome of an algorithm on a plan.
type fitted struct {
	draws       *posterior.Draws
	trace       []posterior.ELBOPoint
	info        backends.Info // of the last step
	iterations  int           // of all phases except the evaluation of the result
	work        density.Work
	fitting     time.Duration
	drawing     time.Duration
	fittingCPU  *posterior.Number // seconds of all cores; nil: not known
	drawingCPU  *posterior.Number
	ratios      []float64 // log p − log q at draws from the approximation; nil where they are not computed
	interrupted bool
	chains      []*chain // the chains of the draws; nil where draws are independent
	left        int      // chains left out
	advice      string   // how to continue after an interrupt
	auxiliary   bool     // whether there are auxiliary variables
}

// approximate runs the algorithm over all parties until it is done, or stopped between two steps, and draws from the approximation at that point.
func (p *Prepared) approximate(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	f := &fitted{}
	progress := p.options.Progress
	progress.Begin(1, 0)
	err := session.Run(ctx, p.Plan, session.OneLoop, p.options.Seed, func(ctx context.Context, env density.Env) error {
		kernel, err := p.Algorithm.New(env, p.Settings)
		if err != nil {
			return &UsageError{err}
		}
		begin := time.Now()
		cpu := newCPUWatch(1)
		if err := begun(ctx, env, kernel); err != nil {
			return err
		}
		if err := f.steps(ctx, stop, kernel, progress); err != nil {
			return err
		}
		middle := time.Now()
		cpu.warm()
		if w, ok := kernel.(backends.Weighted); ok {
			f.ratios = w.Ratios()
		}
		err = f.take(ctx, env, kernel, p.Settings.Plan.Draws, p.options.Auxiliary, variables(p.Plan, p.options.Auxiliary))
		f.fitting, f.drawing, f.work = middle.Sub(begin), time.Since(middle), *density.WorkOf(env)
		f.fittingCPU, f.drawingCPU = cpu.end()
		return err
	})
	progress.End()
	return f, err
}

// begun finds a kernel's starting point.
func begun(ctx context.Context, env density.Env, k backends.Kernel) error {
	err := k.Init(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &InitError{Why: env.Why(), Err: err}
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

func (f *fitted) steps(ctx context.Context, stop <-chan struct{}, k backends.Kernel, p Progress) error {
	for !f.info.Done {
		if stopped(stop) {
			f.interrupted = true
			return nil
		}
		info, err := k.Step(ctx)
		if err != nil {
			return err
		}
		f.info = info
		p.Step(1, info)
		if info.Phase != backends.Evaluation {
			f.iterations = info.Iteration
		}
		if e := info.Fit.Trace; info.Fit.Traced {
			f.trace = append(f.trace, posterior.ELBOPoint{Iteration: info.Iteration, Value: e.Value, SE: e.SE})
		}
	}
	return nil
}

// take draws from the fitted approximation, or from the one at the interrupt.
func (f *fitted) take(ctx context.Context, env density.Env, k backends.Kernel, n int, auxiliary bool, vars []posterior.Variable) error {
	f.draws = posterior.NewDraws(vars, 1, n)
	taker := NewTaker(env, auxiliary)
	for id := range n {
		row, err := taker.Take(ctx, k, id)
		if err != nil {
			return err
		}
		f.draws.Append(0, row)
	}
	return nil
}

// converged reports whether the fit ended, and at an optimum.
func (f *fitted) converged() bool { return f.info.Done && f.info.Fit.Converged }

// equalRatios is a spread of log p − log q within which all weights are equal up to rounding.
const equalRatios = 1e-6

// khat is the Pareto shape of the weights that would correct the approximation, 0 where they are equal. It is NaN where it cannot be computed.
func (f *fitted) khat() posterior.Number {
	if len(f.ratios) == 0 {
		return posterior.NotApplicable()
	}
	if slices.Max(f.ratios)-slices.Min(f.ratios) < equalRatios {
		return 0
	}
	k := loo.Smooth(f.ratios, 1).K
	if math.IsInf(k, 0) {
		return posterior.NotApplicable()
	}
	return posterior.Number(k)
}

func (f *fitted) elbo() posterior.ELBO {
	e := f.info.Fit.Best()
	if e.N == 0 {
		return posterior.ELBO{Value: posterior.NotApplicable(), SE: posterior.NotApplicable()}
	}
	return posterior.ELBO{Value: posterior.Number(e.Value), SE: posterior.Number(e.SE)}
}

// noted are the reasons not to trust the fit that its draws do not show.
func (f *fitted) noted(a posterior.Advice) (out []posterior.Finding) {
	if f.interrupted {
		out = append(out, posterior.Finding{Check: "interrupted", Value: posterior.Number(f.iterations),
			Text: fmt.Sprintf("interrupted after %d iterations; the result is the approximation at that moment", f.iterations)})
	} else if !f.info.Fit.Converged {
		out = append(out, f.restless(a))
	}
	if len(f.ratios) > 0 && math.IsNaN(float64(f.khat())) {
		out = append(out, posterior.Finding{Check: "khat", Value: posterior.NotApplicable(),
			Text: fmt.Sprintf("k̂ of the approximation cannot be computed from the densities at %d draws: they are too few, or none is finite", len(f.ratios))})
	}
	return append(out, f.nonFinite(" and were left out")...)
}

// restless is the finding of a fit that has not converged.
func (f *fitted) restless(a posterior.Advice) posterior.Finding {
	fit, out := f.info.Fit, posterior.Finding{Check: "converged", Value: posterior.NotApplicable(), Try: moreOf(a.Iterations)}
	if !fit.Judged {
		out.Text = "too few iterations to decide whether the fit has converged"
		return out
	}
	var reasons []string
	if fit.Gradient > fit.GradientBound {
		reasons = append(reasons, fmt.Sprintf("the mean gradient of the last tenth of the iterations is %.2g of its standard errors (root mean square; at most %.2g at an optimum)", fit.Gradient, fit.GradientBound))
	}
	if fit.Drifting > 0 {
		reasons = append(reasons, fmt.Sprintf("%d standard deviations still changed by more than 5 %% in the last quarter of the iterations", fit.Drifting))
	}
	if fit.Rising {
		reasons = append(reasons, fmt.Sprintf("the ELBO still rose by %.2g ± %.1g nats in the last half", fit.Drift.Value, fit.Drift.SE))
	}
	out.Text = "the fit has not converged: " + strings.Join(reasons, "; ")
	if a.Rate != "" {
		out.Try = joined(out.Try, "a larger "+a.Rate)
	}
	return out
}
