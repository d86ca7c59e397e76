package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
)

// levels are the parameters of a party that follow the mean of the contributions which it receives: given a level's coordinate θ + share · mean, the data leave the contributions of other parties alone,
// while a change of them at a fixed θ would have to be undone by this party. A level follows whole from the start. When the chain has arrived the share is that of the data in what is known of the level: a
// prior that says more than the data would make a ridge of what is none.
type levels struct {
	block density.Levelled
	at    [][]int
	share []float64
	next  []float64
}

// newLevels returns nil where nothing follows.
func newLevels(b density.Block, s backends.Settings) *levels {
	r, ok := b.(density.Levelled)
	if !ok || !learnsFisher(s) || s.Text(coordinates) != "auto" || len(r.Levels()) == 0 {
		return nil
	}
	l := &levels{block: r, at: r.Levels()}
	l.share, l.next = make([]float64, len(l.at)), make([]float64, len(l.at))
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

// settle chooses the shares where the density was last evaluated, and takes the current point, where the means are those given, to the new coordinates. Gradients of other parties are those at the old ones
// until their next evaluation.
func (l *levels) settle(q, means []float64) {
	l.block.Shares(l.next)
	for k, at := range l.at {
		for _, i := range at {
			q[i] += float64((l.next[k] - l.share[k]) * means[k])
		}
	}
	copy(l.share, l.next)
	l.block.Follow(l.share)
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
}
