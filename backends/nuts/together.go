package nuts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
)

const (
	// distance of a starting point from the mean of the approximation, in that of the draw it is taken from
	widening  = 1.5
	firstStep = 0.7 // in the metric of the approximation
	gain      = 1   // of the logarithm of the step size, in the acceptance statistic
)

// together warms up many chains with one metric and one step size. The metric begins as the covariance of an
// approximation, each party's own block; the covariance of all chains' draws in the second third of the
// warm-up replaces it. The step size follows the mean acceptance statistic of all chains, which has so little
// noise that its logarithm moves by what the statistic is off (Robbins and Monro 1951); the one for the draws
// is the geometric mean over the last third. Every chain holds the same state, so that any of them can be
// restored alone.
type together struct {
	k           *chain
	from, until int // transitions between which draws are gathered for the metric
	warmup      int
	log         float64 // of the step size
	sum         float64 // of it over the last third
}

func newTogether(k *chain) *together {
	warmup := k.settings.Int(Warmup)
	return &together{k: k, from: warmup / 3, until: warmup - warmup/3, warmup: warmup}
}

// checkInitial refuses settings that do not fit chains that begin near an approximation.
func checkInitial(s backends.Settings) error {
	p := s.Plan
	switch {
	case p.Initial == "" && s.Differs(superchains):
		return fmt.Errorf("--%s is for chains that begin near an approximation: set --%s", superchains,
			initial)
	case p.Initial == "":
		return nil
	case p.Superchains > p.Chains || p.Chains%p.Superchains != 0:
		return fmt.Errorf("--%s %d: they cannot share %d starting points evenly (--%s)", Chains, p.Chains,
			p.Superchains, superchains)
	}
	return nil
}

// Begin implements backends.Joint.
func (k *chain) Begin(ctx context.Context, from backends.Start) error {
	for b, s := range k.parties {
		draws := from.Draws[b]
		if s.centring != nil {
			draws = s.centring.near(draws)
		}
		of := newEstimate(s.block.Dim(), s.metric.split())
		for _, draw := range draws {
			of.addDraw(draw)
		}
		at := k.now.q.at[b]
		for i, mean := range of.draws.Mean {
			at[i] = mean + float64(widening*(draws[from.At][i]-mean))
		}
		from.Noise[b].FillNormals(at[s.block.Dim():])
		s.metric.fromCovariance(&of, 0)
	}
	ok, err := k.evaluateStart(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return backends.NotFinite(k.env, false,
			"nuts: the log density or its gradient is not finite at a starting point near the approximation")
	}
	return k.tuner.begin(ctx)
}

// Learn implements backends.Joint.
func (k *chain) Learn(all []backends.Kernel) {
	statistic := 0.0
	for _, other := range all {
		statistic += other.(*chain).last.Accept / float64(len(all))
	}
	if k.done == k.tuner.(*together).until {
		for b := range k.parties {
			poolMetric(all, b)
		}
	}
	for _, other := range all {
		other.(*chain).tuner.(*together).step(statistic)
	}
}

// poolMetric makes the covariance of all chains' draws the metric of a party, drawn to the one before as by
// as many draws as it has dimensions.
func poolMetric(all []backends.Kernel, b int) {
	first := all[0].(*chain).parties[b]
	pooled := &first.estimate.foreground
	for _, other := range all[1:] {
		pooled.join(&other.(*chain).parties[b].estimate.foreground)
	}
	if pooled.draws.N < 2 {
		return
	}
	if first.centring != nil {
		recentreAll(all, b)
	}
	first.metric.fromCovariance(pooled, float64(first.dim()))
	for _, other := range all[1:] {
		other.(*chain).parties[b].metric.copy(&first.metric)
	}
}

// recentreAll chooses a party's coordinates by the newest draws of all chains. The estimate of the first,
// which has the draws of all, goes over to them, and the metric, for what the estimate is drawn to.
func recentreAll(all []backends.Kernel, b int) {
	first := all[0].(*chain).parties[b]
	c := first.centring
	*c.kept = pooledDraws(all, b)
	if n := c.kept.len(); n < fisherDraws || !c.chooseByKept(n) {
		return
	}
	d := first.block.Dim()
	c.trial.replace(&first.estimate.foreground)
	for i, v := range c.trial.draws.Squares {
		first.metric.set(i, v/float64(c.trial.draws.N-1))
	}
	first.metric.diagonal()
	to := slices.Clone(c.at)
	for _, other := range all {
		k := other.(*chain)
		k.parties[b].centring.move(to, k.now.q.at[b][:d], k.now.g.at[b][:d])
	}
}

// pooledDraws are the newest draws of all chains, and takes them away from these.
func pooledDraws(all []backends.Kernel, b int) keptRing {
	pooled := keptRing{dim: all[0].(*chain).parties[b].block.Dim()}
	for n := all[0].(*chain).parties[b].centring.kept.len(); n > 0; n-- {
		for _, other := range all {
			q, g := pooled.add()
			theta, by := other.(*chain).parties[b].centring.kept.newest(n)
			copy(q, theta)
			copy(g, by)
		}
	}
	for _, other := range all {
		other.(*chain).parties[b].forget()
	}
	return pooled
}

// step moves the step size by an acceptance statistic.
func (t *together) step(statistic float64) {
	k := t.k
	t.log = min(t.log+float64(gain*(statistic-k.settings.Float(targetAccept))), portable.Log(math.Pi))
	if k.done > t.until {
		t.sum += t.log
	}
	k.eps = portable.Exp(t.log)
	if k.done == t.warmup && t.warmup > t.until {
		k.eps = portable.Exp(t.sum / float64(t.warmup-t.until))
	}
}

func (t *together) begin(context.Context) error {
	t.log = portable.Log(firstStep)
	t.k.eps = firstStep
	return nil
}

// learn gathers the newest draw; Learn does what concerns all chains.
func (t *together) learn(context.Context) error {
	if k := t.k; k.done > t.from && k.done <= t.until {
		for b, s := range k.parties {
			s.estimate.foreground.add(k.now.q.at[b], k.now.g.at[b])
			s.keep(k.now.q.at[b], k.now.g.at[b])
		}
	}
	return nil
}

func (t *together) resume() {}

func (t *together) state(c *backends.Codec) { c.Float(&t.log, &t.sum) }

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

// fromCovariance sets the metric of the coordinates of an estimate to their covariance, drawn to the metric
// before as by so many draws.
func (m *metric) fromCovariance(e *estimate, before float64) {
	keep := 1 / (float64(e.draws.N-1) + before)
	for i, s := range e.draws.Squares {
		m.set(i, keep*(s+float64(before*m.inverse[i])))
	}
	if m.full == nil {
		return
	}
	d := m.full
	for i := range d.n {
		for j := range i + 1 {
			c := keep * (e.drawMatrix.Products[i*d.n+j] + float64(before*d.inverse[i*d.n+j]))
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
