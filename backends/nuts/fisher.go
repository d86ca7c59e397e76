package nuts

import (
	"context"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	fisherStart = 0.1 // step size that the search begins at
	fisherDraws = 3   // draws before the metric is first set
	leastShare  = 0.5 // of the variance of draws: the least inverse mass
	// the same for its parameters where it has a part of them and no hierarchy: no metric knows their
	// correlations with those of others
	acrossShare = 1.0
	slower      = 0.7 // a step size that has come to less than this share of its mean is kept
	// a divergent transition that ends within so many leapfrogs of its start is left out of the estimates
	nearStart = 4
)

// fisher warms up from draws and gradients: the inverse mass √(var draw / var gradient) minimises the Fisher
// divergence between the target, scaled by it, and a standard normal (Seyboldt, Carlson and Carpenter 2024).
// The schedule is nutpie's.
type fisher struct {
	k        *chain
	step     stepSize
	schedule switches
	arrival  arrival
	scaled   bool // the metric has been estimated
	renewed  int  // draws in the estimate when the dense part was last renewed
	looked   int  // and when ridges were last looked for
	strayed  bool // a transition has diverged after the early part of the warm-up
}

func (f *fisher) begin(ctx context.Context) error {
	for b, s := range f.k.parties {
		s.metric.fromGradient(f.k.now.g.at[b], false)
	}
	return f.find(ctx)
}

// resume goes on with the estimates of an earlier run.
func (f *fisher) resume() {
	f.step.Restart(f.k.eps)
	f.scaled, f.arrival.done = true, true
	for _, s := range f.k.parties {
		s.estimate.background.reset()
		s.noise.each(func(s *slope) { s.background.Reset() })
		if s.kept != nil {
			s.kept.restart()
		}
		f.renewed = s.estimate.foreground.draws.N
		f.looked = f.renewed
	}
}

// find searches for a step size and begins its adaptation anew.
func (f *fisher) find(ctx context.Context) error {
	eps, err := f.k.search(ctx, fisherStart, portable.Log(f.step.Target), f.step.Limit)
	if err != nil {
		return err
	}
	f.step.Restart(eps)
	f.k.eps = eps
	return nil
}

func (f *fisher) learn(ctx context.Context) error {
	t, late, changed := f.k.done-1, true, false
	switch {
	case f.schedule.Frozen(t):
	case f.arrived(t):
		var err error
		if late, changed, err = f.estimate(ctx, t); err != nil {
			return err
		}
	default:
		late = false
	}
	f.step.Limit = f.longest(t)
	statistic := f.k.tree.acceptSum
	if late {
		statistic = f.k.tree.symmetricSum
	}
	f.step.Learn(statistic / float64(f.k.tree.leapfrogs))
	f.k.eps = f.step.Current()
	if changed && !f.scaled {
		f.scaled = true
		if err := f.find(ctx); err != nil {
			return err
		}
	}
	if f.k.done == f.k.settings.Int(Warmup) {
		f.k.eps = f.settled()
		for _, s := range f.k.parties {
			s.forget()
		}
	}
	return nil
}

// settled is the step size of the draws: the mean of those tried, unless the chain is at a place that needs
// shorter steps, such as the neck of a funnel. It came there with these, and with longer ones it might never
// leave.
func (f *fisher) settled() float64 {
	final, current := f.step.Final(), f.step.Current()
	if current < slower*final {
		return current
	}
	return detuned(final)
}

// longest is the longest step that transition t may lead to. Early in the warm-up a metric may be of draws
// that had not arrived, and far too small: only longer steps lead away from there, and they are leapfrogs,
// which a metric that is right keeps short.
func (f *fisher) longest(t int) float64 {
	if f.schedule.Early(t) {
		return longestEarly
	}
	return longestStep
}

// arrived reports whether the chain has arrived after transition t, and in any case once the early part of
// the warm-up is over. Draws of calm transitions enter the estimates; another empties them.
func (f *fisher) arrived(t int) bool {
	if f.arrival.done {
		return true
	}
	if !f.schedule.Early(t) {
		f.arrive()
		return true
	}
	if !f.informative() {
		return false
	}
	calm := f.arrival.note(f.k.rise, f.k.total[kineticStart])
	if f.arrival.done {
		f.arrive()
		return true
	}
	for b, s := range f.k.parties {
		s.metric.fromGradient(f.k.now.g.at[b], true)
		if calm {
			s.learn(f.k.now.q.at[b], f.k.now.g.at[b], f.k.now.g.adjoints)
		} else {
			s.estimate.reset()
			s.noise.reset()
		}
	}
	return false
}

// arrive is called when the chain has arrived.
func (f *fisher) arrive() {
	f.arrival.done = true
	for b, s := range f.k.parties {
		if s.intercepts != nil {
			s.intercepts.settle(f.k.now.q.theta[b], f.k.now.g.means[b])
		}
	}
}

