package nuts

import (
	"context"

	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/portable"
)

const (
	stanStart    = 1.0
	stanCrossing = 0.8 // acceptance at which the search for a step size ends
	stanLimit    = 1e7
	// The estimate of n draws is shrunk towards shrinkTo, as much as by shrinkDraws further draws.
	shrinkDraws = 5
	shrinkTo    = 1e-3
)

// stan warms up as Stan does: variances of draws over growing windows, after each of which the step size is
// found anew.
type stan struct {
	k       *chain
	step    adapt.StepSize
	windows adapt.Windows
	window  int
}

func (w *stan) begin(ctx context.Context) error { return w.find(ctx, stanStart) }

// resume keeps the metric of an earlier run until the end of the first window.
func (w *stan) resume() {
	w.step.Restart(w.k.eps)
	for _, s := range w.k.parties {
		s.estimate.foreground.reset()
	}
}

func (w *stan) find(ctx context.Context, from float64) error {
	eps, err := w.k.search(ctx, from, portable.Log(stanCrossing), stanLimit)
	if err != nil {
		return err
	}
	w.step.Restart(eps)
	w.k.eps = eps
	return nil
}

func (w *stan) learn(ctx context.Context) error {
	k := w.k
	w.step.Learn(k.last.Accept)
	k.eps = w.step.Current()
	if k.done > w.windows.Start && w.window < len(w.windows.Ends) {
		for b, s := range k.parties {
			s.estimate.foreground.add(k.now.q.at[b], k.now.g.at[b])
		}
		if k.done == w.windows.Ends[w.window] {
			w.window++
			for _, s := range k.parties {
				s.metric.fromDraws(&s.estimate.foreground)
				s.estimate.foreground.reset()
			}
			if err := w.find(ctx, k.eps); err != nil {
				return err
			}
		}
	}
	if k.done == k.settings.Int(Warmup) {
		k.eps = w.step.Final()
	}
	return nil
}

func (w *stan) state(c *checkpoint.Codec) {
	c.Float(w.step.State()...)
	c.Ints(&w.window)
}

// fromDraws sets the metric to the regularised variances of draws.
func (m *metric) fromDraws(e *estimate) {
	n := float64(e.draws.N)
	if n < 2 {
		return
	}
	keep, prior := n/(n+shrinkDraws)/(n-1), shrinkTo*shrinkDraws/(n+shrinkDraws)
	for i, s := range e.draws.Squares {
		m.set(i, float64(keep*s)+prior)
	}
	if m.full == nil {
		return
	}
	d := m.full
	for i := range d.n {
		for j := range i + 1 {
			c := float64(keep * e.drawMatrix.Products[i*d.n+j])
			if i == j {
				c += prior
			}
			d.work.a[i*d.n+j], d.work.a[j*d.n+i] = c, c
		}
	}
	d.set(d.work.a)
}
