package sfvi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
)

// mostRestarts is the largest number of fits that one run compares.
const mostRestarts = 1000

// A restarted is several fits one after another, each from a starting point of its own, of which it is in the end the one with the greatest final ELBO. All have the same
// noise, so that their ELBOs differ by where they ended and little else. That ELBO is a total over the parties: each of them keeps the same fit.
type restarted struct {
	env      density.Env
	settings backends.Settings
	fit      backends.Kernel // the current one, or the best when all are done
	number   int             // of the current one; when all are done, how many there are
	before   int             // iterations of those before it
	length   int             // of the current one, so far
	best     int
	elbos    []backends.Estimate // of those that are done
	saved    []byte              // the best of these
}

func newRestarted(env density.Env, s backends.Settings) (backends.Kernel, error) {
	fit, err := newFitFrom(env, s, 0)
	if err != nil {
		return nil, err
	}
	return &restarted{env: env, settings: s, fit: fit}, nil
}

// Init implements backends.Kernel.
func (k *restarted) Init(ctx context.Context) error { return k.fit.Init(ctx) }

// Step does one of the current fit. After the last of a fit the next one begins.
func (k *restarted) Step(ctx context.Context) (backends.Info, error) {
	i, err := k.fit.Step(ctx)
	if err != nil || k.number == k.settings.Int(restarts) {
		return k.told(i), err
	}
	if i.Phase != backends.Evaluation {
		k.length = i.Iteration
	}
	if !i.Done {
		return k.told(i), nil
	}
	if err := k.keep(i.Fit.Final); err != nil {
		return i, err
	}
	if k.number++; k.number < k.settings.Int(restarts) {
		k.before, k.length = k.before+k.length, 0
		if k.fit, err = newFitFrom(k.env, k.settings, k.number); err != nil {
			return i, err
		}
		i.Done, i.Draws = false, 0
		return k.told(i), k.fit.Init(ctx)
	}
	if k.best != k.number-1 {
		if k.fit, err = k.bestFit(); err != nil {
			return i, err
		}
		if i, err = k.fit.Step(ctx); err != nil { // it is done: this tells what it was
			return i, err
		}
	}
	k.saved = nil
	return k.told(i), nil
}

// keep takes in the ELBO of the current fit, and saves the fit where it is the best so far.
func (k *restarted) keep(elbo backends.Estimate) error {
	k.elbos = append(k.elbos, elbo)
	if k.number > 0 && !(height(elbo) > height(k.elbos[k.best])) {
		return nil
	}
	k.best = k.number
	var b bytes.Buffer
	err := k.fit.Save(&b)
	k.saved = b.Bytes()
	return err
}

// height is the ELBO that fits are compared by: −∞ where it is not known.
func height(e backends.Estimate) float64 {
	if e.N == 0 || math.IsNaN(e.Value) {
		return math.Inf(-1)
	}
	return e.Value
}

// bestFit is the best one, as it was saved.
func (k *restarted) bestFit() (backends.Kernel, error) {
	fit, err := newFitFrom(k.env, k.settings, k.best)
	if err != nil {
		return nil, err
	}
	return fit, fit.Load(bytes.NewReader(k.saved))
}

// told is what a Step tells, with the iterations of all fits.
func (k *restarted) told(i backends.Info) backends.Info {
	if i.Phase != backends.Evaluation {
		i.Iteration += k.before
		i.Iterations += k.before + (k.settings.Int(restarts)-k.number-1)*k.settings.Int(iterations)
	}
	return i
}

// Restarts implements backends.Restarted.
func (k *restarted) Restarts() []backends.Estimate { return k.elbos }

// Draw implements backends.Kernel.
func (k *restarted) Draw(id int, theta [][]float64) { k.fit.Draw(id, theta) }

// Auxiliary implements backends.Kernel.
func (k *restarted) Auxiliary(ctx context.Context, id int, z [][]float64) error {
	return k.fit.Auxiliary(ctx, id, z)
}

// Ratios implements backends.Weighted.
func (k *restarted) Ratios() []float64 {
	if k.number < k.settings.Int(restarts) {
		return nil
	}
	return k.fit.(backends.Weighted).Ratios()
}

// Correctable implements backends.Weighted.
func (k *restarted) Correctable() (bool, error) { return k.fit.(backends.Weighted).Correctable() }

// Save implements backends.Kernel.
func (k *restarted) Save(w io.Writer) error {
	var current bytes.Buffer
	if err := k.fit.Save(&current); err != nil {
		return err
	}
	text := current.Bytes()
	return checkpoint.Save(w, k.heading(), func(c *checkpoint.Codec) { k.state(c, &text) })
}

// Load implements backends.Kernel.
func (k *restarted) Load(r io.Reader) error {
	var text []byte
	if err := checkpoint.Load(r, k.heading(), func(c *checkpoint.Codec) { k.state(c, &text) }); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	number := k.number
	if number == k.settings.Int(restarts) {
		number = k.best
	}
	var err error
	if k.fit, err = newFitFrom(k.env, k.settings, number); err != nil {
		return err
	}
	return k.fit.Load(bytes.NewReader(text))
}

func (k *restarted) heading() string {
	return fmt.Sprintf("vflc sfvi restarts checkpoint 1: %s", k.settings)
}

// state carries what Load needs beside the current fit, and that.
func (k *restarted) state(c *checkpoint.Codec, current *[]byte) {
	done := len(k.elbos)
	c.Ints(&k.number, &k.before, &k.length, &k.best, &done)
	if done < 0 || done > k.settings.Int(restarts) || k.number < 0 || k.number > k.settings.Int(restarts) || k.best < 0 || k.best >= max(1, done) {
		c.Fail(fmt.Errorf("it has %d fits of %d", done, k.settings.Int(restarts)))
		return
	}
	if len(k.elbos) != done {
		k.elbos = make([]backends.Estimate, done)
	}
	for i := range k.elbos {
		carryEstimate(c, &k.elbos[i])
	}
	c.Bytes(&k.saved)
	c.Bytes(current)
}
