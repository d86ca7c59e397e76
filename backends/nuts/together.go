package nuts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
)

const (
	widening  = 1.5 // distance of a starting point from the mean of the approximation, in that of the draw it is taken from
	firstStep = 0.7 // in the metric of the approximation
	warmDepth = 4   // most doublings before the metric is that of the chains: all wait for the longest trajectory
	gain      = 1   // of the logarithm of the step size, in the acceptance statistic
)

// together warms up many chains with one metric and one step size. The metric begins as the covariance of an approximation, each party's own block; after a quarter and
// after three quarters of the warm-up the covariance of all chains' draws since then takes its place. The step size follows the mean acceptance statistic of all chains, which has so little noise that its
// logarithm moves by what the statistic is off (Robbins and Monro 1951); the one for the draws is the geometric mean over the last quarter. Every chain holds the same state, so
// that any of them can be restored alone.
type together struct {
	k      *chain
	ends   [2]int // transitions after which the metric is renewed
	warmup int
	log    float64 // of the step size
	sum    float64 // of it since the last end
}

func newTogether(k *chain) *together {
	warmup := k.settings.Int(Warmup)
	return &together{k: k, ends: [2]int{(warmup + 3) / 4, warmup - warmup/4}, warmup: warmup}
}

// checkInitial refuses settings that do not fit chains that begin near an approximation.
func checkInitial(s backends.Settings) error {
	p := s.Plan
	switch {
	case p.Initial == "" && s.Differs(superchains):
		return fmt.Errorf("--%s is for chains that begin near an approximation: set --%s", superchains, initial)
	case p.Initial == "":
		return nil
	case p.Superchains > p.Chains || p.Chains%p.Superchains != 0:
		return fmt.Errorf("--%s %d: they cannot share %d starting points evenly (--%s)", Chains, p.Chains, p.Superchains, superchains)
	case s.Differs(adaptation):
		return fmt.Errorf("--%s is for chains that warm up alone: with --%s they warm up together", adaptation, initial)
	case s.Bool(centered):
		return fmt.Errorf("--%s: with --%s chains begin at noise of auxiliary variables, and %s ones have none", centered, initial, centered)
	}
	return nil
}

// Begin implements backends.Joint.
func (k *chain) Begin(ctx context.Context, from backends.Start) error {
	for b, s := range k.parties {
		of := newEstimate(s.block.Dim(), s.metric.split())
		for _, draw := range from.Draws[b] {
			of.addDraw(draw)
		}
		at := k.now.q.at[b]
		for i, mean := range of.draws.Mean {
			at[i] = mean + widening*(from.Draws[b][from.At][i]-mean)
		}
		from.Noise[b].FillNormals(at[s.block.Dim():])
		s.metric.fromCovariance(&of, 0)
	}
	ok, err := k.evaluateStart(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("nuts: the log density or its gradient is not finite at a starting point near the approximation: %s", k.why())
	}
	return k.tuner.begin(ctx)
}

// Learn implements backends.Joint.
func (k *chain) Learn(all []backends.Kernel) {
	statistic := 0.0
	for _, other := range all {
		statistic += other.(*chain).last.Accept / float64(len(all))
	}
	if slices.Contains(k.tuner.(*together).ends[:], k.done) {
		for b := range k.parties {
			poolMetric(all, b)
		}
	}
	for _, other := range all {
		other.(*chain).tuner.(*together).step(statistic)
	}
}

// poolMetric makes the covariance of all chains' draws the metric of a party, drawn to the one before as by as many draws as it has dimensions.
func poolMetric(all []backends.Kernel, b int) {
	first := all[0].(*chain).parties[b]
	pooled := &first.estimate.foreground
	for _, other := range all[1:] {
		pooled.join(&other.(*chain).parties[b].estimate.foreground)
	}
	if pooled.draws.N < 2 {
		return
	}
	first.metric.fromCovariance(pooled, float64(first.dim()))
	for _, other := range all[1:] {
		other.(*chain).parties[b].metric.copy(&first.metric)
	}
}

// step moves the step size by an acceptance statistic.
func (t *together) step(statistic float64) {
	k := t.k
	t.log = min(t.log+gain*(statistic-k.settings.Float(targetAccept)), math.Log(math.Pi))
	last := t.ends[1]
	if k.done > last {
		t.sum += t.log
	}
	k.eps = math.Exp(t.log)
	if k.done == t.warmup && t.warmup > last {
		k.eps = math.Exp(t.sum / float64(t.warmup-last))
	}
	t.limit()
}

// limit sets how deep the trees of the next transition may be.
func (t *together) limit() {
	t.k.depth = t.k.settings.Int(maxDepth)
	if t.k.done < t.ends[1] {
		t.k.depth = min(t.k.depth, warmDepth)
	}
}

func (t *together) begin(context.Context) error {
	t.log = math.Log(firstStep)
	t.k.eps = firstStep
	t.limit()
	return nil
}

// learn gathers the newest draw, after those of an earlier metric are removed; Learn does what concerns all chains.
func (t *together) learn(context.Context) error {
	k := t.k
	for b, s := range k.parties {
		if k.done == t.ends[0]+1 {
			s.estimate.foreground.reset()
		}
		s.estimate.foreground.add(k.now.q.at[b], k.now.g.at[b])
	}
	return nil
}

func (t *together) resume() {}

func (t *together) state(c *checkpoint.Codec) {
	c.Float(&t.log, &t.sum)
	t.limit()
}

// addDraw includes a draw of the leading coordinates, without a gradient.
func (e *estimate) addDraw(q []float64) {
	e.draws.Add(q)
	if e.drawMatrix != nil {
		e.drawMatrix.Add(q)
	}
}

// join includes the draws of another estimate.
func (e *estimate) join(o *estimate) {
	e.draws.Join(o.draws)
	if e.drawMatrix != nil {
		e.drawMatrix.Join(o.drawMatrix)
	}
}

// fromCovariance sets the metric of the coordinates of an estimate to their covariance, drawn to the metric before as by so many draws.
func (m *metric) fromCovariance(e *estimate, before float64) {
	keep := 1 / (float64(e.draws.N-1) + before)
	for i, s := range e.draws.Squares {
		m.set(i, keep*(s+before*m.inverse[i]))
	}
	if m.full == nil {
		return
	}
	d := m.full
	for i := range d.n {
		for j := range i + 1 {
			c := keep * (e.drawMatrix.Products[i*d.n+j] + before*d.inverse[i*d.n+j])
			d.work.a[i*d.n+j], d.work.a[j*d.n+i] = c, c
		}
	}
	d.set(d.work.a)
}

// copy makes the metric that of another.
func (m *metric) copy(o *metric) {
	copy(m.inverse, o.inverse)
	copy(m.root, o.root)
	if m.full != nil {
		copy(m.full.inverse, o.full.inverse)
		copy(m.full.root, o.full.root)
	}
}
