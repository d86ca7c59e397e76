package nuts

import (
	"context"

	"github.com/vflc/vflc/backends"
)

// A tuner is a way to warm up: it sets the metric of every party and the step size. What it decides for all
// parties follows from counts and totals.
type tuner interface {
	begin(ctx context.Context) error // at the starting point
	learn(ctx context.Context) error // after each transition of the warm-up
	resume()                         // instead of begin, where an earlier run ended
	state(c *backends.Codec)
}

func newTuner(k *chain) tuner {
	if k.settings.Plan.Initial != "" {
		return newTogether(k)
	}
	step := stepSize{Target: k.settings.Float(targetAccept)}
	warmup := k.settings.Int(Warmup)
	step.Limit = longestEarly
	return &fisher{k: k, step: step, schedule: newSwitches(warmup)}
}

// estimates are moments of draws and gradients of one party's own block: the foreground in use and the
// background that replaces it. Chains that warm up together have the former alone.
type estimates struct{ foreground, background estimate }

type estimate struct {
	draws, gradients       *moments
	drawMatrix, gradMatrix *covariance // of the dense part; nil without
}

func newEstimates(dim, full int, both bool) estimates {
	var e estimates
	e.foreground = newEstimate(dim, full)
	if both {
		e.background = newEstimate(dim, full)
	}
	return e
}

func newEstimate(dim, full int) estimate {
	e := estimate{draws: newMoments(dim), gradients: newMoments(dim)}
	if full > 0 {
		e.drawMatrix, e.gradMatrix = newCovariance(full), newCovariance(full)
	}
	return e
}

// add includes a draw and its gradient in both.
func (e *estimates) add(q, g []float64) {
	e.foreground.add(q, g)
	e.background.add(q, g)
}

func (e *estimates) reset() {
	e.foreground.reset()
	e.background.reset()
}

func (e *estimate) add(q, g []float64) {
	e.draws.Add(q)
	e.gradients.Add(g)
	if e.drawMatrix != nil {
		e.addMatrices(q, g)
	}
}

func (e *estimate) addMatrices(q, g []float64) {
	n := len(e.drawMatrix.Mean)
	e.drawMatrix.Add(q[:n])
	e.gradMatrix.Add(g[:n])
}

// replace puts the moments of e, which are over the first coordinates of to and perhaps fewer draws, in the
// place of those of to.
func (e *estimate) replace(to *estimate) {
	share := float64(to.draws.N-1) / float64(e.draws.N-1)
	replaceMoments(to.draws.Mean, to.draws.Squares, e.draws.Mean, e.draws.Squares, share)
	replaceMoments(to.gradients.Mean, to.gradients.Squares, e.gradients.Mean, e.gradients.Squares, share)
	if e.drawMatrix == nil {
		return
	}
	replaceMoments(to.drawMatrix.Mean, to.drawMatrix.Products, e.drawMatrix.Mean, e.drawMatrix.Products,
		share)
	replaceMoments(to.gradMatrix.Mean, to.gradMatrix.Products, e.gradMatrix.Mean, e.gradMatrix.Products,
		share)
}

func replaceMoments(mean, products, byMean, byProducts []float64, share float64) {
	copy(mean, byMean)
	for i, v := range byProducts {
		products[i] = share * v
	}
}

func (e *estimate) reset() {
	e.draws.Reset()
	e.gradients.Reset()
	if e.drawMatrix != nil {
		e.drawMatrix.Reset()
		e.gradMatrix.Reset()
	}
}

func (e *estimate) state(c *backends.Codec) {
	if e.draws == nil {
		return
	}
	for _, m := range []*moments{e.draws, e.gradients} {
		c.Ints(&m.N)
		c.Floats(m.Mean)
		c.Floats(m.Squares)
	}
	if e.drawMatrix == nil {
		return
	}
	for _, m := range []*covariance{e.drawMatrix, e.gradMatrix} {
		c.Ints(&m.N)
		c.Floats(m.Mean)
		c.Floats(m.Products)
	}
}
