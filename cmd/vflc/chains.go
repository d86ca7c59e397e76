package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A chain is one Markov chain of a run and what it has drawn.
type chain struct {
	number      int         // from 1
	width       int         // of a draw
	rows        [][]float64 // reported parameters, one row a draw
	room        []float64   // for further rows
	transitions []backends.Transition
	info        backends.Info
	steps       int // transitions
	work        density.Work
	warming     time.Duration
	drawing     time.Duration
	kernel      backends.Kernel
	drew        bool // the watch knows that the warm-up is over
}

// markov says what a run of Markov chains needs.
type markov struct {
	plan      *model.Plan
	algorithm backends.Algorithm
	settings  backends.Settings
	seed      uint64
	progress  chainWatcher
	dir       string // where chains are saved; "": nowhere
	resumed   bool   // the chains go on from what is saved there
	from      string // folder of a run that chains begin with; "": none
	auxiliary bool   // auxiliary variables are among the draws
	cpu       *cpuWatch
}

// A chainWatcher shows where chains stand.
type chainWatcher interface {
	step(chain int, info backends.Info)
	skip(chain, done int) // steps that an earlier process has done
	end()
}

// kernels is how many run side by side.
func (m *markov) kernels() int {
	if m.algorithm.Markov {
		return m.settings.Int("chains")
	}
	return 1
}

// sample runs all chains at once. The first interrupt ends each after its transition, with the draws that there are; a second one ends the process.
func (m *markov) sample(ctx context.Context) (*fitted, error) {
	interrupt, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(interrupt, stop)
	return m.until(ctx, interrupt)
}

// until runs all chains, each over an Env of its own, until they are done or interrupted.
func (m *markov) until(ctx, interrupt context.Context) (*fitted, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	vars := variables(m.plan, m.auxiliary)
	chains := make([]*chain, m.kernels())
	var wait sync.WaitGroup
	m.cpu = newCPUWatch(len(chains))
	for k := range chains {
		c := &chain{number: k + 1, width: len(posterior.Columns(vars))}
		chains[k] = c
		wait.Go(func() {
			if err := m.run(ctx, interrupt, c); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	warmup, sampling := m.cpu.end()
	m.progress.end()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := m.complete(chains); err != nil {
		return nil, err
	}
	f := m.gathered(vars, chains)
	f.fittingCPU, f.drawingCPU = warmup, sampling
	if m.dir == "" {
		return f, nil
	}
	for _, c := range chains {
		if err := c.save(m.dir, !f.interrupted); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// run makes one chain.
func (m *markov) run(ctx, interrupt context.Context, c *chain) error {
	return session.Run(ctx, m.plan, session.OneLoop, m.seed, func(ctx context.Context, env density.Env) error {
		env = density.Chain(env, c.number)
		var err error
		if c.kernel, err = m.algorithm.New(env, m.settings); err != nil {
			return &failure{exitUsage, err}
		}
		if err := m.begin(ctx, c); err != nil {
			return err
		}
		return m.steps(ctx, interrupt, env, c)
	})
}

// begin finds the chain's starting point.
func (m *markov) begin(ctx context.Context, c *chain) error {
	if m.resumed {
		if there, err := c.load(m.dir); there || err != nil {
			m.progress.skip(c.number, c.steps)
			return err
		}
	}
	if m.from != "" {
		return c.warmStart(ctx, m.from)
	}
	return c.kernel.Init(ctx)
}

// steps draws until the chain is done or interrupted.
func (m *markov) steps(ctx, interrupt context.Context, env density.Env, c *chain) (err error) {
	taker := newTaker(env, m.auxiliary)
	watch := stopwatch{chain: c, work: c.work, begun: time.Now(), warming: c.warming, drawing: c.drawing}
	watch.read(env)
	m.cpu.note(c)
	saved := time.Now()
	for !c.info.Done && interrupt.Err() == nil {
		if c.info, err = c.kernel.Step(ctx); err != nil {
			return err
		}
		c.steps++
		m.progress.step(c.number, c.info)
		for len(c.rows) < c.info.Draws {
			row, err := taker.take(ctx, c.kernel, len(c.rows))
			if err != nil {
				return err
			}
			c.keep(row)
		}
		watch.read(env)
		m.cpu.note(c)
		if time.Since(saved) > saveEvery {
			if err := m.save(c); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	if time.Since(saved) < worthSaving {
		return nil
	}
	return m.save(c)
}

// save writes a chain's file while others may go on.
func (m *markov) save(c *chain) error {
	if m.dir == "" {
		return nil
	}
	return c.save(m.dir, false)
}

// A stopwatch adds time and work to what a chain had before.
type stopwatch struct {
	*chain
	begun            time.Time
	work             density.Work
	warming, drawing time.Duration
}

func (w *stopwatch) read(env density.Env) {
	now, done := time.Since(w.begun), density.WorkOf(env)
	w.chain.work = density.Work{Gradients: w.work.Gradients + done.Gradients, Rounds: w.work.Rounds + done.Rounds, Bytes: w.work.Bytes + done.Bytes}
	if w.info.Draws == 0 {
		w.chain.warming = w.warming + now
	} else {
		w.chain.drawing = w.warming + w.drawing + now - w.chain.warming
	}
}

// slab is for how many draws room is made at a time.
const slab = 64

// keep notes the newest draw.
func (c *chain) keep(row []float64) {
	n := len(row)
	if len(c.room) < n {
		c.room = make([]float64, slab*n)
	}
	kept := c.room[:n:n]
	c.room = c.room[n:]
	copy(kept, row)
	c.rows = append(c.rows, kept)
	c.transitions = append(c.transitions, c.info.Transition)
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
