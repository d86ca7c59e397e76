package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/posterior"
)

// Sample runs the algorithm over all parties of the model in this process, and summarises its draws. When
// stop is closed each chain ends after its current step, and the result is of the draws so far; a nil stop
// never ends the run. A cancelled context ends it without a result.
func (p *Prepared) Sample(ctx context.Context, stop <-chan struct{}) (_ *Result, err error) {
	defer func() {
		if err != nil {
			p.abandon(err)
			var refusal *backends.Refusal
			var nowhere *backends.NotFiniteError
			switch {
			case errors.As(err, &refusal):
				err = data.Errors(refusal.Diagnostics())
			case errors.As(err, &nowhere):
				err = notFinite(p.Bound, nowhere)
			}
		}
		p.lock.Release()
	}()
	var gradient time.Duration
	if p.prior == nil {
		gradient, err = p.gradient(ctx, stop)
	}
	if err != nil {
		return nil, err
	}
	if text := p.crossing(); text != "" {
		p.options.Progress.Message(text)
	}
	f, err := p.infer(ctx, stop)
	if err != nil {
		return nil, err
	}
	r := p.result(f)
	if p.options.LogLik {
		if r.Responses, err = Pointwise(p.Bound, r.Draws, LogDensities{Draws: math.MaxInt}); err != nil {
			return nil, err
		}
	}
	r.Document.Timing = posterior.Timing{
		LoadS: seconds(p.loaded), GradientUS: posterior.Number(float64(gradient.Nanoseconds()) / 1e3),
		WarmupS: seconds(f.fitting), SamplingS: seconds(f.drawing),
		TotalS:     seconds(time.Since(p.options.Origin.Began)),
		WarmupCPUS: f.fittingCPU, SamplingCPUS: f.drawingCPU,
	}
	return r, nil
}

// gradient times an evaluation, and says how long it takes; 0 where a process has one party alone, which
// evaluates nothing by itself.
func (p *Prepared) gradient(ctx context.Context, stop <-chan struct{}) (time.Duration, error) {
	if p.apart != nil || p.Settings.Plan.Encrypted {
		return 0, nil
	}
	timing, release := until(ctx, stop)
	gradient, err := gradientTime(timing, p.Plan, p.options.Seed)
	release()
	switch {
	case err != nil && ctx.Err() == nil && timing.Err() != nil:
		return 0, &InterruptedError{p.continuation()}
	case err != nil:
		return 0, err
	}
	p.options.Progress.Message(fmt.Sprintf("%s: %s; a gradient takes %.3g µs", p.Name,
		strings.Join(p.Plan.Names, ", "), float64(gradient.Nanoseconds())/1e3))
	return gradient, nil
}

// infer runs an algorithm of any kind.
func (p *Prepared) infer(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	run := p.sample
	if p.prior != nil {
		run = p.ancestral
	} else if p.Algorithm.Gives == backends.Approximation {
		run = p.approximate
	}
	f, err := run(ctx, stop)
	if err != nil {
		return nil, err
	}
	if f.interrupted {
		f.advice = p.continuation()
	}
	if f.draws.Len(0) == 0 {
		if p.options.Dir != "" && p.apart == nil {
			if err := saveRest(p.options.Dir, f.kernels); err != nil { // else Result.Save does it
				return nil, err
			}
		}
		return nil, &InterruptedError{f.advice}
	}
	return f, nil
}

// continuation says how an interrupted run is continued.
func (p *Prepared) continuation() string {
	switch {
	case p.options.Dir != "":
		return "vflc resume " + p.options.Dir + " continues it"
	case p.options.Origin.Continue != "":
		return p.options.Origin.Continue
	}
	return "a run with -o DIR can be resumed"
}

// until is a context that also ends when stop is closed. release ends it.
func until(ctx context.Context, stop <-chan struct{}) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func seconds(d time.Duration) posterior.Number { return posterior.Number(d.Seconds()) }
