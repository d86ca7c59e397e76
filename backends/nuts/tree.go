package nuts

import (
	"context"
	"math"
	"math/bits"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// maxEnergyError is how far the energy may rise before a trajectory is called divergent, as in Stan.
const maxEnergyError = 1000

// The scalars of a leapfrog that are summed over the parties: log density, kinetic energy, kinetic energy at
// the start of the trajectory; then those of the U-turn criterion for every pair of subtrees that the new
// state completes, perCriterion each.
const (
	logDensity = iota
	kinetic
	kineticStart
	criteria
)

// A tree is the trajectory of one transition (Hoffman and Gelman 2014): doublings, each of which adds a
// subtree of as many states as there are.
type tree struct {
	forward     stride
	directions  uint64          // of the doublings, a bit each: 1 forward in time, 0 backward
	ends        [2]*point       // the first and the last state in time
	endMomenta  [2]*jointVector // their momenta
	momentumSum *jointVector    // over all states
	doublings   int             // made
	// the newest state with its momentum, and the next one, begun from it
	newest, next           *point
	momentum, nextMomentum *jointVector
	step                   stride // from newest to next: forward or backward
	// of the subtree in the making
	states int // made
	// complete subtrees of 2^k states each, k falling, that wait for their right neighbours
	waiting       []subtree
	proposal      *point
	subtreeWeight float64 // of its states
	// what the newest state completes
	merges   int  // pairs of subtrees
	complete bool // the subtree of the doubling

	// of the states whose scalars have been summed over the parties
	newestWeight float64 // exp(H₀ − H) of the newest state
	weight       float64 // of all states
	logScale     float64 // weights are divided by exp(logScale)
	sample       *point
	depth        int // doublings
	leapfrogs    int
	divergent    bool
	ended        bool    // no further state is wanted
	acceptSum    float64 // Σ min(1, exp(H₀ − H)): the acceptance statistic is its mean
	symmetricSum float64 // Σ 2min(1, w)/(1 + w), w = exp(H₀ − H)
}

// transition makes one step of the chain: k.now becomes the next draw. A state joins the trajectory when its
// scalars have been summed over the parties. Where these are apart that takes as long as an evaluation, so
// the next state is begun before and evaluated in the same exchange: in vain where the trajectory ends, which
// is known at all parties before any of them has changed more than the state in the making.
func (k *chain) transition(ctx context.Context) error {
	t := &k.tree
	k.startTrajectory()
	if err := k.spreadAcross(ctx, k.move.p); err != nil {
		return err
	}
	k.allocateNext()
	k.beginLeapfrog()
	if err := k.env.Density(ctx, k.theta, k, t.next.g.theta, k.lp); err != nil {
		return err
	}
	for {
		n := k.completeLeapfrog()
		if t.doublings == k.depth {
			if err := k.sumState(ctx, n); err != nil {
				return err
			}
			k.addState()
			break
		}
		if err := k.goOn(ctx, n); err != nil {
			return err
		}
		if t.ended {
			if k.places != nil {
				k.places.Place(nil) // a state that was begun is not evaluated
			}
			break
		}
	}
	k.endTrajectory()
	return nil
}

// goOn adds up the n scalars of the newest state, and evaluates the next one if it is wanted.
func (k *chain) goOn(ctx context.Context, n int) error {
	if k.rank() > 0 {
		return k.goAcross(ctx, n)
	}
	k.cutScalars(n)
	k.allocateNext()
	if k.speculative {
		k.beginLeapfrog()
	}
	decision := density.Decision{Part: k.part, Total: k.total[:n], Wanted: k.proceed}
	return k.pipeline.Proceed(ctx, decision, k.theta, k, k.tree.next.g.theta, k.lp)
}

// decide adds the newest state to the trajectory and reports whether the next one is wanted.
func (k *chain) decide() bool {
	k.tree.ended = !k.addState()
	if !k.tree.ended && !k.speculative {
		k.beginLeapfrog()
	}
	return !k.tree.ended
}

// startTrajectory begins a trajectory at the current point with a new momentum. The directions of its
// doublings are drawn first, so that a state can be begun while the one before it is not yet part of the
// trajectory.
func (k *chain) startTrajectory() {
	p := k.pool.get()
	k.move.p = p
	k.each((*chain).drawBlock)
	k.place.Trajectory, k.place.Start, k.place.Settled = k.done, k.now.index, k.done >= k.warmup
	k.now.index = 0
	k.tree = tree{
		forward: k.tree.forward.of(k.eps), waiting: k.tree.waiting[:0], momentumSum: p, newest: k.now,
		momentum: p,
		ends:     [2]*point{k.now, k.now}, endMomenta: [2]*jointVector{p, p}, sample: k.now, weight: 1,
	}
	k.now.refs, p.refs = 5, 4 // k.now is kept to the end
	k.choices.Round(uint64(k.done))
	k.tree.directions = k.choices.Rand().Uint64()
	// known from the first leapfrog on, which brings the kinetic energy of the start
	k.tree.sample.h = math.NaN()
}

// drawBlock draws party b's part of the momentum that a trajectory begins with.
func (k *chain) drawBlock(b int) {
	s := k.parties[b]
	s.momentum.Round(uint64(k.done))
	s.draw(b, k.now, k.move.p, s.momentum)
}

// endTrajectory makes the sample the current point.
func (k *chain) endTrajectory() {
	t := &k.tree
	if !finite(t.sample.h) {
		t.sample.h = k.total[kineticStart] - k.now.lp
	}
	k.last = backends.Transition{
		LogDensity: t.sample.lp, Energy: t.sample.h, StepSize: t.forward.eps, Depth: t.depth,
		Leapfrogs: t.leapfrogs,
		Accept:    t.acceptSum / float64(t.leapfrogs), Divergent: t.divergent,
	}
	k.rise = t.sample.lp - k.now.lp
	k.now = t.sample
	k.pool.reset(k.now)
}

// allocateNext takes vectors for the next state from the pool.
func (k *chain) allocateNext() {
	k.tree.next, k.tree.nextMomentum = k.pool.point(), k.pool.get()
}

// beginLeapfrog makes the first half of a leapfrog to the next state: from the newest one, or from the end of
// the trajectory where the next subtree grows.
func (k *chain) beginLeapfrog() {
	t := &k.tree
	dir, from, p := t.direction(), t.newest, t.momentum
	if t.states == 0 {
		from, p = t.ends[dir], t.endMomenta[dir]
	}
	if t.step = t.forward; dir == 0 {
		t.step = t.forward.backward()
	}
	k.drift(t.next, t.nextMomentum, from, p, t.step)
	k.evaluateAt(t.next)
	if k.places != nil {
		k.place.Point = t.next.index
		k.places.Place(&k.place)
	}
}

// direction is that of the subtree in the making: 1 forward in time, 0 backward.
func (t *tree) direction() int { return int(t.directions >> t.doublings & 1) }

// completeLeapfrog makes the second half of a leapfrog: the next state becomes the newest. It returns the
// number of scalars to be summed over the parties: those of the state, and those of the U-turn criterion for
// the pairs of subtrees that it completes.
func (k *chain) completeLeapfrog() int {
	t := &k.tree
	k.prepare(t.next, t.nextMomentum, t.step)
	k.pool.dropPoint(t.newest)
	k.pool.drop(t.momentum)
	t.newest, t.momentum = t.next, t.nextMomentum
	t.states++
	t.merges = bits.TrailingZeros(uint(t.states))
	t.complete = t.states == 1<<t.doublings
	s, n := k.mergeSubtrees(leaf(t.momentum), t.merges)
	if !t.complete {
		t.waiting = append(t.waiting, s)
	} else {
		n = k.extendTrajectory(t.direction(), s, n)
	}
	k.move.products = n
	k.each((*chain).kickBlock)
	return n
}

// leapfrog makes one step of size eps from a point with momentum p, outside a trajectory. It returns the new
// point and its momentum.
func (k *chain) leapfrog(ctx context.Context, at *point, p *jointVector, eps float64) (*point, *jointVector,
	error) {
	next, to, by := k.pool.point(), k.pool.get(), newStride(eps)
	k.drift(next, to, at, p, by)
	if err := k.evaluate(ctx, next); err != nil {
		return next, to, err
	}
	k.prepare(next, to, by)
	k.move.products = criteria
	k.each((*chain).kickBlock)
	return next, to, nil
}

// drift is the first half of a leapfrog: the position of the next state, and the momentum after half a step.
// That of noise with unit masses is left to the evaluation that follows, which reads it.
func (k *chain) drift(next *point, half *jointVector, at *point, p *jointVector, by stride) {
	next.index = at.index + 1
	if by.eps < 0 {
		next.index = at.index - 1
	}
	m := &k.move
	m.from, m.next, m.p, m.half, m.by, m.turning = at, next, p, half, by, true
	k.each((*chain).driftBlock)
}

// driftBlock is party b's part of drift.
func (k *chain) driftBlock(b int) {
	m := &k.move
	k.parties[b].metric.drift(b, m.next, m.from, m.half, m.p, m.by)
}

// prepare begins the second half of a leapfrog.
func (k *chain) prepare(next *point, half *jointVector, by stride) {
	m := &k.move
	m.next, m.half, m.by, m.pairs = next, half, by, m.pairs[:0]
}

// kickBlock is party b's part of the second half: the momentum after the full step. It sets the scalars of
// the state, and those of the pairs of subtrees that it completes, in one go while they are near.
func (k *chain) kickBlock(b int) {
	m, s, part := &k.move, k.parties[b], k.scalars[b]
	s.complete(b, m.next.g)
	twice := s.metric.kick(b, m.half, m.next, m.by)
	if s.noise.len > 0 {
		twice += s.noise.kick(m)
	}
	part[kinetic] = float64(0.5*twice) - s.logJacobian()
	part[logDensity], part[kineticStart] = k.logDensity(b), s.kinetic
	if s.metric.rank() > s.metric.own() {
		s.metric.ridges.project(m.next.g.at[b], part[m.products:])
	}
	for i := range m.pairs {
		p := &m.pairs[i]
		out := (*[perCriterion]float64)(part[p.at:])
		s.metric.criterion(b, out, p.sum, p.left, p.right)
		s.noise.criterion(out, p.sum, p.left, p.right)
	}
}

// mergeSubtrees merges a subtree with the newest waiting ones, its left neighbours, and returns the whole
// with the number of scalars so far. Whether one of the pairs makes a U-turn is known only when these are
// summed over the parties.
func (k *chain) mergeSubtrees(s subtree, merges int) (subtree, int) {
	t, n := &k.tree, criteria
	for range merges {
		left := t.waiting[len(t.waiting)-1]
		t.waiting = t.waiting[:len(t.waiting)-1]
		sum := k.merge(left, s, n)
		k.pool.drop(left.sum)
		k.pool.drop(s.sum)
		k.pool.drop(left.last)
		k.pool.drop(s.first)
		s = subtree{left.first, s.last, sum}
		n += perCriterion
	}
	return s, n
}

// extendTrajectory makes the complete subtree of a doubling part of the trajectory, with the newest state as
// its end. It sets the scalars of the U-turn criterion for the trajectory and its new half, and returns the
// number of scalars so far.
func (k *chain) extendTrajectory(dir int, s subtree, n int) int {
	t := &k.tree
	sum := k.merge(subtree{t.endMomenta[1-dir], t.endMomenta[dir], t.momentumSum}, s, n)
	k.pool.drop(t.momentumSum)
	k.pool.drop(s.first)
	k.pool.drop(s.last)
	k.pool.drop(s.sum)
	k.pool.dropPoint(t.ends[dir])
	k.pool.drop(t.endMomenta[dir])
	t.momentumSum, t.ends[dir], t.endMomenta[dir] = sum, t.newest.hold(), t.momentum.hold()
	t.doublings++
	t.states = 0
	return n + perCriterion
}

// A pair is two neighbouring subtrees with the vector for the sum of their momenta, and where the scalars of
// their U-turn criterion begin.
type pair struct {
	left, right subtree
	sum         *jointVector
	at          int
}

// merge notes that the scalars of the U-turn criterion for two neighbouring subtrees are to be set, from
// scalar n on, and returns the vector for the sum of their momenta. Pairs are computed in this order, party
// by party, so that vectors which are free after one may be those of the next.
func (k *chain) merge(left, right subtree, n int) *jointVector {
	sum := k.pool.get()
	k.move.pairs = append(k.move.pairs, pair{left, right, sum, n})
	return sum
}

// logWeight sets the energy of a new state and returns H₀ − H, the logarithm of its multinomial weight. It is
// −∞ where that is not finite.
func (k *chain) logWeight(at *point) float64 {
	at.lp = k.total[logDensity]
	at.h = k.total[kinetic] - at.lp
	w := k.total[kineticStart] - k.now.lp - at.h
	if !finite(w) {
		if k.bad++; k.done >= k.warmup && k.env.Cause().Unsolved() {
			k.unsolved++
		}
		return math.Inf(-1)
	}
	return w
}

// weighState counts the newest state and reports whether the trajectory may go on from it: whether it does
// not diverge there.
func (k *chain) weighState() bool {
	t := &k.tree
	logWeight := k.logWeight(t.newest)
	t.leapfrogs++
	if logWeight < -maxEnergyError {
		t.divergent = true
		return false
	}
	w := portable.Exp(logWeight)
	accept := min(1, w)
	t.acceptSum += accept
	t.symmetricSum += 2 * accept / (1 + w)
	t.newestWeight = t.scaled(logWeight, w)
	return true
}

// maxLogWeight is how large the logarithm of a scaled weight may be.
const maxLogWeight = 500

// scaled divides the weight w = exp(logWeight) by the scale of the sums of weights. Where it is too large for
// that the scale changes: after a bad start energies fall by thousands.
func (t *tree) scaled(logWeight, w float64) float64 {
	if logWeight > t.logScale+maxLogWeight {
		by := portable.Exp(t.logScale - logWeight)
		t.weight *= by
		t.subtreeWeight *= by
		t.logScale = logWeight
	}
	if t.logScale == 0 {
		return w
	}
	return portable.Exp(logWeight - t.logScale)
}

// addState adds the newest state, whose scalars have been summed, to the trajectory. It reports whether the
// trajectory may grow further.
func (k *chain) addState() bool {
	t := &k.tree
	if !k.weighState() || !k.noUTurn(t.merges) {
		return false
	}
	k.updateProposal()
	return !t.complete || k.acceptSubtree()
}

// updateProposal makes the newest state the proposal of its subtree with the probability of its share in the
// subtree's weight (multinomial sampling).
func (k *chain) updateProposal() {
	t := &k.tree
	first := t.proposal == nil
	if first {
		t.subtreeWeight = 0
	}
	if t.subtreeWeight += t.newestWeight; first || k.choices.Float64() < t.newestWeight/t.subtreeWeight {
		if !first {
			k.pool.dropPoint(t.proposal)
		}
		t.proposal = t.newest.hold()
	}
}

// noUTurn reports whether none of the first pairs of subtrees makes a U-turn.
func (k *chain) noUTurn(merges int) bool {
	for i := range merges {
		if !k.criterionHolds(criteria + i*perCriterion) {
			return false
		}
	}
	return true
}

// criterionHolds reports whether the pair of subtrees whose scalars begin at n makes no U-turn: all are
// positive.
func (k *chain) criterionHolds(n int) bool {
	for _, d := range k.total[n:][:perCriterion] {
		if !(d > 0) {
			return false
		}
	}
	return true
}

// acceptSubtree replaces the sample by the proposal of the complete subtree with the probability of biased
// progressive sampling (Betancourt 2017): the subtree's weight over that of the trajectory before. It reports
// whether the trajectory as a whole makes no U-turn.
func (k *chain) acceptSubtree() bool {
	t := &k.tree
	n := criteria + perCriterion*t.depth
	t.depth++
	if t.subtreeWeight > t.weight || k.choices.Float64() < t.subtreeWeight/t.weight {
		t.sample, t.proposal = t.proposal, t.sample
	}
	k.pool.dropPoint(t.proposal)
	t.proposal = nil
	t.weight += t.subtreeWeight
	return k.criterionHolds(n)
}
