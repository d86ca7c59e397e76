package nuts

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// screened is how many starting points of a model with several modes are climbed from, and mostClimb the most
// steps from each.
const (
	screened  = 16
	mostClimb = 60
)

// A candidate is a point on the way up from a starting point, and the log density at the end of the way.
type candidate struct {
	at []float64
	lp float64
}

// multimodal reports a model of one party whose density solves a differential equation, has a mixture for
// rows of data, or a location that is a curved function of parameters. Where solutions oscillate or keep near
// a part of the data alone, two components share what is one group of rows and a third has two groups, or two
// rates have changed places, there are modes that the posterior all but leaves out, and a chain that begins
// near one stays there. In a hierarchy the way up has no end, since the density grows without bound as a
// scale goes to 0, unless effects are standard.
func (k *chain) multimodal() bool {
	if len(k.parties) > 1 || k.pipeline.Apart() || !k.settings.Transform.Pooled() {
		return false
	}
	_, given := density.As[density.Starting](k.env)
	s := k.parties[0]
	b, ok := s.block.(density.Multimodal)
	return ok && !given && b.Multimodal() && b.Bounded() && (s.centring != nil || !s.block.Hierarchical())
}

// screen begins at the place that ascend finds, where effects are standard, and goes back to coordinates of
// θ.
func (k *chain) screen(ctx context.Context) (bool, error) {
	s := k.parties[0]
	c := s.centring
	if c != nil {
		c.standardise(true)
	}
	ok, err := k.ascend(ctx)
	if c != nil {
		s.declare(k.now.q.at[0], k.now.g.at[0])
		c.standardise(false)
		s.undeclare(k.now.q.at[0], k.now.g.at[0])
	}
	if !ok || err != nil {
		return false, err
	}
	return k.evaluateStart(ctx)
}

// ascend climbs from several starting points, and chooses one of the ways with a probability in proportion
// to the density at its end: chains still find several modes where these are about as high. It reports
// whether there was one to begin from.
func (k *chain) ascend(ctx context.Context) (bool, error) {
	bad := k.bad
	defer func() { k.bad = bad }()
	var found []candidate
	best := math.Inf(-1)
	for attempt := range uint64(screened) {
		ok, err := k.start(ctx, attempt)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		c, err := k.climb(ctx)
		if err != nil {
			return false, err
		}
		found, best = append(found, c), max(best, c.lp)
	}
	if len(found) == 0 {
		return false, nil
	}
	total := 0.0
	for _, c := range found {
		total += portable.Exp(c.lp - best)
	}
	s := k.parties[0].start
	s.Round(attempts)
	left := float64(total * s.Float64())
	i := slices.IndexFunc(found, func(c candidate) bool {
		left -= portable.Exp(c.lp - best)
		return left <= 0
	})
	copy(k.now.q.at[0], found[max(i, 0)].at)
	return true, nil
}

// climb goes up from the current point. The candidate is the first point whose log density is less than
// one for each coordinate below that at the end: where the posterior is, and not at its mode, where a
// gradient of 0 says nothing of how far it reaches.
func (k *chain) climb(ctx context.Context) (c candidate, err error) {
	var way []candidate
	at, here := slices.Clone(k.now.q.at[0]), k.now.q.at[0]
	c.lp = algebra.Maximise(at, mostClimb, func(x, grad []float64) float64 {
		copy(here, x)
		ok := false
		if err == nil {
			ok, err = k.evaluateStart(ctx)
		}
		if !ok {
			return math.Inf(-1)
		}
		copy(grad, k.now.g.at[0])
		lp := k.now.lp + k.parties[0].logJacobian()
		way = append(way, candidate{slices.Clone(x), lp})
		return lp
	})
	for _, p := range way {
		if p.lp >= c.lp-float64(len(at)) {
			c.at = p.at
			break
		}
	}
	return c, err
}
