package fit

import (
	"context"
	"fmt"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

// A band is the chains of a run that begin near an approximation and warm up together: after each transition
// of the warm-up all of them wait for one another, and adapt alike. They are saved when the warm-up is over,
// or interrupted, so that no file is ahead of another there.
type band struct {
	*sampling
	side    *session.Chains
	first   density.Env // of the first chain, for what concerns all
	chains  []*chain
	walks   []*walk
	kernels []backends.Kernel
}

// together runs chains that begin near an approximation.
func (m *sampling) together(ctx context.Context, stop <-chan struct{}, chains []*chain) error {
	return m.beside(ctx, len(chains), func(ctx context.Context, side *session.Chains) error {
		g := &band{sampling: m, side: side, first: side.Envs[0], chains: chains}
		for k, c := range chains {
			m.watch(side.Envs[k], c)
			side.Envs[k] = density.Chain(side.Envs[k], c.number)
		}
		resumed, err := g.resume()
		if err != nil {
			return err
		}
		if !resumed {
			if err := g.begin(ctx); err != nil {
				return err
			}
		}
		g.start()
		if !resumed {
			g.level()
		}
		if err := g.warmUp(ctx, stop); err != nil {
			return err
		}
		return side.Each(ctx, func(ctx context.Context, k int) error {
			return m.steps(ctx, stop, g.walks[k])
		})
	})
}

// make makes the kernels.
func (g *band) make() error {
	g.kernels = nil
	for k, c := range g.chains {
		kernel, err := g.Algorithm.New(g.side.Envs[k], g.Settings)
		if err != nil {
			return &UsageError{err}
		}
		c.kernel, g.kernels = kernel, append(g.kernels, kernel)
	}
	return nil
}

// resume loads the chains of an earlier process. It reports whether they can go on: all are there, and at the
// same transition if one of them is in its warm-up.
func (g *band) resume() (bool, error) {
	if err := g.make(); err != nil || !g.options.Resume {
		return false, err
	}
	level := true
	for _, c := range g.chains {
		there, err := c.load(g.options.Dir)
		if err != nil {
			return false, err
		}
		level = level && there && (c.steps == g.chains[0].steps ||
			min(c.steps, g.chains[0].steps) >= g.Settings.Plan.Warmup)
	}
	if level {
		for _, c := range g.chains {
			g.options.Progress.Skip(c.number, c.steps)
		}
		return true, nil
	}
	for k, c := range g.chains {
		g.chains[k].reset()
		g.place(c)
		g.watch(g.side.Envs[k], c)
	}
	return false, g.make()
}

// reset forgets what a chain has loaded.
func (c *chain) reset() { *c = chain{number: c.number, width: c.width} }

// begin fits the approximation, and puts the chains at their starting points.
func (g *band) begin(ctx context.Context) error {
	var draws [][][][]float64
	err := g.side.Each(ctx, func(ctx context.Context, k int) (err error) {
		if k == 0 {
			draws, err = g.near.approximate(ctx, g.first, g.options.Progress)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range g.chains {
		c.search = g.near.search
	}
	return g.side.Each(ctx, func(ctx context.Context, k int) error {
		return g.kernels[k].(backends.Joint).Begin(ctx, startOf(g.first, draws, k, g.Settings.Plan))
	})
}

// startOf is where chain k begins: superchains take turns with the approximations.
func startOf(env density.Env, approximations [][][][]float64, k int, plan backends.Workload) backends.Start {
	super := k * plan.Superchains / plan.Chains
	draws := approximations[super%len(approximations)]
	from := backends.Start{Draws: draws, At: super * len(draws[0]) / plan.Superchains}
	for b := range env.Blocks() {
		from.Noise = append(from.Noise, env.Private(b, fmt.Sprintf("superchain %d", super+1)))
	}
	return from
}

// start begins to count.
func (g *band) start() {
	for k, c := range g.chains {
		g.walks = append(g.walks, g.walk(g.side.Envs[k], c))
	}
}

// warmUp makes the transitions of the warm-up.
func (g *band) warmUp(ctx context.Context, stop <-chan struct{}) error {
	for g.chains[0].steps < g.Settings.Plan.Warmup && !stopped(stop) {
		if err := g.side.Each(ctx, func(ctx context.Context, k int) error {
			return g.walks[k].step(ctx)
		}); err != nil {
			return err
		}
		g.kernels[0].(backends.Joint).Learn(g.kernels)
		g.level()
		if g.apart != nil && g.apart.Marks.Due(0, g.chains[0].steps) {
			if err := g.saveAll(g.chains); err != nil {
				return err
			}
			g.apart.Marks.Saved(0)
		}
	}
	if g.apart != nil {
		g.apart.Marks.Ended(0)
	}
	return nil
}

// level lets every chain wait for the one that needed most round trips: those that all chains need travel
// together.
func (g *band) level() {
	most := int64(0)
	for _, w := range g.walks {
		w.read(w.env)
		most = max(most, w.chain.work.Sequential)
	}
	for _, w := range g.walks {
		w.work.Sequential += most - w.chain.work.Sequential
		w.read(w.env)
	}
}

// A walk is a chain under way.
type walk struct {
	*sampling
	stopwatch
	env   density.Env
	taker *Taker
	saved time.Time
}

func (m *sampling) walk(env density.Env, c *chain) *walk {
	w := &walk{
		sampling: m, env: env, taker: NewTaker(env, m.options.Auxiliary), saved: time.Now(),
		stopwatch: stopwatch{chain: c, work: c.work, begun: time.Now(), warming: c.warming,
			drawing: c.drawing},
	}
	w.read(env)
	m.cpu.note(c)
	return w
}

// step makes one step and takes the draws that it has made.
func (w *walk) step(ctx context.Context) (err error) {
	c := w.chain
	if c.info, err = c.kernel.Step(ctx); err != nil {
		return err
	}
	c.steps++
	c.current = false
	w.options.Progress.Step(c.number, c.info)
	for len(c.rows) < c.info.Draws {
		row, err := w.taker.Take(ctx, c.kernel, len(c.rows))
		if err != nil {
			return err
		}
		c.keep(row)
	}
	w.read(w.env)
	w.cpu.note(c)
	return nil
}
