package attack

import (
	"math/bits"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A fit by quadrature draws no noise. In every iteration a client sends the mean of z, and is answered the
// expected slope of the likelihood, so that mean − ρ²·slope tends to the mean of the cut as the fit settles;
// it is that mean where ρ = 0. At the end, where draws are corrected, the cuts at the draws cross themselves.

// A bare is what crosses without noise of one cut in such a fit: of the iterates the newest alone counts, and
// the mean over draws replaces it.
type bare struct {
	mean      []float64
	snapshots [][]float64 // mean after 1, 2, 4, … iterates
	draws     int         // cuts at draws that mean is over; 0: it is of an iterate
}

// mostBareSnapshots bounds the powers of two: after 2^(mostBareSnapshots-1) iterates there are no more
// snapshots.
const mostBareSnapshots = 16

func newBare(n int) *bare {
	b := &bare{mean: make([]float64, n)}
	for range mostBareSnapshots {
		b.snapshots = append(b.snapshots, make([]float64, n))
	}
	return b
}

// AtFinalDraws reports whether an exchange brings cuts at draws from what has been fitted: the answer is no
// part of the fit then.
func AtFinalDraws(x *density.Exchange) bool {
	here := density.Circumstance{}
	return x.Up.Shows(here) == density.CutAtDraws && x.Down.Shows(here) == density.Nothing
}

// here is what decides which contents a message carries.
func (r *Recorder) here() density.Circumstance {
	return density.Circumstance{AtClients: r.plan.AtClients, Exact: r.plan.Exact}
}

// Relayed implements session.Watcher. Of fits that share a round trip the first is followed, until there are
// draws, which say more than iterates.
func (r *Recorder) Relayed(x *density.Exchange, fit, columns int, up [][][]float64, sum, down [][]float64) {
	for _, v := range r.variances {
		v.Relayed(x, fit, columns, sum, down)
	}
	beside := r.latest == x && fit > r.fit
	if r.fit = fit; beside {
		return
	}
	shown, answered := x.Up.Shows(r.here()), x.Down.Shows(r.here())
	for _, v := range r.views {
		if v.members != nil {
			continue // follows from these
		}
		answer, sent := down[v.of.group], r.contribution(v, up, sum)
		if sent == nil {
			continue
		}
		r.keepDraws(v, x, columns, sent)
		switch {
		case fit > 0 && v.bare.draws > 0:
		case shown == density.CutAtDraws:
			v.atDraws(columns, sent, answered == density.Nothing && r.latest == x)
		case shown == density.CutThenVector && r.latest != x:
			n := len(sent) / columns
			v.atIterate(sent[(columns-2)*n:]) // the mean of the cut itself
		case shown == density.MeanOfZ:
			v.atIterate(sent)
			if answered == density.SlopeByZ && !v.blind {
				v.less(answer, 1)
			}
		case v.blind:
		case shown == density.SlopeByZ && answered == shown: // where the clients evaluate the likelihood
			v.less(answer, 1)
			if len(v.covers) == 1 {
				v.less(sent, -1) // its own; of a masked sum rho is without them
			}
		}
	}
	r.latest = x
	if answered != density.Nothing {
		r.markIterate()
	}
}

func (r *Recorder) markIterate() {
	r.fits++
	k := bits.Len(uint(r.fits)) - 1
	if r.fits != 1<<k || k >= mostBareSnapshots {
		return
	}
	for _, v := range r.views {
		if v.members == nil {
			copy(v.bare.snapshots[k], v.bare.mean)
		}
	}
}

// atIterate takes a mean.
func (v *view) atIterate(sent []float64) {
	v.bare.draws = 0
	for k, e := range v.picks {
		v.bare.mean[k] = sent[e]
	}
}

// less takes off ρ² times some slopes, the first column, as often as is said.
func (v *view) less(slope []float64, times float64) {
	scale := v.of.rho * v.of.rho * times
	for k, e := range v.picks {
		v.bare.mean[k] -= float64(scale * slope[e])
	}
}

// atDraws takes cuts at draws, column after column, or a further piece of them.
func (v *view) atDraws(columns int, cuts []float64, more bool) {
	b, n := v.bare, len(cuts)/columns
	if !more {
		clear(b.mean)
		b.draws = 0
	}
	vec.Scale(len(b.mean), b.mean, b.mean, float64(b.draws))
	for c := range columns {
		for k, e := range v.picks {
			b.mean[k] += cuts[c*n+e]
		}
	}
	b.draws += columns
	vec.Scale(len(b.mean), b.mean, b.mean, 1/float64(b.draws))
}

func (b *bare) state(c *backends.Codec, snapshots int) {
	c.Ints(&b.draws)
	c.Floats(b.mean)
	for _, m := range b.snapshots[:snapshots] {
		c.Floats(m)
	}
}

// newest is what crossed last; of a sum the sum of what its members sent. One kernel fits, whatever the
// number of chains.
func (e *evidence) newest() []float64 { return e.bareMean(func(b *bare) []float64 { return b.mean }) }

func (e *evidence) bareMean(of func(*bare) []float64) []float64 {
	out := make([]float64, len(e.center))
	for _, v := range e.views[0].each() {
		vec.Accumulate(len(out), out, of(v.bare))
	}
	return out
}

// iterates compares after each power of two of iterates.
func (e *evidence) iterates() []Interim {
	out := []Interim{}
	for k := 0; k < mostBareSnapshots && 1<<k <= e.fits; k++ {
		out = append(out, Interim{1 << k, e.compare(e.bareMean(func(b *bare) []float64 {
			return b.snapshots[k]
		}))})
	}
	return out
}
