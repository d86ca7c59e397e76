package nuts

import (
	"context"
	"math"
	"math/bits"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// maxError is how far the energy may rise before a trajectory is called divergent, as in Stan.
const maxError = 1000

// The scalars of a leapfrog: log density, kinetic energy, kinetic energy at the start of the trajectory; then the products of every merge that the new
// state closes.
const (
	logDensity = iota
	kinetic
	kineticStart
	closings
)

// A tree is the trajectory of one transition.
type tree struct {
	eps        float64
	directions uint64          // of its doublings, a bit each: 1 forward in time, 0 backward
	ends       [2]point        // backward, forward in time
	edges      [2]*blockVector // momenta there
	momenta    *blockVector    // sum of all
	level      int             // doublings made
	// the newest state, with its momentum, and the one that is begun from it
	at, next   point
	edge, half *blockVector
	step       float64 // to next
	// of the subtree in the making
	made      int   // states
	stack     []run // complete runs that wait for their right halves, 2^k states each, k falling
	candidate point
	subSum    float64 // of its weights
	// what the newest state completes
	merges int  // runs
	whole  bool // the subtree

	// as far as states have been judged
	newest    float64 // weight exp(H₀ − H) of the newest state
	sum       float64 // of all weights
	top       float64 // weights are divided by exp(top)
	sample    point
	depth     int // doublings
	leapfrogs int
	divergent bool
	over      bool    // no state is wanted any more
	metro     float64 // Σ min(1, exp(H₀ − H))
	symmetric float64 // Σ 2min(1, w)/(1 + w), w = exp(H₀ − H)
}

// transition makes one step of the chain: k.now becomes the next draw. A state is judged when its scalars have been added over the parties. Where these
// are apart that takes as long as an evaluation, so the next state is begun before and evaluated in the same exchange: in vain where the trajectory
// ends, which is known at all parties before any of them has changed more than the state in the making.
func (k *chain) transition(ctx context.Context) error {
	t := &k.tree
	k.plant()
	k.prepare()
	k.begin()
	if err := k.env.Density(ctx, t.next.q.theta, k, t.next.g.theta, k.lp); err != nil {
		return err
	}
	for {
		n := k.arrive()
		k.view(n)
		if t.level == k.depth {
			if err := k.env.Sum(ctx, k.part, k.total[:n]); err != nil {
				return err
			}
			k.judge()
			break
		}
		k.prepare()
		if k.ahead {
			k.begin()
		}
		decision := density.Decision{Part: k.part, Total: k.total[:n], Wanted: k.proceed}
		if err := k.pipeline.Proceed(ctx, decision, t.next.q.theta, k, t.next.g.theta, k.lp); err != nil {
			return err
		}
		if t.over {
			break
		}
	}
	k.harvest()
	return nil
}

// decide judges the newest state, and says whether the next is wanted.
func (k *chain) decide() bool {
	k.tree.over = !k.judge()
	if !k.tree.over && !k.ahead {
		k.begin()
	}
	return !k.tree.over
}

// plant begins a trajectory at the current point with a new momentum. Its directions are drawn first, so that all states can be begun before those
// before them are judged.
func (k *chain) plant() {
	p := k.pool.get()
	for b, s := range k.shares {
		s.momentum.Round(uint64(k.done))
		s.kinetic = 0.5 * s.metric.draw(p.at[b], p.extra[b], s.momentum)
	}
	k.now.index = 0
	eps := k.eps
	if j := k.settings.Float(jitter); j > 0 {
		k.shake.Round(uint64(k.done))
		eps *= 1 + j*(2*k.shake.Float64()-1)
	}
	k.tree = tree{
		eps: eps, stack: k.tree.stack[:0], momenta: p.hold(), at: k.now.hold(), edge: p.hold(),
		ends: [2]point{k.now.hold(), k.now.hold()}, edges: [2]*blockVector{p.hold(), p}, sample: k.now.hold(), sum: 1,
	}
	k.choices.Round(uint64(k.done))
	k.tree.directions = k.choices.Rand().Uint64()
	k.tree.sample.h = math.NaN() // known from the first leapfrog on, which brings the kinetic energy of the start
}

// harvest ends a trajectory.
func (k *chain) harvest() {
	t := &k.tree
	if !finite(t.sample.h) {
		t.sample.h = k.total[kineticStart] - k.now.lp
	}
	k.last = backends.Transition{
		LogDensity: t.sample.lp, Energy: t.sample.h, StepSize: t.eps, Depth: t.depth, Leapfrogs: t.leapfrogs,
		Accept: t.metro / float64(t.leapfrogs), Divergent: t.divergent,
	}
	k.now = t.sample
	k.pool.reset(k.now.q, k.now.g)
}

// prepare makes room for the next state.
func (k *chain) prepare() {
	k.tree.next, k.tree.half = point{q: k.pool.get(), g: k.pool.get()}, k.pool.get()
}

// begin makes the first half of a leapfrog to the next state: from the newest one, or from the end where the next subtree grows.
func (k *chain) begin() {
	t := &k.tree
	dir, from, p := t.direction(), t.at, t.edge
	if t.made == 0 {
		from, p = t.ends[dir], t.edges[dir]
	}
	if t.step = t.eps; dir == 0 {
		t.step = -t.eps
	}
	k.drift(&t.next, t.half, from, p, t.step)
	k.aim(t.next)
}

// direction is that of the subtree in the making.
func (t *tree) direction() int { return int(t.directions >> t.level & 1) }

// arrive completes the leapfrog: the next state is the newest. It returns how many scalars it has to have added: its own, and the products of the runs
// that it completes.
func (k *chain) arrive() int {
	t := &k.tree
	k.kick(t.next, t.half, t.step)
	k.pool.dropPoint(t.at)
	k.pool.drop(t.edge)
	t.at, t.edge = t.next, t.half
	t.made++
	t.merges = bits.TrailingZeros(uint(t.made))
	t.whole = t.made == 1<<t.level
	r, n := k.close(runOf(t.edge), t.merges)
	if !t.whole {
		t.stack = append(t.stack, r)
		return n
	}
	return k.meet(t.direction(), r, n)
}

// leapfrog makes the state one step of size eps from a point with momentum p, and its momentum, by itself.
func (k *chain) leapfrog(ctx context.Context, at point, p *blockVector, eps float64) (point, *blockVector, error) {
	next, to := point{q: k.pool.get(), g: k.pool.get()}, k.pool.get()
	k.drift(&next, to, at, p, eps)
	if err := k.evaluate(ctx, next); err != nil {
		return next, to, err
	}
	k.kick(next, to, eps)
	return next, to, nil
}

// drift is the first half of a leapfrog: the position of the next state, and the momentum after half a step.
func (k *chain) drift(next *point, half *blockVector, at point, p *blockVector, eps float64) {
	next.index = at.index + 1
	if eps < 0 {
		next.index = at.index - 1
	}
	for b, s := range k.shares {
		s.metric.drift(next.q.at[b], half.at[b], at.q.at[b], p.at[b], at.g.at[b], eps)
	}
}

// kick is the second half, which makes the momentum whole, and leaves the scalars of the state.
func (k *chain) kick(next point, half *blockVector, eps float64) {
	k.view(cap(k.part[0]))
	for b, s := range k.shares {
		part := k.part[b]
		part[kinetic] = 0.5 * s.metric.kick(half.at[b], half.extra[b], next.g.at[b], eps)
		part[logDensity], part[kineticStart] = k.logDensity(b), s.kinetic
	}
}

// close merges a run with the newest waiting ones, whose halves it completes, and returns the whole with the number of scalars so far. Nothing is
// decided yet: the products are not summed over the parties.
func (k *chain) close(r run, merges int) (run, int) {
	t, n := &k.tree, closings
	for range merges {
		left := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		sum := k.merge(left, r, n)
		k.pool.drop(left.sum, r.sum, left.last, r.first)
		r = run{left.first, r.last, sum}
		n += products
	}
	return r, n
}

// meet makes a complete subtree part of the trajectory, with the newest state as its end, and adds the products of the whole with its new half.
func (k *chain) meet(dir int, r run, n int) int {
	t := &k.tree
	sum := k.merge(run{t.edges[1-dir], t.edges[dir], t.momenta}, r, n)
	k.pool.drop(t.momenta, r.first, r.last, r.sum)
	k.pool.dropPoint(t.ends[dir])
	k.pool.drop(t.edges[dir])
	t.momenta, t.ends[dir], t.edges[dir] = sum, t.at.hold(), t.edge.hold()
	t.level++
	t.made = 0
	return n + products
}

// merge writes the products of two neighbouring runs, from scalar n on, and returns the sum of their momenta.
func (k *chain) merge(l, r run, n int) *blockVector {
	sum := k.pool.get()
	for b, s := range k.shares {
		s.metric.turns(b, (*[products]float64)(k.part[b][n:]), sum, l, r)
	}
	return sum
}

// gain is H₀ − H of a new state, whose energy it sets. It is −∞ where that is not finite.
func (k *chain) gain(at *point) float64 {
	at.lp = k.total[logDensity]
	at.h = k.total[kinetic] - at.lp
	gain := k.total[kineticStart] - k.now.lp - at.h
	if !finite(gain) {
		k.bad++
		return math.Inf(-1)
	}
	return gain
}

// weigh counts a new state and says whether the trajectory may go on from it.
func (k *chain) weigh(at *point) bool {
	t, gain := &k.tree, k.gain(at)
	t.leapfrogs++
	if gain < -maxError {
		t.divergent = true
		return false
	}
	w := math.Exp(gain)
	accept := math.Min(1, w)
	t.metro += accept
	t.symmetric += 2 * accept / (1 + w)
	t.newest = t.scaled(gain, w)
	return true
}

// highest is how large the logarithm of a weight may be.
const highest = 500

// scaled is the weight w = exp(gain) in the scale of the sums. Where it is too large for that the scale changes: after a bad start energies fall by
// thousands.
func (t *tree) scaled(gain, w float64) float64 {
	if gain > t.top+highest {
		by := math.Exp(t.top - gain)
		t.sum *= by
		t.subSum *= by
		t.top = gain
	}
	if t.top == 0 {
		return w
	}
	return math.Exp(gain - t.top)
}

// judge takes the newest state into the trajectory. It says whether that may grow further.
func (k *chain) judge() bool {
	t := &k.tree
	if !k.weigh(&t.at) || !k.straight(t.merges) {
		return false
	}
	k.choose()
	return !t.whole || k.graft()
}

// choose makes the newest state the candidate of its subtree, with the probability of its share in the weights so far.
func (k *chain) choose() {
	t := &k.tree
	first := t.candidate.q == nil
	if first {
		t.subSum = 0
	}
	if t.subSum += t.newest; first || k.choices.Float64() < t.newest/t.subSum {
		k.pool.dropPoint(t.candidate)
		t.candidate = t.at.hold()
	}
}

// straight says that none of the first merges has made a U-turn.
func (k *chain) straight(merges int) bool {
	for i := range merges {
		if !k.persists(closings + i*products) {
			return false
		}
	}
	return true
}

// persists is the criterion for the merge whose products begin at scalar n: all positive.
func (k *chain) persists(n int) bool {
	for _, d := range k.total[n:][:products] {
		if !(d > 0) {
			return false
		}
	}
	return true
}

// graft takes a complete subtree's candidate for the sample with the probability of biased progressive sampling. It says whether the whole has made no
// U-turn.
func (k *chain) graft() bool {
	t := &k.tree
	turns := closings + products*t.depth
	t.depth++
	if t.subSum > t.sum || k.choices.Float64() < t.subSum/t.sum {
		t.sample, t.candidate = t.candidate, t.sample
	}
	k.pool.dropPoint(t.candidate)
	t.candidate = point{}
	t.sum += t.subSum
	return k.persists(turns)
}
