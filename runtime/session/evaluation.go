package session

import (
	"context"
	"math"

	"github.com/vflc/vflc/density"
)

// An evaluation is the turns of a server that evaluates the likelihood, or of clients that do.
var (
	opening = turn{
		before: (*evaluator).point, down: kindEarly, load: (*evaluator).loadEarly, work: (*evaluator).choose,
		up: kindAux, take: (*evaluator).takeAux,
		spread: true,
	}
	// repeating asks for contributions once more, where a number had no short word.
	repeating = turn{
		when: (*evaluator).repeats, down: kindAgain, work: (*evaluator).sendAgain, up: kindAnew,
		take: (*evaluator).takeAgain, spread: true,
	}
	atServer = []turn{opening, repeating, {
		before: (*evaluator).answer, down: kindReply, load: (*evaluator).loadReply, work: (*evaluator).judge,
		up: kindTrailing, take: (*evaluator).takeTrailing,
		after: (*evaluator).finish, spread: true,
	}}
	byClients = []turn{opening, repeating, {
		before: (*evaluator).addAux, down: kindReply, load: (*evaluator).loadReply,
		beside: (*evaluator).judgeOwn, work: (*evaluator).judge, up: kindPartial,
		take: (*evaluator).takePartial, after: (*evaluator).addPartial, spread: true,
	}, {
		down: kindWhole, load: (*evaluator).loadWhole, work: (*evaluator).pull, up: kindTrailing,
		take: (*evaluator).takeTrailing, after: (*evaluator).finish,
		spread: true,
	}}
)

// Density is one evaluation. A server that is alone in its process has no cuts, so its coordinates are not
// called.
func (e *evaluator) Density(ctx context.Context, theta [][]float64, coords density.Coordinates,
	grad [][]float64, lp []float64) error {
	return e.sweep(ctx, &call{in: theta, by: algorithm{coords: coords}, out: grad, lp: lp})
}

// StepLocally is Density with the evaluations of clients left to steps.
func (e *evaluator) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps,
	grad [][]float64, lp []float64) error {
	e.mustHaveAuxiliaries()
	return e.sweep(ctx, &call{in: theta, by: algorithm{steps: steps}, out: grad, lp: lp})
}

func (e *evaluator) sweep(ctx context.Context, c *call) error {
	if err := e.begin(ctx, c); err != nil {
		return err
	}
	if err := e.evaluate(ctx); err != nil {
		return err
	}
	e.measured(e.again(e.cost.density))
	return nil
}

// again is the price of an evaluation with that of contributions that were sent twice.
func (e *evaluator) again(p price) price {
	if e.repeated {
		p.rounds++
	}
	return p
}

// Proceed is Density with scalars on the way, which are added up first. In one process nothing is evaluated
// in vain: what parties that are apart would have sent is counted.
func (e *evaluator) Proceed(ctx context.Context, t density.Decision, theta [][]float64,
	coords density.Coordinates, grad [][]float64, lp []float64) error {
	err := e.begin(ctx, &call{in: theta, by: algorithm{coords: coords}, out: grad, lp: lp, part: t.Part,
		total: t.Total, wants: t.Wanted})
	if err != nil {
		return err
	}
	if !e.Apart() {
		e.decideAhead()
	}
	if e.wanted {
		err = e.evaluate(ctx)
	}
	if err != nil {
		return err
	}
	e.measured(e.again(e.cost.proceed(e.wanted)))
	return nil
}

// decideAhead adds the scalars up before there is anything else to send: what follows is an evaluation
// without scalars.
func (e *evaluator) decideAhead() {
	for _, c := range e.clients {
		up, down := &c.auxTally, &c.replyTally
		up.loadScalars(e.part[c.block])
		e.sums.scalars[c.slot] = *up.scalars()
		down.resize(down.scalarsAt(), len(e.total))
		e.work.Bytes += up.besides() + down.besides() - c.messages[kindAux].besides() -
			c.messages[kindReply].besides()
	}
	e.decide()
	e.wants = nil
	if e.wanted {
		return
	}
	for _, c := range e.clients {
		e.work.Bytes += c.messages[kindEarly].bytes() + c.messages[kindAux].bytes() +
			c.messages[kindReply].besides()
	}
}

// decide adds the scalars up, from which it follows whether the evaluation is wanted.
func (e *evaluator) decide() {
	e.sums.addScalars(e.total, e.part[0], e.sums.scalars)
	e.wanted = e.wants()
}

func (e *evaluator) evaluate(ctx context.Context) error {
	if e.alone {
		e.point()
		e.lp[0] = e.server.target()
		e.server.Finish(nil, nil, nil, e.out[0])
		e.work.Gradients++
		return nil
	}
	turns := atServer
	if e.plan.AtClients {
		turns = byClients
	}
	err := e.exchange(ctx, turns)
	if err == nil && e.wanted {
		e.work.Gradients++
	}
	return err
}

// point evaluates what the server tells of its parameters.
func (e *evaluator) point() { e.server.value(0, e.in[0], e.by) }

// loadShared puts values of shared parameters into the first channels of a frame.
func (e *evaluator) loadShared(c *client, f *frame, arrivals []int) {
	for i, k := range arrivals {
		f.load(i, e.server.Output(e.server.outputs[c.role.Arrivals[k].Shared]))
	}
}

func (e *evaluator) loadEarly(c *client, down *frame) { e.loadShared(c, down, c.earlyArrivals) }

// deliver copies received shared parameters, the first channels of a frame, to the graph.
func (c *client) deliver(f *frame, arrivals []int) {
	for i, k := range arrivals {
		copy(c.party.Input(c.role.Arrivals[k].Input), f.arrays[i].Data)
	}
}

