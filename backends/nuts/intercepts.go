package nuts

import (
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

const (
	// interceptGain is how many times the variance of an intercept must be that of its coordinate for the
	// intercept to go on following: where contributions have hardly a common part there is no ridge, and what
	// the coordinate takes of them need not be what the data's weights would.
	interceptGain = 1.5
	// interceptDraws is the least number of draws from which that is decided.
	interceptDraws = 20
)

// intercepts are the parameters of a party that follow the mean of what else is added to their predictors,
// the contributions which it receives and its own terms: given an intercept's coordinate θ + share · mean,
// the data leave the contributions of other parties alone, while a change of them at a fixed θ would have to
// be undone by this party. The share is 1 at the start. When the chain has arrived it is the data's part of
// what is known of the intercept: where the prior determines it more than the data, a share of 1 would make a
// ridge of what is none. Draws of the warm-up then decide whether there is a ridge at all.
type intercepts struct {
	block density.Intercepts
	at    [][]int
	share []float64
	next  []float64

	followed, declared *moments // of the first coordinate of each intercept, as sampled and as declared
	x                  []float64
	decided            bool
}

// newIntercepts returns nil where nothing follows. A metric that is dense from the start sees what is a
// party's own.
func newIntercepts(b density.Block, dense bool, s backends.Settings) *intercepts {
	r, ok := b.(density.Intercepts)
	if !ok || !warmsAlone(s) || s.Text(coordinates) != "auto" || len(r.Intercepts()) == 0 ||
		dense && !r.Contributed() {
		return nil
	}
	l := &intercepts{block: r, at: r.Intercepts()}
	n := len(l.at)
	l.share, l.next, l.x = make([]float64, n), make([]float64, n), make([]float64, n)
	l.followed, l.declared = newMoments(n), newMoments(n)
	return l
}

// begin lets the intercepts of block b follow, but for those that begin at a value of the user's, whose
// coordinates are known when the contributions are.
func (l *intercepts) begin(env density.Env, b int) {
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

// settle chooses the shares where the density was last evaluated, and takes θ' of the current point, where
// the means are those given, to the new coordinates.
func (l *intercepts) settle(theta, means []float64) {
	l.block.Shares(l.next)
	l.move(theta, means)
}

// move takes θ' to the next shares, which then hold. Gradients of other parties are those at the old ones
// until their next evaluation.
func (l *intercepts) move(theta, means []float64) {
	for k, at := range l.at {
		for _, i := range at {
			theta[i] += float64((l.next[k] - l.share[k]) * means[k])
		}
	}
	copy(l.share, l.next)
	l.block.Follow(l.share)
}

// note includes θ' of a draw in what is decided by.
func (l *intercepts) note(theta, means []float64) {
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
func (l *intercepts) reset() {
	l.followed.Reset()
	l.declared.Reset()
}

// decide chooses, once, which intercepts go on following.
func (l *intercepts) decide() {
	if l.followed.N < interceptDraws {
		return
	}
	l.decided = true
	for k := range l.share {
		if !(l.declared.Squares[k] > interceptGain*l.followed.Squares[k]) {
			l.next[k] = 0
		}
	}
}

// decideIntercepts takes the shares of where the chain is now, when an estimate is replaced: when it arrived
// the scale of the data, and with it their part, may have been far from what it is later. It chooses which
// intercepts go on following, but not by early draws; the shares then stay. u and g are the current point and
// its gradient.
func (s *party) decideIntercepts(early bool, u, g, means []float64) {
	l := s.intercepts
	if l.decided {
		return
	}
	l.block.Shares(l.next)
	for k, share := range l.share {
		if share == 0 { // an intercept that does not follow
			l.next[k] = 0
		}
	}
	if !early {
		l.decide()
	}
	l.reset()
	if slices.Equal(l.next, l.share) {
		return
	}
	s.declare(u, g)
	l.move(u, means)
	s.undeclare(u, g)
}

// declare takes θ' to θ, given the means.
func (l *intercepts) declare(theta, means []float64) {
	for k, at := range l.at {
		for _, i := range at {
			theta[i] -= float64(l.share[k] * means[k])
		}
	}
}

func (l *intercepts) state(c *backends.Codec) {
	c.Floats(l.share)
	l.block.Follow(l.share)
	c.Bool(&l.decided)
	for _, m := range []*moments{l.followed, l.declared} {
		c.Ints(&m.N)
		c.Floats(m.Mean)
		c.Floats(m.Squares)
	}
}
