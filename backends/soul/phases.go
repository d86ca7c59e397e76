package soul

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// rest estimates the gradient at the start.
func (k *kernel) rest(ctx context.Context) error {
	if err := k.gradient(ctx); err != nil {
		return err
	}
	k.iter++
	if k.local++; k.local <= unsteady {
		return nil
	}
	for _, p := range k.parties {
		p.apply(p.dir, p.grad)
		p.slopes += dot(p.grad, p.dir)
		add(p.then, p.grad)
	}
	if k.local < unsteady+restingFor && k.iter < k.check/2 {
		return nil
	}
	n := float64(k.local - unsteady)
	if err := k.sum(ctx, func(p *party, part []float64) {
		p.apply(p.dir, p.then)
		part[0], part[1] = dot(p.then, p.dir)/(n*n), p.slopes
	}); err != nil {
		return err
	}
	k.noise = max(0, (k.total[1]-float64(n*k.total[0]))/max(1, n-1))
	k.square = max(k.total[0]-k.noise/n, 0.01*k.total[0])
	if !finite(k.square + k.noise) {
		return backends.NotFinite(k.env, false, "soul: the gradient at the start is not finite")
	}
	k.enter(climbing)
	k.forget()
	return nil
}

// forget empties the sums of gradients.
func (k *kernel) forget() {
	for _, p := range k.parties {
		clear(p.first)
		clear(p.then)
		p.slopes = 0
	}
}

// climb is an iteration with constant steps.
func (k *kernel) climb(ctx context.Context) error {
	if err := k.gradient(ctx); err != nil {
		return err
	}
	for _, p := range k.parties {
		p.apply(p.dir, p.grad)
		p.checkStep()
	}
	k.iter++
	k.local++
	if k.dueForCurvature() {
		if err := k.curvature(ctx, false); err != nil {
			return err
		}
	}
	window := k.window()
	for _, p := range k.parties {
		if p.kept {
			p.apply(p.dir, p.grad)
			p.step(k.shareOf(p))
		}
		add(p.windows[window], p.x)
	}
	k.counts[window]++
	if k.iter < k.check {
		return nil
	}
	return k.compare(ctx)
}

// dueForCurvature: soon after the start, and then whenever the number of iterations has doubled.
func (k *kernel) dueForCurvature() bool {
	for due := 5; due <= k.local; due *= 2 {
		if due == k.local {
			return true
		}
	}
	return false
}

// window is the one that an iteration of the climb belongs to: of those since the last comparison the two
// halves are new windows, and what was new then is the old one. Before the first comparison the old one is
// the second quarter of all.
func (k *kernel) window() int {
	switch from, now := k.compared, k.iter; {
	case now > from+(k.check-from)*3/4 || from > 0 && now > from+(k.check-from)/2:
		return 2
	case from > 0 || now > k.check/2:
		return 1
	}
	return 0
}

// compare ends the climb where it no longer leads anywhere: the means of the iterates over three windows in a
// row go back rather than on, or hardly at all. What separates these means is the mean gradient, so this is
// where that has stopped shrinking; means of iterates show it through the noise, in the directions in which L
// is flat, which single gradients (Pflug 1990) do not.
func (k *kernel) compare(ctx context.Context) error {
	if err := k.sum(ctx, func(p *party, part []float64) {
		on, moved, length := p.onward(k.counts)
		if p.server() {
			part[3], part[4], part[5] = on, moved, length
		} else {
			part[0], part[1], part[2] = on, moved, length
		}
	}); err != nil {
		return err
	}
	relative := func(client, server float64) float64 {
		r := server / max(1, k.total[5])
		if k.total[2] > 0 {
			r += client / k.total[2]
		}
		return r
	}
	onward, moved := relative(k.total[0], k.total[3]), relative(k.total[1], k.total[4])
	longest := k.planned / longestClimb
	goal := k.settings.Float(tolerance)
	if onward > 0 && moved > goal*goal && k.iter < longest {
		for _, p := range k.parties {
			p.shiftWindows()
		}
		k.counts = [3]int{k.counts[1] + k.counts[2], 0, 0}
		k.compared, k.check = k.iter, min(2*k.check, longest)
		return nil
	}
	k.climbed = k.iter
	k.forget()
	k.check = min(k.iter+k.climbed+k.stride(), k.planned)
	k.enter(settling)
	return nil
}

// stride is how many iterations lie between two looks at the average.
func (k *kernel) stride() int { return max(50, k.climbed/4) }

// settle is an iteration with decaying steps.
func (k *kernel) settle(ctx context.Context) error {
	if err := k.gradient(ctx); err != nil {
		return err
	}
	k.iter++
	k.local++
	decay := portable.Pow(1+10*float64(k.local)/float64(k.climbed), -0.6)
	averaging := k.iter > 2*k.climbed
	if averaging {
		k.averaged++
	}
	for _, p := range k.parties {
		if averaging {
			p.average(k.averaged)
			if finite(square(p.grad)) {
				add(p.then, p.grad)
			}
		}
		p.apply(p.dir, p.grad)
		p.step(decay * k.shareOf(p))
	}
	if k.iter < k.check && k.iter < k.planned {
		return nil
	}
	return k.look(ctx)
}