// choose evaluates a client's cuts and lets the algorithm choose z there.
func (e *evaluator) choose(c *client, down, up *frame) {
	c.deliver(down, c.earlyArrivals)
	c.party.value(c.block, e.in[c.block], e.by)
	for i, z := range c.party.zs {
		up.load(i, z)
	}
	if e.wants != nil {
		up.loadScalars(e.part[c.block])
	}
}

func (e *evaluator) takeAux(c *client, up *frame) {
	e.sums.takeAux(c, up)
	if e.wants != nil {
		e.sums.scalars[c.slot] = *up.scalars()
	}
}

// repeats reports whether clients send their contributions once more. From the totals of scalars, which are
// first, the server knows whether it goes on after its reply.
func (e *evaluator) repeats() bool {
	if e.wants != nil {
		e.decide()
	}
	e.repeated = e.wanted && e.plan.Wire.Short && e.sums.outgrown()
	e.sums.anew = e.repeated
	return e.repeated
}

// sendAgain loads contributions in two words each.
func (e *evaluator) sendAgain(c *client, _, up *frame) {
	e.repeated = true
	for i, k := range c.repeatedMembers {
		up.load(i, c.party.zs[k])
	}
}

func (e *evaluator) takeAgain(c *client, up *frame) { e.sums.takeAgain(c, up) }

// addAux adds what the clients have sent.
func (e *evaluator) addAux() {
	e.sums.addAux()
	if e.wanted {
		e.sent(e.sums)
		e.server.receive(e.sums.total)
	}
	if e.plan.AtClients {
		e.server.FollowSums(e.sums.total)
	}
}

// judgeOwn evaluates the server's density.
func (e *evaluator) judgeOwn() {
	e.lp[0] = e.server.target()
	e.sums.takeOwn(e.server)
}

// answer evaluates at the server all that follows from z.
func (e *evaluator) answer() {
	if e.addAux(); e.wanted {
		e.judgeOwn()
		e.sums.addAdjoints()
		e.answered(e.sums)
		e.sums.followAux()
	}
}

// loadReply loads the other shared parameters, sums or adjoints, and the totals of the scalars: these alone
// where no evaluation is wanted.
func (e *evaluator) loadReply(c *client, down *frame) {
	e.loadShared(c, down, c.lateArrivals)
	if e.plan.AtClients {
		for i, r := range c.role.Receptions {
			down.load(len(c.lateArrivals)+i, e.sums.total[r.Group])
			down.flag(len(c.lateArrivals)+i, e.sums.lost[r.Group])
		}
	} else {
		e.loadAdjoints(c, down, len(c.lateArrivals))
	}
	if e.wants != nil {
		down.loadScalars(e.total)
	}
	down.lack(!e.wanted)
}

func (e *evaluator) loadWhole(c *client, down *frame) { e.loadAdjoints(c, down, 0) }

// loadAdjoints loads the adjoints of the client's sums from a channel on.
func (e *evaluator) loadAdjoints(c *client, down *frame, at int) {
	for i, m := range c.role.Members {
		if e.plan.Wire.Short {
			down.loadRounded(at+i, &e.sums.told[m.Group])
		} else {
			down.load(at+i, e.sums.adjoint[m.Group])
		}
		down.flag(at+i, e.wanted && e.sums.lost[m.Group])
	}
}

// judge evaluates a client's density, unless the totals of the scalars say that it is not wanted. Where the
// server evaluates the likelihood the adjoints are there too.
func (e *evaluator) judge(c *client, down, up *frame) {
	if e.wants != nil {
		copy(e.total, down.scalars().Data)
		e.wanted = e.wants()
	}
	if !e.wanted || down.lacks {
		return
	}
	c.deliver(down, c.lateArrivals)
	if e.plan.AtClients {
		for i, r := range c.role.Receptions {
			c.party.receiveSum(r, down.arrays[len(c.lateArrivals)+i].Data)
		}
	}
	e.lp[c.block] = c.party.evaluate(c.block, e.by)
	if c.lost = down.invalid(); e.plan.AtClients {
		c.loadPartial(up)
		return
	}
	e.settle(c, down, len(c.lateArrivals), up)
}

func (e *evaluator) takePartial(c *client, up *frame) { e.sums.takePartial(c, up) }

// addPartial adds the adjoints that the clients have sent.
func (e *evaluator) addPartial() {
	e.sums.addAdjoints()
	e.sums.answer(e.server)
	e.answered(e.sums)
	e.sums.followAux()
}

func (e *evaluator) pull(c *client, down, up *frame) {
	c.lost = c.lost || down.invalid()
	e.settle(c, down, 0, up)
}

// settle pulls the adjoints, which a message has from a channel on, back to the client's parameters.
func (e *evaluator) settle(c *client, down *frame, at int, up *frame) {
	for i := range c.role.Members {
		c.party.settleMember(i, down.arrays[at+i].Data)
	}
	c.party.pull(c.block, e.by, e.out[c.block])
	if c.lost {
		e.lp[c.block] = math.Inf(-1)
	}
	c.loadTrailing(up)
}

func (e *evaluator) takeTrailing(c *client, up *frame) {
	e.sums.takeGradients(up, c, c.trailingArrivals)
}

// finish sets the server's gradient.
func (e *evaluator) finish() {
	if e.sums.spoilt() {
		e.lp[0] = math.Inf(-1)
	}
	e.sums.addShared()
	e.server.Finish(nil, e.server.outputs, e.sums.shared, e.out[0])
}
