package session

import (
	"context"

	"github.com/vflc/vflc/density"
)

// The other exchanges of the methods of an Env.
var (
	summing = []turn{
		{down: silent, work: (*evaluator).loadPart, up: kindPart, take: (*evaluator).takePart,
			after: (*evaluator).addParts},
		{down: kindSum, load: (*evaluator).loadSum, work: (*evaluator).takeSum, up: silent},
	}
	reporting = []turn{{before: (*evaluator).drawn, down: kindValues, load: (*evaluator).loadValues,
		work: (*evaluator).takeValues, up: kindDrawn, take: (*evaluator).takeDrawn,
		after: (*evaluator).addDrawn}}
	closing = []turn{{down: silent, up: kindClosing}, {down: kindClosed, up: silent}}
)

// Sum adds scalars in party order.
func (e *evaluator) Sum(ctx context.Context, part [][]float64, total []float64) error {
	return e.meeting(ctx, &call{part: part, total: total}, summing, e.cost.sum)
}

// Values maps the parties' parameters to their declared scale, and computes what is generated from them.
func (e *evaluator) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	e.draw = d
	if err := e.meeting(ctx, &call{out: values}, reporting, e.cost.values); err != nil {
		return err
	}
	for b, s := range e.parties {
		if err := s.report(b, d, values[b]); err != nil {
			return err
		}
	}
	return nil
}

// End implements density.Chained: clients compare what they have received since their last seals.
func (e *evaluator) End(ctx context.Context) error {
	if e.cost.closing.rounds == 0 {
		return nil
	}
	return e.meeting(ctx, &call{}, closing, e.cost.closing)
}

// meeting is one exchange.
func (e *evaluator) meeting(ctx context.Context, c *call, turns []turn, p price) error {
	if err := e.begin(ctx, c); err != nil {
		return err
	}
	if err := e.exchange(ctx, turns); err != nil {
		return err
	}
	e.measured(p)
	return nil
}

func (e *evaluator) loadPart(c *client, _, up *frame) { up.loadScalars(e.part[c.block]) }

func (e *evaluator) takePart(c *client, up *frame) { e.sums.scalars[c.slot] = *up.scalars() }

func (e *evaluator) addParts() { e.sums.addScalars(e.total, e.part[0], e.sums.scalars) }

func (e *evaluator) loadSum(_ *client, down *frame) { down.loadScalars(e.total) }

func (e *evaluator) takeSum(_ *client, down, _ *frame) { copy(e.total, down.scalars().Data) }

// drawn evaluates the server's outputs at a draw.
func (e *evaluator) drawn() { e.server.drawn(0, e.draw) }

func (e *evaluator) loadValues(c *client, down *frame) {
	for i, a := range c.role.Arrivals {
		down.load(i, e.server.Output(e.server.outputs[a.Shared]))
	}
}

// takeValues takes the shared parameters of a draw, and loads what generated quantities of the server read of
// the client's.
func (e *evaluator) takeValues(c *client, down, up *frame) {
	for i, a := range c.role.Arrivals {
		copy(c.party.Input(a.Input), down.arrays[i].Data)
	}
	c.party.drawn(c.block, e.draw)
	for i, m := range c.drawnMembers {
		up.load(i, c.party.zs[m])
	}
}

func (e *evaluator) takeDrawn(c *client, up *frame) { e.sums.takeDrawn(c, up) }

func (e *evaluator) addDrawn() {
	e.sums.addRead(e.plan)
	e.server.readQuantities(e.sums.total)
}
