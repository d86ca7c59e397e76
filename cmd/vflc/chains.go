package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A chain is one Markov chain of a run and what it has drawn.
type chain struct {
	number      int         // from 1
	rows        [][]float64 // reported parameters, one row a draw
	transitions []backends.Transition
	info        backends.Info
	steps       int // transitions
	work        backends.Work
	warming     time.Duration
	drawing     time.Duration
}

// markov says what a run of Markov chains needs.
type markov struct {
	plan      *model.Plan
	algorithm backends.Algorithm
	settings  backends.Settings
	seed      uint64
	progress  *chainProgress
}

// sample runs all chains at once, each over an Env of its own. The first interrupt ends each after its transition, with the draws that there are;
// a second one ends the process.
func (m *markov) sample(ctx context.Context) (*fitted, error) {
	interrupt, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(interrupt, stop)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chains, errs := make([]*chain, m.settings.Int("chains")), make([]error, m.settings.Int("chains"))
	var wait sync.WaitGroup
	for c := range chains {
		chains[c] = &chain{number: c + 1}
		wait.Go(func() {
			if errs[c] = m.run(ctx, interrupt, chains[c]); errs[c] != nil {
				cancel(errs[c])
			}
		})
	}
	wait.Wait()
	m.progress.end()
	for _, err := range errs {
		if err != nil && (ctx.Err() == nil || err == context.Cause(ctx)) {
			return nil, err
		}
	}
	return gather(variables(m.plan), chains), nil
}

// run makes one chain.
func (m *markov) run(ctx, interrupt context.Context, c *chain) error {
	return session.Run(ctx, m.plan, session.OneLoop, m.seed, func(ctx context.Context, env backends.Env) error {
		env = backends.Chain(env, c.number)
		kernel, err := m.algorithm.New(env, m.settings)
		if err != nil {
			return &failure{exitUsage, err}
		}
		begin := time.Now()
		if err := kernel.Init(ctx); err != nil {
			return err
		}
		theta, values := buffers(env)
		for !c.info.Done && interrupt.Err() == nil {
			if c.info, err = kernel.Step(ctx); err != nil {
				return err
			}
			c.steps++
			m.progress.step(c.number, c.info)
			if c.info.Draws == 0 {
				c.warming = time.Since(begin)
				continue
			}
			kernel.Draw(c.info.Draws-1, theta)
			if err := env.Values(ctx, theta, values); err != nil {
				return err
			}
			c.keep(values)
		}
		c.drawing = time.Since(begin) - c.warming
		c.work = *env.Work()
		return nil
	})
}

// keep notes the newest draw.
func (c *chain) keep(values [][]float64) {
	var row []float64
	for _, v := range values {
		row = append(row, v...)
	}
	c.rows = append(c.rows, row)
	c.transitions = append(c.transitions, c.info.Transition)
}

// buffers are for a draw of every block, and for its values on their declared scale.
func buffers(env backends.Env) (theta, values [][]float64) {
	for _, block := range env.Blocks() {
		size := 0
		for _, p := range block.Params() {
			size += p.Len
		}
		theta, values = append(theta, make([]float64, block.Dim())), append(values, make([]float64, size))
	}
	return theta, values
}

// variables are the reported parameters of all parties, in party order.
func variables(plan *model.Plan) []posterior.Variable {
	var out []posterior.Variable
	for _, party := range plan.Parties {
		for _, p := range party.Params {
			out = append(out, posterior.Variable{Name: p.Name, Owner: p.Owner, Dims: p.Dims})
		}
	}
	return out
}

// gather puts the chains of a run together. After an interrupt they have drawn unlike much: those with less than half of the most draws are left out,
// and the others cut to one length, which all summaries need.
func gather(vars []posterior.Variable, chains []*chain) *fitted {
	most := 0
	f := &fitted{}
	for _, c := range chains {
		most = max(most, len(c.rows))
		f.work.Gradients += c.work.Gradients
		f.work.Rounds += c.work.Rounds
		f.work.Bytes += c.work.Bytes
		f.fitting, f.drawing = max(f.fitting, c.warming), max(f.drawing, c.drawing)
		f.interrupted = f.interrupted || !c.info.Done
		f.iterations += c.steps
	}
	least := most
	for _, c := range chains {
		if 2*len(c.rows) < most {
			f.left++
			continue
		}
		f.chains = append(f.chains, c)
		least = min(least, len(c.rows))
	}
	f.draws = chainDraws(vars, f.chains, least)
	return f
}

// chainDraws are the first n draws of every chain.
func chainDraws(vars []posterior.Variable, chains []*chain, n int) *posterior.Draws {
	d := posterior.NewDraws(vars, len(chains), n)
	d.Transitions = make([][]posterior.Transition, len(chains))
	for k, c := range chains {
		for i, row := range c.rows[:n] {
			d.Append(k, row)
			t := c.transitions[i]
			d.AppendTransition(k, posterior.Transition{
				LP: t.LogDensity, Accept: t.Accept, StepSize: t.StepSize, TreeDepth: t.Depth, Leapfrogs: t.Leapfrogs, Divergent: t.Divergent, Energy: t.Energy,
			})
		}
	}
	return d
}
