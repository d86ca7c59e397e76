package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// fitted is what an algorithm made of a plan.
type fitted struct {
	draws       *posterior.Draws
	trace       []posterior.ELBOPoint
	info        backends.Info // of the last step
	iterations  int           // of all phases but the evaluation of the result
	work        density.Work
	fitting     time.Duration
	drawing     time.Duration
	fittingCPU  *posterior.Number // seconds of all cores; nil: not known
	drawingCPU  *posterior.Number
	ratios      []float64 // log p − log q at draws from the approximation; nil where there is none, or not yet
	interrupted bool
	chains      []*chain // that the draws are of; nil where they are independent
	left        int      // chains left out
	advice      string   // how to go on after an interrupt
	conditional bool     // the draws are given a maximum over other variables
	auxiliary   bool     // auxiliary variables among these
}

// fit runs the algorithm over all parties until it is done. The first interrupt ends it between two steps, with what there is; a second one
// ends the process.
func fit(ctx context.Context, plan *model.Plan, a backends.Algorithm, s backends.Settings, seed uint64, auxiliary bool, p *progress) (*fitted, error) {
	f := &fitted{}
	err := session.Run(ctx, plan, session.OneLoop, seed, func(ctx context.Context, env density.Env) error {
		interrupt, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		context.AfterFunc(interrupt, stop)
		kernel, err := a.New(env, s)
		if err != nil {
			return &failure{exitUsage, err}
		}
		begin := time.Now()
		cpu := newCPUWatch(1)
		if err := f.steps(ctx, interrupt, kernel, p); err != nil {
			return err
		}
		middle := time.Now()
		cpu.warm()
		if w, ok := kernel.(backends.Weighted); ok {
			f.ratios = w.Ratios()
		}
		err = f.take(ctx, env, kernel, s.Int("draws"), auxiliary, variables(plan, auxiliary))
		f.fitting, f.drawing, f.work = middle.Sub(begin), time.Since(middle), *density.WorkOf(env)
		f.fittingCPU, f.drawingCPU = cpu.end()
		return err
	})
	p.end()
	return f, err
}

func (f *fitted) steps(ctx, interrupt context.Context, k backends.Kernel, p *progress) error {
	if err := k.Init(ctx); err != nil {
		return err
	}
	for !f.info.Done {
		if interrupt.Err() != nil {
			f.interrupted = true
			return nil
		}
		info, err := k.Step(ctx)
		if err != nil {
			return err
		}
		f.info = info
		p.step(info)
		if info.Phase != evaluatePhase {
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
	taker := newTaker(env, auxiliary)
	for id := range n {
		row, err := taker.take(ctx, k, id)
		if err != nil {
			return err
		}
		f.draws.Append(0, row)
	}
	return nil
}

// converged says that the fit came to its end and its ELBO had stopped rising.
func (f *fitted) converged() bool { return f.info.Done && f.info.Fit.Converged }