// estimate adds the newest draw to the estimates and sets the metric from them.
func (f *fisher) estimate(ctx context.Context, t int) (late, changed bool, err error) {
	k := f.k
	if f.informative() {
		for b, s := range k.parties {
			s.learn(k.now.q.at[b], k.now.g.at[b], k.now.g.adjoints)
			if s.intercepts != nil {
				s.intercepts.note(s.place(k.now.q.theta[b]), k.now.g.means[b])
			}
		}
	}
	replace, late := f.schedule.Next(t, k.parties[0].estimate.background.draws.N)
	if replace {
		if err := f.replace(ctx, f.schedule.Early(t)); err != nil {
			return late, false, err
		}
	}
	n := k.parties[0].estimate.foreground.draws.N
	if n < fisherDraws {
		return late, false, nil
	}
	last := f.schedule.Frozen(t + 1)
	renew := n >= f.renewed+f.renewed/2+1 || last // by half more draws
	look := n >= leastDraws && n >= 2*f.looked || last
	// The target's curvatures change from place to place, and steps around a reference leave it. All parties
	// know of divergences.
	f.strayed = f.strayed || k.last.Divergent && !f.schedule.Early(t)
	for _, s := range k.parties {
		least := s.least
		if f.schedule.Early(t) {
			least = 0 // the variance of draws that are still under way is too large
		}
		s.setMetric(renew, look, !f.strayed, least)
		// second derivatives that agree with a normal target are of a place where the chain has arrived
		if f.schedule.Early(t) && (s.shear == nil || s.shear.rank == 0) {
			s.metric.ref.on = false
		}
		s.noise.recentre(!f.schedule.Early(t))
	}
	if last {
		k.spread = k.spreadAmong()
	}
	if look && k.across != nil {
		least := leastShare
		if f.schedule.Early(t) {
			least = 0
		}
		if err := k.lookAcross(ctx, n, least); err != nil {
			return late, false, err
		}
	}
	if k.rank() > 0 {
		k.unrefer()
	}
	k.refer()
	if renew {
		f.renewed = n
	}
	if look {
		f.looked = n
	}
	return late, true, nil
}

// replace puts the later estimate in the place of that in use, and chooses coordinates by it.
func (f *fisher) replace(ctx context.Context, early bool) error {
	k := f.k
	f.renewed, f.looked = 0, 0
	for b, s := range k.parties {
		s.estimate.foreground, s.estimate.background = s.estimate.background, s.estimate.foreground
		s.estimate.background.reset()
		s.noise.replace()
		if s.shear != nil {
			if err := k.reshear(ctx, b, k.done); err != nil {
				return err
			}
		} else if s.centring != nil {
			s.recentre(k.now.q.at[b], k.now.g.at[b])
		}
		if s.intercepts != nil {
			s.decideIntercepts(early, k.now.q.theta[b], k.now.g.theta[b], k.now.g.means[b])
		}
	}
	return nil
}

// informative reports whether the newest draw is not the one before, and does not come from a trajectory that
// diverged near its start.
func (f *fisher) informative() bool {
	at := f.k.now.index
	if f.k.last.Divergent && -nearStart <= at && at <= nearStart {
		return false
	}
	return at != 0
}

func (f *fisher) state(c *backends.Codec) {
	c.Float(f.step.State()...)
	c.Ints(f.schedule.State(), &f.renewed, &f.looked)
	c.Ints(&f.arrival.calm)
	c.Bool(&f.scaled)
	c.Bool(&f.strayed)
	c.Bool(&f.arrival.done)
}

// fromFisher sets the metric from estimates: the diagonal part to that of the least Fisher divergence, but at
// least a share of the variance of draws; and the dense part, which costs more, only where renew is true.
//
// √(variance of draws / variance of gradients) is less than the variance of draws by much where coordinates
// of several parties, or under a diagonal metric, are correlated; and where many others are not, auxiliary
// variables for instance, these make the trajectory turn when it has gone a small part of such a ridge.
func (m *metric) fromFisher(e *estimate, renew bool, least float64) {
	dim, squares, count := len(m.inverse), e.draws.Squares, float64(e.draws.N-1)
	vector.Balance(dim, m.inverse, m.root, squares, e.gradients.Squares, leastMass, mostMass)
	if n := dim - m.noise; least > 0 {
		vector.Raise(n, m.inverse, m.root, squares, least/count, mostMass)
		vector.Raise(m.noise, m.inverse[n:], m.root[n:], squares[n:], min(least, leastShare)/count, mostMass)
	}
	if m.full != nil && renew {
		m.full.fromFisher(m.inverse, e.drawMatrix, e.gradMatrix, least)
	}
}
