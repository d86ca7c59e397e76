package session

import (
	"context"

	"github.com/vflc/vflc/density"
)

// server is the Env of the server: its block, the sums, and a script with each client.
type server struct {
	base
	*wire
	party   *partyState
	sums    *sums
	scripts []*script // of wire.peers
}

// Density is the server's side of one evaluation. The server has no cuts, so its coordinates are not called.
func (s *server) Density(ctx context.Context, theta [][]float64, _ density.Coordinates, grad [][]float64, lp []float64) error {
	return s.sweep(ctx, theta, grad, lp)
}

// StepLocally is Density: the server's side is the same.
func (s *server) StepLocally(ctx context.Context, theta [][]float64, _ density.LocalSteps, grad [][]float64, lp []float64) error {
	s.mustHaveAuxiliaries()
	return s.sweep(ctx, theta, grad, lp)
}

func (s *server) sweep(ctx context.Context, theta, grad [][]float64, lp []float64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if _, err := s.evaluate(ctx, nil, theta[0], lp); err != nil {
		return err
	}
	s.measured(s.cost.density)
	return s.complete(ctx, grad[0])
}

// Proceed is Density with scalars on the way.
func (s *server) Proceed(ctx context.Context, t density.Decision, theta [][]float64, _ density.Coordinates, grad [][]float64, lp []float64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	wanted, err := s.evaluate(ctx, &t, theta[0], lp)
	if err != nil {
		return err
	}
	s.measured(s.cost.proceed(len(t.Total), wanted))
	if !wanted {
		return nil
	}
	return s.complete(ctx, grad[0])
}

// complete receives the clients' gradients by shared parameters, and sets the server's gradient.
func (s *server) complete(ctx context.Context, grad []float64) error {
	if err := s.receiveTrailing(ctx); err != nil {
		return err
	}
	s.sums.addShared()
	s.party.Finish(nil, s.party.outputs, s.sums.shared, grad)
	s.work.Gradients++
	return nil
}

// receiveAux sends what the cuts depend on, and receives z and the scalars of t.
func (s *server) receiveAux(ctx context.Context, t *density.Decision) error {
	for k, c := range s.scripts {
		s.loadShared(&c.early, c, c.earlyArrivals)
		if err := s.send(ctx, s.peers[k], &c.early); err != nil {
			return err
		}
	}
	for k, c := range s.scripts {
		up, down := c.opening(t)
		if err := s.recv(ctx, s.peers[k], up); err != nil {
			return err
		}
		s.sums.takeAux(c, up)
		if t != nil {
			s.sums.scalars[k] = *up.scalars()
			down.loadScalars(t.Total)
		}
	}
	if t != nil {
		s.sums.addScalars(t.Total, t.Part[0], s.sums.scalars)
	}
	return nil
}

// loadShared puts values of shared parameters into a frame and returns the next channel.
func (s *server) loadShared(f *frame, c *script, arrivals []int) int {
	for i, k := range arrivals {
		f.load(i, s.party.Output(s.party.outputs[c.role.Arrivals[k].Shared]))
	}
	return len(arrivals)
}

// evaluate runs the server's density between sums and adjoints: first in the augmented model, where the reply needs it; while the clients run
// theirs in power. It does not where the scalars of t add up to an evaluation that is not wanted.
func (s *server) evaluate(ctx context.Context, t *density.Decision, theta, lp []float64) (wanted bool, err error) {
	s.party.value(0, theta, algorithm{})
	if err := s.receiveAux(ctx, t); err != nil {
		return false, err
	}
	s.sums.addAux()
	if wanted = t == nil || t.Wanted(); wanted {
		s.sent(s.sums)
	}
	if s.plan.Power {
		s.party.FollowSums(s.sums.total)
		if err := s.replySums(ctx, t); err != nil || !wanted {
			return false, err
		}
		s.target(lp)
		if err := s.exchangeAdjoints(ctx); err != nil {
			return false, err
		}
	} else {
		if wanted {
			s.target(lp)
			s.sums.addAdjoints()
			s.answered(s.sums)
			s.sums.followAux()
		}
		if err := s.replyAdjoints(ctx, t, wanted); err != nil || !wanted {
			return false, err
		}
	}
	s.sums.spoil(&lp[0], nil)
	return true, nil
}

func (s *server) target(lp []float64) {
	s.party.receive(s.sums.total)
	lp[0] = s.party.target()
	s.sums.takeOwn(s.party)
}

