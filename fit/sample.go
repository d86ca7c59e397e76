package fit

import (
	"context"
	"errors"
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
				err = notFinite(p.BoundModel, nowhere)
			}
		}
		p.lock.Release()
	}()
	if p.apart == nil && p.prior == nil && !p.Settings.Plan.Encrypted {
		p.options.Progress.Message(p.Name + ": " + strings.Join(p.Plan.Names, ", "))
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
		if r.Responses, err = Pointwise(p.BoundModel, r.Draws, LogDensities{Draws: math.MaxInt}); err != nil {
			return nil, err
		}
	}
	r.Document.Timing = posterior.Timing{
		LoadS: seconds(p.loaded), WarmupS: seconds(f.fitting), SamplingS: seconds(f.drawing),
		TotalS:     seconds(time.Since(p.options.Origin.Began)),
		WarmupCPUS: f.fittingCPU, SamplingCPUS: f.drawingCPU,
	}
	return r, nil
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

func seconds(d time.Duration) posterior.Number { return posterior.Number(d.Seconds()) }
