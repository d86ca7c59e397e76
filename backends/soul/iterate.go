package soul

import "math"

// An iterate is the vector that a party moves towards the maximum of L.
type iterate struct {
	x    []float64
	grad []float64 // the estimate of ∂L/∂x
	dir  []float64 // the metric times grad
	// the last point that was kept, the direction taken from there, and grad·dir there
	old, oldDir []float64
	oldSlope    float64
	recent      float64      // running mean of grad·dir
	undoneSlope float64      // grad·dir where the last step was undone, 0 if it was not
	damping     float64      // factor of the steps, less than 1 after overshooting
	mean        []float64    // of x over the averaged iterations
	first, then []float64    // sums of grad: over a batch, and over all of a phase
	windows     [3][]float64 // sums of x over three stretches of the climb
	slopes      float64      // sum of grad·dir: over iterations, later over batches
	half        []float64    // the mean when it was looked at before
	kept        bool         // the last point was kept
	// short makes that no step moves a coordinate by more than 1 + |x|/10: its metric is measured at one θ,
	// and may be far too long at another.
	short bool
}

func newIterate(n int) iterate {
	v := make([]float64, 12*n)
	take := func() []float64 {
		part := v[:n:n]
		v = v[n:]
		return part
	}
	return iterate{
		x: take(), grad: take(), dir: take(), old: take(), oldDir: take(), mean: take(), first: take(),
		then: take(), half: take(),
		windows: [3][]float64{take(), take(), take()}, damping: 1,
	}
}

// A step is undone where the slope along it has changed sign and grown, which takes a curvature of twice the
// metric's, and the square of the gradient exceeds its running mean by this factor: noise alone seldom does
// both, and its cost is a shorter step for a while.
const overshoot = 4

// recentWeight is the weight of the newest square in their running mean.
const recentWeight = 0.1

// recovery is by how much steps grow again with every point that is kept: much less than they shrink, so that
// steps that are a little too long for a while come after many that contract.
const recovery = 1.03

// checkStep decides whether the point where grad was evaluated, with dir from it, is kept. If not, x returns
// to the last point that was, and moves half the step from there. Where that hardly shortens the gradient it
// was not the step that made it long, but what other parties did meanwhile, and the point is kept after all.
func (it *iterate) checkStep() {
	now := dot(it.grad, it.dir)
	overshot := dot(it.grad, it.oldDir) < -it.oldSlope && now > overshoot*it.recent
	unrelated := it.undoneSlope > 0 && now > 0.5*it.undoneSlope
	it.kept = finite(now) && (!overshot || unrelated)
	if !it.kept {
		it.takeBack(now)
		return
	}
	switch {
	case unrelated:
		it.damping = 1
		it.recent = now
	case it.recent == 0:
		it.recent = now
	}
	it.undoneSlope = 0
	it.damping = min(1, recovery*it.damping)
	it.recent += float64(recentWeight * (now - it.recent))
}

func (it *iterate) takeBack(now float64) {
	it.undoneSlope = now
	it.damping *= 0.5
	it.oldSlope *= 0.5
	copy(it.x, it.old)
	for i := range it.oldDir {
		it.oldDir[i] *= 0.5
		it.x[i] += it.oldDir[i]
	}
}

// step moves x by a multiple of dir. Without a finite direction it stays.
func (it *iterate) step(size float64) {
	slope := dot(it.grad, it.dir)
	if !finite(slope + square(it.dir)) {
		return
	}
	copy(it.old, it.x)
	by := size * it.damping
	if it.short {
		for i, d := range it.dir {
			by = min(by, (1+float64(0.1*math.Abs(it.x[i])))/math.Abs(d))
		}
	}
	for i, d := range it.dir {
		it.oldDir[i] = by * d
		it.x[i] += float64(by * d)
	}
	it.oldSlope = by * slope
}

// onward is the inner product of the moves from window to window, the square of the second, and that of the
// last mean.
func (it *iterate) onward(counts [3]int) (product, moved, length float64) {
	a, b, c := 1/float64(counts[0]), 1/float64(counts[1]), 1/float64(counts[2])
	for i, v := range it.windows[0] {
		first, second, third := float64(a*v), float64(b*it.windows[1][i]), float64(c*it.windows[2][i])
		product += float64((second - first) * (third - second))
		moved += float64((third - second) * (third - second))
		length += float64(third * third)
	}
	return product, moved, length
}

// shiftWindows makes the two new windows the old one.
func (it *iterate) shiftWindows() {
	w := it.windows
	for i := range w[0] {
		w[0][i] = w[1][i] + w[2][i]
		w[1][i], w[2][i] = 0, 0
	}
}

// average includes x as the k-th member of the mean.
func (it *iterate) average(k int) {
	w := 1 / float64(k)
	for i, v := range it.x {
		it.mean[i] += float64(w * (v - it.mean[i]))
	}
}
