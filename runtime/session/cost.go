package session

import (
	"github.com/vflc/vflc/runtime/model"
)

// bytesPerNumber is the size of a float64 on the wire.
const bytesPerNumber = 8

// A price is what one call of an Env costs between parties: round trips, and payload bytes summed over all connections and both directions.
type price struct {
	rounds, bytes int64
	told          bool // nobody waits for an answer
}

// cost holds the prices of a plan: what a deployment pays, so that a simulation reports the same.
type cost struct {
	density, opening, totals, values price // opening: the part of density up to the reply
	closing                          price
	clients                          int64
	seals                            int64 // bytes of all seals of an exchange
	sealed                           bool  // seals are in opening
}

// newCost derives the prices from the scripts of all clients. Rounds do not add over clients, which are served side by side.
func newCost(plan *model.Plan) cost {
	c := cost{clients: int64(len(plan.Names) - 1)}
	for _, s := range plainScripts(plan) {
		c.opening.bytes += payload(&s.early, &s.aux, &s.reply)
		c.density.bytes += payload(&s.partial, &s.whole, &s.trailing)
		c.totals.bytes += payload(&s.centre, &s.total)
		c.values.bytes += payload(&s.values, &s.drawn)
		c.closing.bytes += payload(&s.closing, &s.closed)
	}
	c.density.bytes += c.opening.bytes
	c.density.rounds = densityRounds(plan)
	c.opening.rounds = c.density.rounds
	if plan.Power && len(plan.Groups) > 0 {
		c.opening.rounds--
	}
	c.closing.rounds = min(1, c.closing.bytes)
	c.seals, c.sealed = c.closing.bytes, len(plan.Groups) > 0
	c.totals.rounds = min(1, c.totals.bytes)
	c.values.rounds, c.values.told = min(1, c.values.bytes), true
	return c
}

// Evaluation is what one evaluation costs between the parties of a plan, with numbers as they are: round trips, and payload bytes over all connections.
func Evaluation(plan *model.Plan) (trips, bytes int64) {
	c := newCost(plan)
	p := c.proceed(scalarsOfState, true)
	return p.rounds, p.bytes
}

// scalarsOfState are those that a state of a chain adds to its evaluation: log density and energy.
const scalarsOfState = 2

// plainScripts are the scripts of all clients with numbers as they are. Two words for a number cost more: see local.post.
func plainScripts(plan *model.Plan) (scripts []*script) {
	plain := plan.On(model.Wire{})
	of := newCodes(plain, newGrids(plain))
	for i := range plan.Names[1:] {
		scripts = append(scripts, newScript(plain, i+1, of))
	}
	return scripts
}

// densityRounds counts pairs of a message and its answer: the sums and their adjoints are one, in power two; what must be sent before cuts are evaluated is one more.
func densityRounds(plan *model.Plan) int64 {
	var n int64
	early := false
	for _, s := range plan.Shared {
		n = 1
		early = early || s.Early
	}
	if len(plan.Groups) > 0 {
		n = 1
		if plan.Power {
			n++
		}
	}
	if early {
		n++
	}
	return n
}

func payload(frames ...*frame) (bytes int64) {
	for _, f := range frames {
		bytes += f.bytes()
	}
	return bytes
}

// sum is the price of adding k scalars over all parties.
func (c *cost) sum(k int) price {
	return price{rounds: min(1, c.clients), bytes: 2*bytesPerNumber*int64(k)*c.clients + c.seals}
}

// proceed is the price of adding k scalars over all parties and, where it was wanted, an evaluation.
func (c *cost) proceed(k int, wanted bool) price {
	p, sum := c.opening, c.sum(k)
	if wanted {
		p = c.density
	}
	if c.sealed {
		sum.bytes -= c.seals
	}
	return price{rounds: max(p.rounds, sum.rounds), bytes: p.bytes + sum.bytes}
}

func (b *base) spend(p price) {
	b.measured(p)
	b.work.Bytes += p.bytes
}