func (s *server) replySums(ctx context.Context, t *density.Decision) error {
	for k, c := range s.scripts {
		_, down := c.opening(t)
		at := s.loadShared(down, c, c.lateArrivals)
		for i, r := range c.role.Receptions {
			down.load(at+i, s.sums.total[r.Group])
			down.flag(at+i, s.sums.lost[r.Group])
		}
		if err := s.send(ctx, s.peers[k], down); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) replyAdjoints(ctx context.Context, t *density.Decision, wanted bool) error {
	for k, c := range s.scripts {
		_, down := c.opening(t)
		at := s.loadShared(down, c, c.lateArrivals)
		if err := s.sendAdjoints(ctx, s.peers[k], c, down, at, wanted); err != nil {
			return err
		}
	}
	return nil
}

// sendAdjoints sends the adjoints of the client's sums, from channel at on. Where no evaluation is wanted they mean nothing.
func (s *server) sendAdjoints(ctx context.Context, peer string, c *script, f *frame, at int, wanted bool) error {
	for i, m := range c.role.Members {
		f.load(at+i, s.sums.adjoint[m.Group])
		f.flag(at+i, wanted && s.sums.lost[m.Group])
	}
	return s.send(ctx, peer, f)
}

// exchangeAdjoints receives every client's adjoints of the sums and returns their sums.
func (s *server) exchangeAdjoints(ctx context.Context) error {
	for k, c := range s.scripts {
		if err := s.recv(ctx, s.peers[k], &c.partial); err != nil {
			return err
		}
		s.sums.takePartial(c)
	}
	s.sums.addAdjoints()
	s.sums.answer(s.party)
	s.answered(s.sums)
	s.sums.followAux()
	for k, c := range s.scripts {
		if err := s.sendAdjoints(ctx, s.peers[k], c, &c.whole, 0, true); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) receiveTrailing(ctx context.Context) error {
	for k, c := range s.scripts {
		if err := s.recv(ctx, s.peers[k], &c.trailing); err != nil {
			return err
		}
		s.sums.takeGradients(&c.trailing, c, c.trailingArrivals)
	}
	return nil
}

// End implements density.Chained.
func (s *server) End(ctx context.Context) error {
	if s.cost.closing.rounds == 0 {
		return nil
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	for k, c := range s.scripts {
		if err := s.recv(ctx, s.peers[k], &c.closing); err != nil {
			return err
		}
	}
	for k, c := range s.scripts {
		if err := s.send(ctx, s.peers[k], &c.closed); err != nil {
			return err
		}
	}
	s.measured(s.cost.closing)
	return nil
}

// Totals adds the clients' centres and sends each client its sums.
func (s *server) Totals(ctx context.Context, _, _ [][]float64) error {
	s.mustHaveAuxiliaries()
	if err := s.begin(ctx); err != nil {
		return err
	}
	for k, c := range s.scripts {
		if err := s.recv(ctx, s.peers[k], &c.centre); err != nil {
			return err
		}
		s.sums.takeAux(c, &c.centre)
	}
	s.sums.addAux()
	s.sums.followAux()
	for k, c := range s.scripts {
		for i, m := range c.role.Members {
			c.total.load(i, s.sums.total[m.Group])
			c.total.flag(i, s.sums.lost[m.Group])
		}
		if err := s.send(ctx, s.peers[k], &c.total); err != nil {
			return err
		}
	}
	s.measured(s.cost.totals)
	return nil
}

// Sum adds the server's scalars and the clients', and sends every client the totals.
func (s *server) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	for k, c := range s.scripts {
		c.part.lens[0] = len(total)
		if err := s.recv(ctx, s.peers[k], &c.part); err != nil {
			return err
		}
		s.sums.scalars[k] = c.part.arrays[0]
	}
	s.sums.addScalars(total, part[0], s.sums.scalars)
	for k, c := range s.scripts {
		c.sum.loadScalars(total)
		if err := s.send(ctx, s.peers[k], &c.sum); err != nil {
			return err
		}
	}
	s.measured(s.cost.sum(len(total)))
	return nil
}

// Values sends the clients the shared parameters of the draw, receives what generated quantities read of it, and maps the server's own.
func (s *server) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.party.drawn(0, d)
	for k, c := range s.scripts {
		for i, a := range c.role.Arrivals {
			c.values.load(i, s.party.Output(s.party.outputs[a.Shared]))
		}
		if err := s.send(ctx, s.peers[k], &c.values); err != nil {
			return err
		}
	}
	for k, c := range s.scripts {
		if err := s.recv(ctx, s.peers[k], &c.drawn); err != nil {
			return err
		}
		s.sums.takeDrawn(c)
	}
	s.sums.addRead(s.plan)
	s.party.readQuantities(s.plan, s.sums.total)
	s.measured(s.cost.values)
	return s.party.report(0, d, values[0])
}