// look ends the fit when the gradient at the average of the iterates is small, and the average has come to
// rest. Along the path noise and gradient cancel, since that is what makes the iterates stay; so the gradient
// at the average is the mean of all gradients less the mean of their noise, and the squares of both add up.
// In directions in which L is flat this gradient is no measure of the error. There it shows in how far the
// average has moved since the last look: with a of n iterations seen then, its variance is a/(n − a) of that
// distance squared.
func (k *kernel) look(ctx context.Context) error {
	n, seen := float64(k.averaged), float64(k.seen)
	if err := k.sum(ctx, func(p *party, part []float64) {
		p.apply(p.dir, p.then)
		part[0] = dot(p.then, p.dir)
		moved, length := distance(p.half, p.mean), square(p.mean)
		if p.server() {
			part[3], part[4] = moved, length
		} else {
			part[1], part[2] = moved, length
		}
	}); err != nil {
		return err
	}
	goal := k.settings.Float(tolerance)
	goal *= goal
	variance := seen / (n - seen)
	small := k.total[0]/(n*n)+k.noise/n <= goal*k.square
	still := k.seen > 0 && variance*k.total[1] <= goal*k.total[2] && variance*k.total[3] <= goal*max(1,
		k.total[4])
	if k.iter < k.planned && !(small && still) {
		k.seen = k.averaged
		for _, p := range k.parties {
			copy(p.half, p.mean)
		}
		k.check = min(k.iter+max(k.stride(), k.averaged/2), k.planned)
		return nil
	}
	for _, p := range k.parties {
		if k.averaged > 0 {
			copy(p.x, p.mean)
		}
	}
	k.planned = k.iter
	k.forget()
	k.enter(evaluating)
	return nil
}

func distance(a, b []float64) float64 {
	t := 0.0
	for i, v := range a {
		t += float64((v - b[i]) * (v - b[i]))
	}
	return t
}

// evaluateMode estimates the gradient at the result with fresh draws, in batches, so that the correlation of
// successive draws is in its standard error.
func (k *kernel) evaluateMode(ctx context.Context) error {
	if err := k.gradient(ctx); err != nil {
		return err
	}
	if k.local++; k.local <= unsteady {
		return nil
	}
	at := k.local - unsteady
	for _, p := range k.parties {
		add(p.first, p.grad)
		if at%(evaluatedFor/batches) == 0 {
			p.apply(p.dir, p.first)
			p.slopes += dot(p.first, p.dir)
			add(p.then, p.first)
			clear(p.first)
		}
	}
	if at < evaluatedFor {
		return nil
	}
	if err := k.sum(ctx, func(p *party, part []float64) {
		p.apply(p.dir, p.then)
		part[0], part[1] = dot(p.then, p.dir), p.slopes
	}); err != nil {
		return err
	}
	k.conclude(k.total[0], k.total[1])
	k.enter(sampling)
	return nil
}

// conclude sets the mode: the relative length of the gradient, and whether it converged, from the square of
// the sum of the batches and the sum of their squares.
func (k *kernel) conclude(whole, parts float64) {
	const b, n = batches, evaluatedFor
	noise := max(0, parts-whole/b) / (b - 1) * b / (n * n)
	value := math.Sqrt(max(0, whole/(n*n)-noise) / k.square)
	se := math.Sqrt(noise / k.square)
	k.mode = backends.Mode{Iterations: k.iter, Gradient: backends.MonteCarloMean{Value: value, SE: se, N: n}}
	k.mode.Converged = value < float64(2*k.settings.Float(tolerance))+float64(2*se)
}

// sample makes the next draw of every chain, without an exchange: what a client received last was of the same
// z and γ.
func (k *kernel) sample(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if k.stale {
		k.plain = plain{kernel: k}
		if err := density.Replay(k.env, func() error { return k.evaluate(ctx) }); err != nil {
			return err
		}
		k.stale = false
	}
	for _, p := range k.parties {
		if p.server() {
			continue
		}
		p.move(k.settings.Int(inner), false)
	}
	k.count()
	k.draws++
	if k.draws < k.settings.Int(draws) {
		return nil
	}
	if err := k.sum(ctx, func(*party, []float64) {}); err != nil {
		return err
	}
	k.enter(done)
	return nil
}

// Draw implements backends.Kernel. The draws of one Step are those of the chains in turn; of the server there
// is one point.
func (k *kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		if p.server() {
			copy(theta[b], p.x)
			continue
		}
		c := p.chains[id%len(p.chains)]
		if p.corrected {
			copy(theta[b], c.at.theta)
		} else {
			copy(theta[b], c.spare.theta)
		}
	}
}

// Auxiliary implements backends.Kernel: the z that L is greatest at, which all draws are given.
func (k *kernel) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for b, p := range k.parties {
		if !p.server() {
			copy(z[b], p.x)
		}
	}
	return nil
}

// info describes the state of the run.
func (k *kernel) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "fit", Iteration: k.iter, Iterations: k.planned, NonFinite: k.bad, Mode: k.mode}
	switch k.phase {
	case evaluating:
		if k.local > 0 {
			i.Phase, i.Iteration, i.Iterations = backends.Evaluation, k.local, unsteady+evaluatedFor
		}
	case sampling, done:
		i.Phase, i.Iteration, i.Iterations = "sampling", k.draws, k.settings.Int(draws)
	}
	i.Draws = k.draws * k.settings.Int(innerChains)
	i.Done = k.phase == done
	return i
}
