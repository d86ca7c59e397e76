package session

import (
	"context"
	"sync"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// Chains are the Envs of one process for evaluations side by side, of the chains of a run. What one of them
// computes does not depend on the others; between parties that are apart, their messages travel together.
type Chains struct {
	Envs  []density.Env
	own   []*evaluator     // the Envs, which may have been wrapped since
	lanes *transport.Lanes // nil in one loop
	crew  []*vector.Team
	// convoy is that of chains which share cores and pass over many data; else nil.
	convoy *vector.Convoy
}

// RunChains is Run with an Env for each of n chains. With OneLoop, cores that no chain needs help with
// evaluations that are long enough; no number depends on it.
func RunChains(ctx context.Context, plan *model.Plan, mode Execution, seed uint64, n, cores int,
	run func(context.Context, *Chains) error) error {
	keys := SimulatedKeys(seed, plan.Names)
	if mode == PerParty {
		return apart(ctx, plan, keys, func(ctx context.Context, i int, end transport.Transport,
			own Keys) error {
			c, err := RemoteChains(plan.Only(i), i, end, own, n)
			if err != nil {
				return err
			}
			return run(ctx, c)
		})
	}
	c := &Chains{}
	if err := c.add(n, func(k int) (*evaluator, error) {
		return newLocal(plan, keys, vector.Spare(cores, n, k))
	}); err != nil {
		return err
	}
	c.Spread(cores)
	defer c.Close()
	return run(ctx, c)
}

// RemoteChains is NewRemote for each of n chains, over one transport.
func RemoteChains(plan *model.Plan, index int, t transport.Transport, keys Keys, n int) (*Chains, error) {
	c := &Chains{lanes: transport.NewLanes(t, n)}
	var together *masker
	if index > 0 && len(plan.Names) > 2 && sameMessages(plan) {
		p, err := newPairs(plan, index, keys.Masks)
		if err != nil {
			return nil, err
		}
		together = newMasker(p, true)
		c.lanes.Before(together.depart)
	}
	return c, c.add(n, func(k int) (*evaluator, error) {
		return newRemote(plan, index, c.lanes.Lane(k), keys, k, together)
	})
}

func (c *Chains) add(n int, env func(k int) (*evaluator, error)) error {
	for k := range n {
		e, err := env(k)
		if err != nil {
			return err
		}
		e.Number(k + 1)
		c.Envs, c.own = append(c.Envs, e), append(c.own, e)
	}
	return nil
}

// Spread lets cores that no chain needs help with loops over rows that are long enough, until Close; where
// cores are fewer, chains pass over many data together. No number depends on it.
func (c *Chains) Spread(cores int) {
	if len(c.own) > 0 && c.own[0].passes() {
		c.convoy = vector.NewConvoy(len(c.own), cores)
	}
	if c.convoy != nil {
		for k, b := range c.own {
			b.use(c.convoy.Group(k))
		}
		if c.lanes != nil {
			c.lanes.Watch(c.convoy)
		}
		return
	}
	for k, b := range c.own {
		if b.splits() {
			g := vector.NewTeam(vector.Spare(cores, len(c.own), k))
			b.use(g)
			c.crew = append(c.crew, g)
		}
	}
}

// Close ends the helpers, after the last evaluation.
func (c *Chains) Close() {
	for _, b := range c.own {
		b.use(nil)
	}
	for _, g := range c.crew {
		g.Close()
	}
	c.crew, c.convoy = nil, nil
	if c.lanes != nil {
		c.lanes.Watch(nil)
	}
}

// Each calls f for all chains at the same time, and ends each of them (density.Chained). The first error ends
// the others. No f may wait for another but by messages.
func (c *Chains) Each(ctx context.Context, f func(ctx context.Context, chain int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.lanes != nil {
		c.lanes.Start()
	}
	for k := range c.Envs {
		c.convoy.Begin(k)
	}
	var wait sync.WaitGroup
	for k := range c.Envs {
		wait.Go(func() {
			err := f(ctx, k)
			if err == nil {
				err = c.own[k].End(ctx)
			}
			if err != nil {
				cancel(err)
			}
			c.convoy.End(k)
			if c.lanes != nil {
				c.lanes.Done(ctx, k)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// Flights is how many messages this party has sent with those of all chains; 0 in one loop.
func (c *Chains) Flights() int {
	if c.lanes == nil {
		return 0
	}
	return c.lanes.Flights()
}

// apart runs a function at every party, which is given its own end and keys alone. The first error that is a
// cause ends all.
func apart(ctx context.Context, plan *model.Plan, keys Keys,
	run func(ctx context.Context, i int, end transport.Transport, own Keys) error) error {
	if err := plan.Verify(); err != nil {
		return err
	}
	keys, err := keys.WithMasks(plan)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := failures{cancel: cancel}
	var wait sync.WaitGroup
	for i, end := range transport.NewMem(plan.Names) {
		wait.Go(func() {
			defer end.Close()
			name := plan.Names[i]
			f.note(run(ctx, i, end, keys.Only(name)))
		})
	}
	wait.Wait()
	return f.err
}
