package fit

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
)

// Sample runs the algorithm over all parties of the model in this process, and summarises its draws. When stop is closed each chain ends after its current
// step, and the result is of the draws so far; a nil stop never ends the run. A cancelled context ends it without a result.
func (p *Prepared) Sample(ctx context.Context, stop <-chan struct{}) (_ *Result, err error) {
	defer func() {
		if err != nil {
			p.abandon(err)
		}
		p.lock.release()
	}()
	var gradient time.Duration
	if p.apart == nil {
		if gradient, err = gradientTime(ctx, p.Plan, p.options.Seed); err != nil {
			return nil, err
		}
		p.options.Progress.Message(fmt.Sprintf("%s: %s; a gradient takes %.3g µs", p.Name, strings.Join(p.Plan.Names, ", "), float64(gradient.Nanoseconds())/1e3))
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
		WarmupS: seconds(f.fitting), SamplingS: seconds(f.drawing), TotalS: seconds(time.Since(p.options.Origin.Began)),
		WarmupCPUS: f.fittingCPU, SamplingCPUS: f.drawingCPU,
	}
	return r, nil
}

// infer runs an algorithm of any kind.
func (p *Prepared) infer(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	run := p.sample
	if p.Algorithm.Gives == backends.Approximation {
		run = p.approximate
	}
	f, err := run(ctx, stop)
	if err != nil {
		return nil, err
	}
	if f.interrupted {
		f.advice = "a run with -o DIR can be resumed"
		if p.options.Dir != "" {
			f.advice = "vflc resume " + p.options.Dir + " continues it"
		}
	}
	if f.draws.Len(0) == 0 {
		return nil, &InterruptedError{f.advice}
	}
	return f, nil
}

func seconds(d time.Duration) posterior.Number { return posterior.Number(d.Seconds()) }
