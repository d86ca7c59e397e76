package nuts

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

const (
	// screened is how many starting points of a model with several modes are climbed from, fewScreened how
	// many where all of these ways end as high, and mostClimb the most steps from each.
	screened, fewScreened = 16, 8
	mostClimb             = 60
	// A way ends where stretch steps have gained less than leastGain, in nats.
	stretch, leastGain = 10, 0.1
	// The steps of a way up, as resilient backpropagation has them (iRprop- of Igel and Hüsken 2003), the
	// greatest of which is the standard deviation of effects in standard coordinates.
	firstMove, mostMove = 0.1, 1
	longer, shorter     = 1.2, 0.5
	// mostReturns is how many times a step is halved that leads where the density is not finite.
	mostReturns = 20
)

// A candidate is a point on the way up from a starting point, by block, and the log density at the end of the
// way.
type candidate struct {
	at [][]float64
	lp float64
}

// multimodal reports a model whose density solves a differential equation, has a mixture or angles for
// rows of data, or a location that is a curved function of parameters, as one of the parties has it. Where
// solutions oscillate or keep near a part of the data alone, two components share what is one group of rows
// and a third has two groups, two rates have changed places, or angles go round the circle, there are modes
// that the posterior all but leaves out, and a chain that begins near one stays there. In a hierarchy the way
// up has no end, since the density grows without bound as a scale goes to 0, unless effects are standard.
// Starting values that one party has been given hold.
func (k *chain) multimodal(ctx context.Context) (bool, error) {
	// With noise around cuts all points of a way would have the same, and their differences none.
	if k.settings.Plan.Encrypted || k.settings.Transform.Noise() {
		return false, nil
	}
	starts, given := density.As[density.Starting](k.env)
	for b, s := range k.parties {
		several, stays := 0.0, 0.0
		m, ok := s.block.(density.Multimodal)
		if ok && m.Multimodal() {
			several = 1
		}
		// a party knows of no other whether its user has given starting values
		if given && len(starts.Starts(b)) > 0 || ok && !m.Bounded() ||
			s.centring == nil && s.block.Hierarchical() {
			stays = 1
		}
		k.scalars[b][0], k.scalars[b][1] = several, stays
	}
	if err := k.sum(ctx, 2); err != nil {
		return false, err
	}
	return k.total[0] > 0 && k.total[1] == 0, nil
}

// screen begins at the place that ascend finds, where effects are standard, and goes back to coordinates of
// θ.
func (k *chain) screen(ctx context.Context) (bool, error) {
	for _, s := range k.parties {
		if s.centring != nil {
			s.centring.standardise(true)
		}
	}
	ok, err := k.ascend(ctx)
	for b, s := range k.parties {
		if s.centring != nil {
			s.declare(k.now.q.at[b], k.now.g.at[b])
			s.centring.standardise(false)
			s.undeclare(k.now.q.at[b], k.now.g.at[b])
		}
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
	best, least := math.Inf(-1), math.Inf(1)
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
		found, best, least = append(found, c), max(best, c.lp), min(least, c.lp)
		if len(found) == fewScreened && best < least+leastGain {
			break
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	total := 0.0
	for _, c := range found {
		total += portable.Exp(c.lp - best)
	}
	left := float64(total * k.env.Shared("nuts start").Float64())
	i := slices.IndexFunc(found, func(c candidate) bool {
		left -= portable.Exp(c.lp - best)
		return left <= 0
	})
	for b, x := range found[max(i, 0)].at {
		copy(k.now.q.at[b], x)
	}
	return true, nil
}

// climb goes up from the current point, each coordinate by steps of its own, which grow while its slope keeps
// its sign: of other parties nothing is needed but the log density. The candidate is the first point whose
// log density is less than one for each coordinate below the highest: where the posterior is, and not at its
// mode, where a gradient of 0 says nothing of how far it reaches.
func (k *chain) climb(ctx context.Context) (candidate, error) {
	var way []candidate
	best, high := math.Inf(-1), math.Inf(-1)
	moves := make([][]float64, len(k.parties))
	slopes := make([][]float64, len(k.parties))
	for b, q := range k.now.q.at {
		moves[b], slopes[b] = slices.Repeat([]float64{firstMove}, len(q)), make([]float64, len(q))
	}
	for step, ok := 0, true; ok; step++ {
		here := candidate{lp: k.now.lp + k.total[startJacobian]}
		for _, q := range k.now.q.at {
			here.at = append(here.at, slices.Clone(q))
		}
		way, best = append(way, here), max(best, here.lp)
		if step%stretch == 0 {
			if step == mostClimb || best < high+leastGain {
				break
			}
			high = best
		}
		for b, q := range k.now.q.at {
			resilient(q, moves[b], slopes[b], k.now.g.at[b])
		}
		var err error
		if ok, err = k.reach(ctx, here.at, moves); err != nil {
			return candidate{}, err
		}
	}
	enough := best + leastGain - k.total[startNumbers] // the mode may be higher by what the way did not gain
	i := slices.IndexFunc(way, func(c candidate) bool { return c.lp >= min(enough, best) })
	return candidate{way[i].at, best}, nil
}

// resilient goes a step up in every coordinate: longer than the one before where the slope has kept its sign,
// and shorter, after none, where it has changed.
func resilient(q, moves, slopes, g []float64) {
	for i, slope := range g {
		switch turn := slope * slopes[i]; {
		case turn > 0:
			moves[i] = min(float64(longer*moves[i]), mostMove)
		case turn < 0:
			moves[i] *= shorter
			slope = 0
		}
		if slopes[i] = slope; slope != 0 {
			q[i] += math.Copysign(moves[i], slope)
		}
	}
}

// reach evaluates the current point, or else one nearer to that of before.
func (k *chain) reach(ctx context.Context, before, moves [][]float64) (ok bool, err error) {
	for range mostReturns {
		if ok, err = k.evaluateStart(ctx); ok || err != nil {
			return ok, err
		}
		for b, q := range k.now.q.at {
			for i, x := range before[b] {
				q[i] = x + float64(shorter*(q[i]-x))
				moves[b][i] *= shorter
			}
		}
	}
	return false, nil
}
