package session

import (
	"slices"

	"github.com/vflc/vflc/runtime/model"
)

// bytesPerNumber is the size of a float64 on the wire.
const bytesPerNumber = 8

// A price is the round trips of an exchange between parties. Bytes are counted as messages pass.
type price struct {
	rounds int64
	told   bool // nobody waits for an answer
}

// cost holds the prices of a plan: what a deployment pays, so that a simulation reports the same.
type cost struct {
	density, opening     price // opening: the part of density up to the reply
	sum, values, closing price
}

// newCost derives the prices from the plan. Rounds do not add over clients, which are served side by side.
func newCost(plan *model.Plan) (c cost) {
	c.density.rounds = densityRounds(plan)
	c.opening.rounds = c.density.rounds
	if plan.AtClients && len(plan.Groups) > 0 {
		c.opening.rounds--
	}
	c.sum.rounds = int64(min(1, len(plan.Names)-1))
	c.values.told = true
	if len(plan.Shared) > 0 || slices.ContainsFunc(plan.Groups, func(g model.Group) bool {
		return len(g.Quantities) > 0
	}) {
		c.values.rounds = 1
	}
	if len(plan.Names) > 2 {
		c.closing.rounds = 1
	}
	return c
}

// Evaluation is what one evaluation costs between the parties of a plan, with the scalars of a state: round
// trips, and payload bytes over all connections. Numbers are as they are, or of as many bytes as most are on
// a short wire.
func Evaluation(plan *model.Plan) (trips, bytes int64) {
	on := plan.On(model.Wire{Fixed: plan.Wire.Short, Short: plan.Wire.Short})
	grids := newGrids(on)
	for g := range grids.evaluated {
		grids.evaluated[g] = grid{size: usualSize}
	}
	of := newCodes(on, grids)
	for i := range plan.Names[1:] {
		s := newScript(on, i+1, of)
		for _, k := range evaluation {
			f := s.tallied(k)
			if f.kind.shortly {
				continue
			}
			if f.hasScalars() {
				f.resize(f.scalarsAt(), scalarsOfState)
			}
			for k, c := range f.channels {
				if c.short {
					f.arrays[k].Size = usualSize - 1
				}
			}
			bytes += f.bytes()
		}
	}
	c := newCost(plan)
	return c.proceed(true).rounds, bytes
}

// usualSize is how many bytes most short words have, and most adjoints one less.
const usualSize = 3

// scalarsOfState are those that a state of a chain adds to its evaluation: log density and energy.
const scalarsOfState = 2

// densityRounds counts pairs of a message and its answer: the sums and their adjoints are one, in power two;
// what must be sent before cuts are evaluated is one more.
func densityRounds(plan *model.Plan) int64 {
	var n int64
	early := false
	for _, s := range plan.Shared {
		n = 1
		early = early || s.Early
	}
	if len(plan.Groups) > 0 {
		n = 1
		if plan.AtClients {
			n++
		}
	}
	if early {
		n++
	}
	return n
}

// proceed is the price of adding scalars over all parties and, where it was wanted, an evaluation.
func (c *cost) proceed(wanted bool) price {
	p := c.opening
	if wanted {
		p = c.density
	}
	return price{rounds: max(p.rounds, c.sum.rounds)}
}

// measured counts the rounds of an exchange.
func (e *evaluator) measured(p price) {
	e.work.Rounds += p.rounds
	if !p.told {
		e.work.Sequential += p.rounds
	}
}
