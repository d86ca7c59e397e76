package session

import (
	"context"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// local is all parties in one process.
type local struct {
	base
	sums     *sums
	sweeping sweep
	scripts  []*script // of the clients
	alone    bool      // the server is the only party: nothing crosses
}

// NewLocal returns the Env over all parties of the plan, whose graphs must all be there. Errors are a *model.WiringError, a *KeyError or a *MaskError.
func NewLocal(plan *model.Plan, keys Keys) (density.Env, error) {
	return newLocalWith(plan, keys, 0)
}

// newLocalWith is NewLocal for evaluations that are spread over so many helpers.
func newLocalWith(plan *model.Plan, keys Keys, helpers int) (density.Env, error) {
	if err := plan.Verify(); err != nil {
		return nil, err
	}
	all := make([]int, len(plan.Parties))
	for i := range all {
		all[i] = i
	}
	shared := newCommon(plan, keys)
	if err := shared.maskInside(plan, keys); err != nil {
		return nil, err
	}
	e, err := newLocal(plan, keys, shared, helpers, all)
	if err != nil {
		return nil, err
	}
	return e, e.divide(func(w *model.Plan) (density.Env, error) { return newLocal(w, keys, shared, helpers, all) })
}

// maskInside makes the masks of all clients, where there are any. What they receive in one process is the same: its digest is left out.
func (c *common) maskInside(plan *model.Plan, keys Keys) error {
	if !plan.Wire.Masked {
		return nil
	}
	keys, err := keys.WithMasks(plan)
	if err != nil {
		return err
	}
	for i := 1; i < len(plan.Names) && len(plan.Names) > 2; i++ {
		p, err := newPairs(plan, i, keys.Masks)
		if err != nil {
			return err
		}
		c.masks[i] = newMasker(p, func(int) []byte { return nil })
	}
	return nil
}

func newLocal(plan *model.Plan, keys Keys, shared *common, helpers int, all []int) (*local, error) {
	b, err := newBase(plan, keys, shared, helpers, all...)
	if err != nil {
		return nil, err
	}
	e := &local{base: b, sums: newSums(plan, b.codes), alone: len(plan.Names) == 1 && len(plan.Groups) == 0 && len(plan.Shared) == 0}
	e.sweeping.e, e.sums.of, e.sums.inTurn = e, &e.base, len(b.runs) < 2 && !plan.Wire.Fixed
	for k := range plan.Names[1:] {
		e.scripts = append(e.scripts, newScript(plan, k+1, b.codes))
	}
	for g, group := range plan.Groups {
		if r := group.Receivers; len(r) == 1 && !e.parties[r[0].Party].isMember(g) {
			e.sums.total[g] = e.parties[r[0].Party].Input(r[0].Index) // added up where it is read
		}
	}
	return e, nil
}

// begin starts the next exchange.
func (e *local) begin(ctx context.Context) error {
	e.round++
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// post does to what client k + 1 has loaded what the way to the server does to it: masks. It counts what words have more than numbers, which are in the
// prices.
func (e *local) post(k int, f *frame) (*frame, error) {
	if !e.plan.Wire.Fixed {
		return f, nil
	}
	e.work.Bytes += f.excess()
	return f, f.mask(e.masks[k+1], e.id, e.round)
}

// Density evaluates all parties in party order.
func (e *local) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	return e.sweep(ctx, theta, algorithm{coords: coords}, grad, lp)
}

// StepLocally is Density with the evaluations of clients left to steps.
func (e *local) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps, grad [][]float64, lp []float64) error {
	e.mustHaveAuxiliaries()
	return e.sweep(ctx, theta, algorithm{steps: steps}, grad, lp)
}

func (e *local) sweep(ctx context.Context, theta [][]float64, by algorithm, grad [][]float64, lp []float64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	if err := e.evaluate(theta, by, grad, lp); err != nil {
		return err
	}
	e.spend(e.cost.density)
	return nil
}

