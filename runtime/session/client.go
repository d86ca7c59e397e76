package session

import (
	"context"
	"math"

	"github.com/vflc/vflc/density"
)

// client is the Env of one client: its block alone, and the server at the other end of the wire.
type client struct {
	base
	*wire
	party  *partyState
	script *script
	server string
}

// Density is the client's side of one evaluation.
func (c *client) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	return c.evaluate(ctx, theta, algorithm{coords: coords}, grad, lp)
}

// StepLocally is Density with the client's evaluations left to steps.
func (c *client) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps, grad [][]float64, lp []float64) error {
	c.mustHaveAuxiliaries()
	return c.evaluate(ctx, theta, algorithm{steps: steps}, grad, lp)
}

func (c *client) evaluate(ctx context.Context, theta [][]float64, by algorithm, grad [][]float64, lp []float64) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	down, err := c.forward(ctx, nil, theta[0], by)
	if err != nil {
		return err
	}
	c.measured(c.cost.density)
	return c.complete(ctx, down, by, grad, lp)
}

// Proceed is Density with scalars on the way.
func (c *client) Proceed(ctx context.Context, t density.Decision, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	by := algorithm{coords: coords}
	down, err := c.forward(ctx, &t, theta[0], by)
	if err != nil {
		return err
	}
	copy(t.Total, down.scalars().Data)
	wanted := t.Wanted()
	c.measured(c.cost.proceed(len(t.Total), wanted))
	if !wanted {
		return nil
	}
	return c.complete(ctx, down, by, grad, lp)
}

// complete is an evaluation from the reply on.
func (c *client) complete(ctx context.Context, down *frame, by algorithm, grad [][]float64, lp []float64) error {
	c.take(down)
	lp[0] = c.party.evaluate(0, by)
	lost := down.invalid()
	down, err := c.backward(ctx, down)
	if err != nil {
		return err
	}
	c.party.pull(0, by, grad[0])
	if lost || down.invalid() {
		lp[0] = math.Inf(-1)
	}
	if err := c.send(ctx, c.server, c.script.loadTrailing(c.party)); err != nil {
		return err
	}
	c.work.Gradients++
	return nil
}

// forward sends z, with the scalars of t unless it is nil, and receives whatever the density needs; in the augmented model the adjoints too.
func (c *client) forward(ctx context.Context, t *density.Decision, theta []float64, by algorithm) (*frame, error) {
	f := c.script
	if err := c.recv(ctx, c.server, &f.early); err != nil {
		return nil, err
	}
	c.deliver(&f.early, f.earlyArrivals)
	c.party.value(0, theta, by)
	up, down := f.loadAux(c.party, t, 0)
	if err := c.send(ctx, c.server, up); err != nil {
		return nil, err
	}
	return down, c.recv(ctx, c.server, down)
}

// take copies what the density needs out of the reply.
func (c *client) take(down *frame) {
	f := c.script
	c.deliver(down, f.lateArrivals)
	if !c.plan.Power {
		return
	}
	for i, r := range f.role.Receptions {
		c.party.receiveSum(r, down.arrays[len(f.lateArrivals)+i].Data)
	}
}

// deliver copies received shared parameters, the first channels of a frame, to the graph.
func (c *client) deliver(f *frame, arrivals []int) {
	for i, k := range arrivals {
		copy(c.party.Input(c.script.role.Arrivals[k].Input), f.arrays[i].Data)
	}
}

// backward sets adj from the reply; in power by sending the client's adjoints and receiving all parties'. It returns the message that brought it.
func (c *client) backward(ctx context.Context, down *frame) (*frame, error) {
	f := c.script
	from, at := down, len(f.lateArrivals)
	if c.plan.Power {
		from, at = &f.whole, 0
		if err := c.send(ctx, c.server, f.loadPartial(c.party)); err != nil {
			return nil, err
		}
		if err := c.recv(ctx, c.server, &f.whole); err != nil {
			return nil, err
		}
	}
	for i := range f.role.Members {
		c.party.settleMember(i, from.arrays[at+i].Data)
	}
	return from, nil
}

// End implements density.Chained.
func (c *client) End(ctx context.Context) error {
	if len(c.script.closing.arrays) == 0 {
		return nil
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	if err := c.send(ctx, c.server, &c.script.closing); err != nil {
		return err
	}
	if err := c.recv(ctx, c.server, &c.script.closed); err != nil {
		return err
	}
	c.measured(c.cost.closing)
	return nil
}

// Totals sends the centres and receives the sums.
func (c *client) Totals(ctx context.Context, centre, total [][]float64) error {
	c.mustHaveAuxiliaries()
	if err := c.begin(ctx); err != nil {
		return err
	}
	f := c.script
	if err := c.send(ctx, c.server, f.loadCentre(c.party, centre[0])); err != nil {
		return err
	}
	if err := c.recv(ctx, c.server, &f.total); err != nil {
		return err
	}
	for i, m := range f.role.Members {
		copy(c.party.part(total[0], m.Cut), f.total.arrays[i].Data)
	}
	c.measured(c.cost.totals)
	return nil
}

// Sum sends the client's scalars and receives the totals.
func (c *client) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	f := c.script
	f.part.loadScalars(part[0])
	f.sum.lens[0] = len(total)
	if err := c.send(ctx, c.server, &f.part); err != nil {
		return err
	}
	if err := c.recv(ctx, c.server, &f.sum); err != nil {
		return err
	}
	copy(total, f.sum.arrays[0].Data)
	c.measured(c.cost.sum(len(total)))
	return nil
}

// Values receives the shared parameters of the draw, sends what the server's generated quantities read of it, and maps the client's own.
func (c *client) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	f := c.script
	if err := c.recv(ctx, c.server, &f.values); err != nil {
		return err
	}
	for i, a := range f.role.Arrivals {
		copy(c.party.Input(a.Input), f.values.arrays[i].Data)
	}
	c.party.drawn(0, d)
	if err := c.send(ctx, c.server, f.loadDrawn(c.party)); err != nil {
		return err
	}
	c.measured(c.cost.values)
	return c.party.report(0, d, values[0])
}
