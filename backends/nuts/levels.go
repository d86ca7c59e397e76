package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
)

const (
	// levelGain is how many times the variance of a level must be that of its coordinate for the level to go on following: where contributions have hardly a common part there is no ridge, and what the
	// coordinate takes of them need not be what the data's weights would.
	levelGain = 1.5
	// levelDraws is the least number of draws from which that is decided.
	levelDraws = 20
)

// levels are the parameters of a party that follow the mean of the contributions which it receives: given a level's coordinate θ + share · mean, the data leave the contributions of other parties alone,
// while a change of them at a fixed θ would have to be undone by this party. A level follows whole from the start. When the chain has arrived the share is that of the data in what is known of the level: a
// prior that says more than the data would make a ridge of what is none. Draws of the warm-up then decide whether there is a ridge at all.
type levels struct {
	block density.Levelled
	at    [][]int
	share []float64
	next  []float64

	followed, declared *adapt.Moments // of the first coordinate of each level, as sampled and as declared
	x                  []float64
	decided            bool
}

// newLevels returns nil where nothing follows.
func newLevels(b density.Block, s backends.Settings) *levels {
	r, ok := b.(density.Levelled)
	if !ok || !learnsFisher(s) || s.Text(coordinates) != "auto" || len(r.Levels()) == 0 {
		return nil
	}
	l := &levels{block: r, at: r.Levels()}
	n := len(l.at)
	l.share, l.next, l.x = make([]float64, n), make([]float64, n), make([]float64, n)
	l.followed, l.declared = adapt.NewMoments(n), adapt.NewMoments(n)
	return l
}

// begin lets the levels of block b follow, but for those that begin at a value of the user's, whose coordinates are known when the contributions are.
func (l *levels) begin(env density.Env, b int) {
	for k, at := range l.at {
		l.share[k] = 1
		for _, i := range at {
			if density.Placed(env, b, i) {
				l.share[k] = 0
			}
		}
	}
	l.block.Follow(l.share)
}

// settle chooses the shares where the density was last evaluated, and takes θ' of the current point, where the means are those given, to the new coordinates.
func (l *levels) settle(theta, means []float64) {
	l.block.Shares(l.next)
	l.move(theta, means)
}

// move takes θ' to the next shares, which then hold. Gradients of other parties are those at the old ones until their next evaluation.
func (l *levels) move(theta, means []float64) {
	for k, at := range l.at {
		for _, i := range at {
			theta[i] += float64((l.next[k] - l.share[k]) * means[k])
		}
	}
	copy(l.share, l.next)
	l.block.Follow(l.share)
}

// note includes θ' of a draw in what is decided by.
func (l *levels) note(theta, means []float64) {
	if l.decided {
		return
	}
	for k, at := range l.at {
		l.x[k] = theta[at[0]]
	}
	l.followed.Add(l.x)
	for k := range l.x {
		l.x[k] -= float64(l.share[k] * means[k])
	}
	l.declared.Add(l.x)
}

// reset forgets the draws noted.
func (l *levels) reset() {
	l.followed.Reset()
	l.declared.Reset()
}

// decide chooses, once, which levels go on following. It reports whether shares change.
func (l *levels) decide() (changed bool) {
	if l.decided || l.followed.N < levelDraws {
		return false
	}
	l.decided = true
	for k, share := range l.share {
		if l.next[k] = share; !(l.declared.Squares[k] > levelGain*l.followed.Squares[k]) {
			l.next[k] = 0
		}
		changed = changed || l.next[k] != share
	}
	return changed
}

// decideLevels chooses which levels go on following, when an estimate is replaced: not by early draws. u and g are the current point and its gradient.
func (s *party) decideLevels(early bool, u, g, means []float64) {
	l := s.levels
	if early || !l.decide() {
		l.reset()
		return
	}
	if s.centring != nil {
		s.centring.declare(u, g)
	}
	l.move(u, means)
	if s.centring != nil {
		s.centring.undeclare(u, g)
	}
}

// declare takes θ' to θ, given the means.
func (l *levels) declare(theta, means []float64) {
	for k, at := range l.at {
		for _, i := range at {
			theta[i] -= float64(l.share[k] * means[k])
		}
	}
}

func (l *levels) state(c *checkpoint.Codec) {
	c.Floats(l.share)
	l.block.Follow(l.share)
	c.Bool(&l.decided)
	for _, m := range []*adapt.Moments{l.followed, l.declared} {
		c.Ints(&m.N)
		c.Floats(m.Mean)
		c.Floats(m.Squares)
	}
}
