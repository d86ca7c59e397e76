package nuts

import (
	"context"
	"math"
	"math/bits"

	"github.com/vflc/vflc/backends"
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
	eps    float64
	ends   [2]point   // backward, forward in time
	edges  [2]*vector // momenta there
	sum    *vector    // of all momenta
	logSum float64    // of all weights exp(H₀ − H)
	sample point
	depth  int
	stack  []run // of the subtree in the making: complete runs that wait for their right halves, 2^k states each, k falling

	leapfrogs int
	divergent bool
	metro     float64 // Σ min(1, exp(H₀ − H))
	symmetric float64 // Σ 2min(1, w)/(1 + w), w = exp(H₀ − H)
}

// transition makes one step of the chain: k.now becomes the next draw.
func (k *chain) transition(ctx context.Context) error {
	k.choices.Round(uint64(k.done))
	k.plant()
	for grows := true; grows && k.tree.depth < k.settings.Int(maxDepth); {
		dir := 0
		if k.choices.Float64() < 0.5 {
			dir = 1
		}
		var err error
		if grows, err = k.double(ctx, dir); err != nil {
			return err
		}
	}
	k.harvest()
	return nil
}

// plant begins a trajectory at the current point with a new momentum.
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
		eps: eps, stack: k.tree.stack[:0], sum: p.hold(),
		ends: [2]point{k.now.hold(), k.now.hold()}, edges: [2]*vector{p.hold(), p}, sample: k.now.hold(),
	}
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

// double doubles the trajectory forward (dir 1) or backward in time. It says whether the trajectory may grow further.
func (k *chain) double(ctx context.Context, dir int) (bool, error) {
	t := &k.tree
	eps := t.eps
	if dir == 0 {
		eps = -eps
	}
	at, edge := t.ends[dir].hold(), t.edges[dir].hold()
	size, logSum := 1<<t.depth, math.Inf(-1)
	var candidate point
	for i := range size {
		next, p, err := k.leapfrog(ctx, at, edge, eps)
		if err != nil {
			return false, err
		}
		k.pool.dropPoint(at)
		k.pool.drop(edge)
		at, edge = next, p

		merges := bits.TrailingZeros(uint(i + 1))
		r, n := k.close(runOf(p), merges)
		if i+1 == size {
			n = k.meet(dir, r, n)
		}
		if err := k.sum(ctx, n); err != nil {
			return false, err
		}
		if !k.weigh(&at) || !k.straight(merges) {
			return false, nil
		}
		t.stack = append(t.stack, r)

		w := k.weight(at)
		if logSum = logAdd(logSum, w); i == 0 || k.choices.Float64() < math.Exp(w-logSum) {
			k.pool.dropPoint(candidate)
			candidate = at.hold()
		}
	}
	return k.graft(dir, at, edge, candidate, logSum), nil
}

// leapfrog makes the state one step of size eps from a point with momentum p, and its momentum. The scalars that it brings are summed with what it
// closes.
func (k *chain) leapfrog(ctx context.Context, at point, p *vector, eps float64) (point, *vector, error) {
	next, to := point{q: k.pool.get(), g: k.pool.get(), index: at.index + 1}, k.pool.get()
	if eps < 0 {
		next.index = at.index - 1
	}
	for b, s := range k.shares {
		s.metric.drift(next.q.at[b], to.at[b], at.q.at[b], p.at[b], at.g.at[b], eps)
	}
	if err := k.evaluate(ctx, next); err != nil {
		return next, to, err
	}
	k.view(cap(k.part[0]))
	for b, s := range k.shares {
		part := k.part[b]
		part[kinetic] = 0.5 * s.metric.kick(to.at[b], to.extra[b], next.g.at[b], eps)
		part[logDensity], part[kineticStart] = k.logDensity(b), s.kinetic
	}
	return next, to, nil
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

// meet adds the products of the whole trajectory with its new half.
func (k *chain) meet(dir int, r run, n int) int {
	t := &k.tree
	sum := k.merge(run{t.edges[1-dir], t.edges[dir], t.sum}, r, n)
	k.pool.drop(t.sum)
	t.sum = sum
	return n + products
}

// merge writes the products of two neighbouring runs, from scalar n on, and returns the sum of their momenta.
func (k *chain) merge(l, r run, n int) *vector {
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

// weight is the log weight of a state of the trajectory.
func (k *chain) weight(at point) float64 { return k.total[kineticStart] - k.now.lp - at.h }

// weigh counts a new state and says whether the trajectory may go on from it.
func (k *chain) weigh(at *point) bool {
	t, gain := &k.tree, k.gain(at)
	t.leapfrogs++
	if gain < -maxError {
		t.divergent = true
		return false
	}
	w := math.Min(1, math.Exp(gain))
	t.metro += w
	if gain > 0 {
		t.symmetric += 2 / (1 + math.Exp(gain))
	} else {
		t.symmetric += 2 * w / (1 + w)
	}
	return true
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

// graft makes a complete subtree part of the trajectory: its candidate replaces the sample with the probability of biased progressive sampling. It
// says whether the whole has made no U-turn.
func (k *chain) graft(dir int, end point, edge *vector, candidate point, logSum float64) bool {
	t := &k.tree
	whole := closings + products*t.depth
	t.depth++
	k.pool.dropPoint(t.ends[dir])
	k.pool.drop(t.edges[dir])
	t.ends[dir], t.edges[dir] = end, edge
	root := t.stack[0]
	t.stack = t.stack[:0]
	k.pool.drop(root.first, root.last, root.sum)
	if logSum > t.logSum || k.choices.Float64() < math.Exp(logSum-t.logSum) {
		k.pool.dropPoint(t.sample)
		t.sample = candidate
	} else {
		k.pool.dropPoint(candidate)
	}
	t.logSum = logAdd(t.logSum, logSum)
	return k.persists(whole)
}

// logAdd is log(eᵃ + eᵇ); a may be −∞.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
