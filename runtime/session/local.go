package session

import (
	"context"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// local is all parties in one goroutine.
type local struct {
	base
	sums *sums
}

// NewLocal returns the Env over all parties of the plan, whose graphs must all be there. Errors are a *model.WiringError or a *KeyError.
func NewLocal(plan *model.Plan, keys Keys) (density.Env, error) {
	if err := plan.Verify(); err != nil {
		return nil, err
	}
	e, err := newLocal(plan, keys, &density.Work{})
	if err != nil {
		return nil, err
	}
	for _, w := range plan.Windows {
		of, err := newLocal(w.Plan, keys, e.work)
		if err != nil {
			return nil, err
		}
		e.parts = append(e.parts, part{of, w.Rows})
	}
	return e, nil
}

func newLocal(plan *model.Plan, keys Keys, work *density.Work) (*local, error) {
	all := make([]int, len(plan.Parties))
	for i := range all {
		all[i] = i
	}
	b, err := newBase(plan, keys, work, all...)
	if err != nil {
		return nil, err
	}
	e := &local{base: b, sums: newSums(plan)}
	for _, s := range e.parties {
		for i, m := range s.role.Members {
			e.sums.z[m.Group][m.Place] = s.zs[i]
		}
	}
	for g, group := range plan.Groups {
		if r := group.Receivers; len(r) == 1 && !e.parties[r[0].Party].isMember(g) {
			e.sums.total[g] = e.parties[r[0].Party].Input(r[0].Index) // added up where it is read
		}
	}
	return e, nil
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
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	e.evaluate(theta, by, grad, lp)
	e.spend(e.cost.density)
	return nil
}

func (e *local) evaluate(theta [][]float64, by algorithm, grad [][]float64, lp []float64) {
	server, clients := e.parties[0], e.parties[1:]
	server.value(0, theta[0], by)
	for i, s := range clients {
		e.deliver(s, true)
		s.value(i+1, theta[i+1], by)
	}
	e.sums.addAux()
	e.sent(e.sums)
	for b, s := range e.parties {
		e.deliver(s, false)
		s.receive(e.sums.total)
		lp[b] = s.evaluate(b, by)
		e.sums.takeAdjoints(s)
	}
	e.sums.addAdjoints()
	e.answered(e.sums)
	for i, s := range clients {
		s.settle(e.sums.adjoint)
		s.pull(i+1, by, grad[i+1])
		e.takeShared(s)
	}
	e.sums.takeOwn(server)
	e.sums.addShared()
	server.Finish(nil, server.outputs, e.sums.shared, grad[0])
	e.work.Gradients++
}

// Proceed adds the scalars and evaluates where that is wanted.
func (e *local) Proceed(ctx context.Context, t density.Decision, theta [][]float64, coords density.Coordinates, grad [][]float64, lp []float64) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	addScalars(t.Part, t.Total)
	wanted := t.Wanted()
	if wanted {
		e.evaluate(theta, algorithm{coords: coords}, grad, lp)
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

func (e *local) takeShared(s *partyState) {
	s.collectShared()
	for i, a := range s.role.Arrivals {
		e.sums.d[a.Shared][1+a.Place] = s.shared[i]
	}
}

// Totals adds the centres of each sum's members.
func (e *local) Totals(ctx context.Context, centre, total [][]float64) error {
	e.mustHaveAuxiliaries()
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for b, s := range e.parties {
		for _, m := range s.role.Members {
			e.sums.z[m.Group][m.Place] = s.part(centre[b], m.Cut)
		}
	}
	e.sums.addAux()
	for b, s := range e.parties {
		for i, m := range s.role.Members {
			e.sums.z[m.Group][m.Place] = s.zs[i]
			copy(s.part(total[b], m.Cut), e.sums.total[m.Group])
		}
	}
	e.spend(e.cost.totals)
	return nil
}

// Sum adds scalars in party order.
func (e *local) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	addScalars(part, total)
	e.spend(e.cost.sum(len(total)))
	return nil
}

func addScalars(part [][]float64, total []float64) {
	copy(total, part[0])
	for _, p := range part[1:] {
		model.Add(total, p)
	}
}

// Values maps all parties' parameters to their declared scale, and computes what is generated from them.
func (e *local) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for b, s := range e.parties {
		if b > 0 {
			e.deliver(s, true)
			e.deliver(s, false)
		}
		s.drawn(b, d)
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