func (e *local) evaluate(theta [][]float64, by algorithm, grad [][]float64, lp []float64) error {
	server := e.parties[0]
	server.value(0, theta[0], by)
	if e.alone {
		lp[0] = server.target()
		server.Finish(nil, nil, nil, grad[0])
		e.work.Gradients++
		return nil
	}
	w := &e.sweeping
	w.theta, w.by, w.grad, w.lp = theta, by, grad, lp
	if err := w.clients(choosing); err != nil {
		return err
	}
	e.sums.addAux()
	e.sent(e.sums)
	server.receive(e.sums.total)
	if e.plan.Power {
		server.FollowSums(e.sums.total)
	}
	lp[0] = server.evaluate(0, by)
	e.sums.takeOwn(server)
	if err := w.clients(judging); err != nil {
		return err
	}
	e.sums.addAdjoints()
	if e.plan.Power {
		e.sums.answer(server)
	}
	e.answered(e.sums)
	e.sums.followAux()
	if err := w.clients(pulling); err != nil {
		return err
	}
	for b, s := range e.parties {
		if role := &s.role; b > 0 {
			e.sums.spoil(&lp[b], role)
		} else {
			e.sums.spoil(&lp[b], nil)
		}
	}
	e.sums.addShared()
	server.Finish(nil, server.outputs, e.sums.shared, grad[0])
	e.work.Gradients++
	return nil
}

// Proceed adds the scalars and evaluates where that is wanted.
func (e *local) Proceed(ctx context.Context, t density.Decision, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	if e.alone { // nothing has a price
		copy(t.Total, t.Part[0])
		if !t.Wanted() {
			return nil
		}
		return e.evaluate(theta, algorithm{coords: coords}, grad, lp)
	}
	if err := e.addScalars(t.Part, t.Total); err != nil {
		return err
	}
	wanted := t.Wanted()
	if wanted {
		if err := e.evaluate(theta, algorithm{coords: coords}, grad, lp); err != nil {
			return err
		}
	} else {
		for _, c := range e.scripts {
			e.work.Bytes += c.aux.excess() // parties that are apart have sent it
		}
	}
	e.spend(e.cost.proceed(len(t.Total), wanted))
	return nil
}

// Apart is false: all parties are in this process.
func (e *local) Apart() bool { return false }

// deliver copies the early or the other shared parameters from the server's outputs to a client's inputs.
func (e *local) deliver(s *partyState, early bool) {
	for _, a := range s.role.Arrivals {
		if a.Early == early {
			copy(s.Input(a.Input), e.parties[0].Output(e.plan.Shared[a.Shared].From.Index))
		}
	}
}

// End spends what the last exchange costs parties that are apart.
func (e *local) End(context.Context) error {
	e.spend(e.cost.closing)
	return nil
}

// Totals adds the centres of each sum's members.
func (e *local) Totals(ctx context.Context, centre, total [][]float64) error {
	e.mustHaveAuxiliaries()
	if err := e.begin(ctx); err != nil {
		return err
	}
	for i, s := range e.parties[1:] {
		c := e.scripts[i]
		up, err := e.post(i, c.loadCentre(s, centre[i+1]))
		if err != nil {
			return err
		}
		e.sums.takeAux(c, up)
	}
	e.sums.addAux()
	e.sums.followAux()
	for b, s := range e.parties {
		for _, m := range s.role.Members {
			copy(s.part(total[b], m.Cut), e.sums.total[m.Group])
		}
	}
	e.spend(e.cost.totals)
	return nil
}

// Sum adds scalars in party order.
func (e *local) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	if err := e.addScalars(part, total); err != nil {
		return err
	}
	e.spend(e.cost.sum(len(total)))
	return nil
}

func (e *local) addScalars(part [][]float64, total []float64) error {
	for i, c := range e.scripts {
		c.part.loadScalars(part[i+1])
		if _, err := e.post(i, &c.part); err != nil {
			return err
		}
		e.sums.scalars[i] = c.part.arrays[0]
	}
	e.sums.addScalars(total, part[0], e.sums.scalars)
	return nil
}

// Values maps all parties' parameters to their declared scale, and computes what is generated from them.
func (e *local) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	for b, s := range e.parties {
		if b > 0 {
			e.deliver(s, true)
			e.deliver(s, false)
		}
		s.drawn(b, d)
		if b > 0 {
			c := e.scripts[b-1]
			if _, err := e.post(b-1, c.loadDrawn(s)); err != nil {
				return err
			}
			e.sums.takeDrawn(c)
		}
	}
	e.sums.addRead(e.plan)
	e.parties[0].readQuantities(e.plan, e.sums.total)
	for b, s := range e.parties {
		if err := s.report(b, d, values[b]); err != nil {
			return err
		}
	}
	e.spend(e.cost.values)
	return nil
}
