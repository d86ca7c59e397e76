package nuts

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	fisherStart = 0.1 // step size that the search begins at
	fisherDraws = 3   // draws before the metric is first set
	nearStart   = 4   // a divergent transition that ends within so many leapfrogs of its start is left out of the estimates
)

// fisher warms up from draws and gradients: the inverse mass √(var draw / var gradient) minimises the Fisher divergence between the target, scaled by
// it, and a standard normal (Seyboldt, Carlson and Carpenter 2024). The schedule is nutpie's.
type fisher struct {
	k        *chain
	step     adapt.StepSize
	schedule adapt.Switches
	scaled   bool // the metric has been estimated
	renewed  int  // draws in the estimate when the dense part was last renewed
}

func (f *fisher) begin(ctx context.Context) error {
	for b, s := range f.k.parties {
		q, g := f.k.now.q.at[b], f.k.now.g.at[b]
		for i, x := range g {
			inverse := 1 / math.Abs(x)
			if !finite(inverse) {
				inverse = 1
			}
			s.metric.set(i, inverse)
		}
		s.metric.diagonal()
		s.estimate.foreground.add(q, g)
		s.estimate.background.add(q, g)
	}
	return f.find(ctx)
}

// resume goes on with the estimates of an earlier run.
func (f *fisher) resume() {
	f.step.Restart(f.k.eps)
	f.scaled = true
	for _, s := range f.k.parties {
		s.estimate.background.reset()
		f.renewed = s.estimate.foreground.draws.N
	}
}

// find searches for a step size and begins its adaptation anew.
func (f *fisher) find(ctx context.Context) error {
	eps, err := f.k.search(ctx, fisherStart, math.Log(f.step.Target), f.step.Limit)
	if err != nil {
		return err
	}
	f.step.Restart(eps)
	f.k.eps = eps
	return nil
}

func (f *fisher) learn(ctx context.Context) error {
	t, late, changed := f.k.done-1, true, false
	if !f.schedule.Frozen(t) {
		late, changed = f.estimate(t)
	}
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
		f.k.eps = f.step.Final()
	}
	return nil
}

// estimate adds the newest draw to the estimates and sets the metric from them.
func (f *fisher) estimate(t int) (late, changed bool) {
	k := f.k
	if f.informative() {
		for b, s := range k.parties {
			q, g := k.now.q.at[b], k.now.g.at[b]
			s.estimate.foreground.add(q, g)
			s.estimate.background.add(q, g)
		}
	}
	replace, late := f.schedule.Next(t, k.parties[0].estimate.background.draws.N)
	if replace {
		f.renewed = 0
		for _, s := range k.parties {
			s.estimate.foreground, s.estimate.background = s.estimate.background, s.estimate.foreground
			s.estimate.background.reset()
		}
	}
	n := k.parties[0].estimate.foreground.draws.N
	if n < fisherDraws {
		return late, false
	}
	renew := n >= f.renewed+f.renewed/2+1 || f.schedule.Frozen(t+1) // by half more draws, and the last time
	for _, s := range k.parties {
		s.metric.fromFisher(&s.estimate.foreground, renew)
	}
	if renew {
		f.renewed = n
	}
	return late, true
}

// informative reports whether the newest draw is not the one before, and does not come from a trajectory that diverged near its start.
func (f *fisher) informative() bool {
	at := f.k.now.index
	if f.k.last.Divergent && -nearStart <= at && at <= nearStart {
		return false
	}
	return at != 0
}

func (f *fisher) state(c *checkpoint.Codec) {
	c.Float(f.step.State()...)
	c.Ints(f.schedule.State(), &f.renewed)
	c.Bool(&f.scaled)
}

// fromFisher sets the metric from estimates; the dense part, which costs more, only where renew is true.
func (m *metric) fromFisher(e *estimate, renew bool) {
	vector.Balance(len(m.inverse), m.inverse, m.root, e.draws.Squares, e.gradients.Squares, leastMass, mostMass)
	if m.full != nil && renew {
		m.full.fromFisher(m.inverse, e.drawMatrix, e.gradMatrix)
	}
}
