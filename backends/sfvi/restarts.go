package sfvi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

const (
	mostRestarts = 1000 // the largest number of fits that one run compares
	// fits where there may be several modes: see quadrature.Options.Start
	dispersed = 1 + quadrature.MostTogether
	// of those, such as end between two modes and have no covariance: others take their places
	mostFailed = 4
)

// A restarted is several fits, each from a starting point of its own, of which it is in the end the one with
// the greatest final ELBO, or that predicts rows that are held out best. All have the same noise, so that
// these differ by where they ended and little else. They are totals over the parties: each of them keeps the
// same fit. One goes on after another; by quadrature all but the first iterate together, and those that end
// where an earlier one has are not evaluated.
type restarted struct {
	env      density.Env
	settings backends.Settings
	fit      backends.Kernel // the current one, or the best when all are done
	number   int             // of that
	// fits that iterate together or, once all are at rest, are to be evaluated
	beside  []beside
	over    bool                      // all are done
	search  backends.Search           // what the fits that are done found, but for its places
	begun   int                       // how many have begun
	planned int                       // how many there will be
	before  int                       // iterations of those before the current ones
	length  int                       // of the current ones, so far
	elbos   []backends.MonteCarloMean // by number, of those that are done
	places  []ending                  // where these ended
}

func newRestarted(env density.Env, s backends.Settings) (backends.Kernel, error) {
	fit, err := newFitFrom(env, s, 0)
	if err != nil {
		return nil, err
	}
	k := &restarted{env: env, settings: s, fit: fit, begun: 1, planned: s.Int(restarts)}
	if k.searches() {
		k.planned = 1
	}
	return k, nil
}

// searches reports whether there are as many fits as it takes to look for modes, and not as many as are asked
// for.
func (k *restarted) searches() bool {
	return k.settings.Text(estimator) == byQuadrature || k.settings.Int(restarts) == 1
}

// Init implements backends.Kernel.
func (k *restarted) Init(ctx context.Context) error { return k.fit.Init(ctx) }

// Step does one of the current fit, or of those beside it. After the last of a fit the next one begins.
func (k *restarted) Step(ctx context.Context) (backends.StepInfo, error) {
	if k.iterating() != nil {
		return k.iterate(ctx)
	}
	i, err := k.fit.Step(ctx)
	failed := k.failed(err)
	if err != nil && !failed || k.over {
		return k.told(i), err
	}
	if i.Phase != backends.Evaluation {
		k.length = max(k.length, i.Iteration)
	}
	if !i.Done && !failed {
		return k.told(i), nil
	}
	if q, ok := k.fit.(interface{ Several() bool }); ok && k.searches() && q.Several() {
		k.planned = max(k.planned, dispersed)
	}
	if k.planned > 1 {
		if !failed {
			if failed, err = k.keep(ctx, &i.Fit); err != nil {
				return i, err
			}
		}
		k.count(k.number, &i.Fit, failed)
	}
	return k.next(ctx, i)
}

// next turns to the next fit, or to the best after the last.
func (k *restarted) next(ctx context.Context, i backends.StepInfo) (backends.StepInfo, error) {
	for len(k.beside) == 0 {
		if k.begun == k.planned {
			return k.finish(ctx, i)
		}
		i.Done, i.Draws = false, 0
		k.before, k.length = k.before+k.length, 0
		if q, ok := k.fit.(*quadrature.Kernel); ok {
			return k.told(i), k.begin(ctx, q.TogetherAtMost(k.planned-k.begun))
		}
		var err error
		if k.fit, err = newFitFrom(k.env, k.settings, k.begun); err != nil {
			return i, err
		}
		k.number, k.begun = k.begun, k.begun+1
		if err = k.fit.Init(ctx); err == nil || !k.failed(err) {
			return k.told(i), err
		}
		k.count(k.number, &backends.VariationalFit{}, true)
	}
	i.Done, i.Draws = false, 0
	k.fit, k.number, k.beside = k.beside[0].kernel, k.beside[0].number, k.beside[1:]
	return k.told(i), nil
}

// finish turns to the best fit.
func (k *restarted) finish(ctx context.Context, i backends.StepInfo) (backends.StepInfo, error) {
	k.over = true
	slices.SortStableFunc(k.places, func(a, b ending) int { return cmp.Compare(b.height, a.height) })
	if k.planned > 1 && len(k.places) == 0 {
		return i, fmt.Errorf("sfvi: none of %d fits from different starting points ended "+
			"at draws that are finite", k.begun)
	}
	if len(k.places) > 0 && k.places[0].number != k.number {
		if err := k.Select(0); err != nil {
			return i, err
		}
	}
	var err error
	if k.planned > 1 {
		i, err = k.fit.Step(ctx) // it is done: this tells what it was
	}
	return k.told(i), err
}

// failed reports whether an error ends the current fit alone: every party has it at this Step, and an earlier
// fit has found a place.
func (k *restarted) failed(err error) bool {
	if err == nil || len(k.places) == 0 {
		return false
	}
	var nowhere *backends.NotFiniteError
	var fit *backends.FitError
	return errors.As(err, &nowhere) || errors.As(err, &fit)
}

// count counts a fit that is done. By quadrature another takes the place of one that failed.
func (k *restarted) count(number int, end *backends.VariationalFit, failed bool) {
	k.search.Fits++
	for len(k.elbos) <= number {
		k.elbos = append(k.elbos, backends.MonteCarloMean{})
	}
	switch {
	case failed:
		k.search.Failed++
		if k.searches() && k.planned < dispersed+mostFailed {
			k.planned++
		}
		return
	case !end.Converged:
		k.search.Unconverged++
	}
	k.elbos[number] = end.Final
}

// told is what a Step tells, with the iterations of all fits.
func (k *restarted) told(i backends.StepInfo) backends.StepInfo {
	if i.Phase != backends.Evaluation {
		i.Iteration += k.before
		i.Iterations += k.before + (k.planned-k.begun)*k.settings.Int(iterations)
	}
	return i
}

// Restarts implements backends.Restarted.
func (k *restarted) Restarts() []backends.MonteCarloMean { return k.elbos }

// Search implements backends.Restarted.
func (k *restarted) Search() backends.Search {
	out := k.search
	if out.Places = len(k.places); out.Fits > 0 {
		out.Wanted = k.settings.Int(restarts)
		if k.searches() {
			out.Wanted = dispersed
		}
	}
	for _, m := range k.places {
		if m.mode {
			out.Modes = append(out.Modes, m.elbo)
		}
	}
	return out
}

// Select implements backends.Restarted.
func (k *restarted) Select(i int) (err error) {
	k.number = k.places[i].number
	if k.fit, err = newFitFrom(k.env, k.settings, k.number); err != nil {
		return err
	}
	return k.fit.Load(bytes.NewReader(k.places[i].saved))
}

// Draw implements backends.Kernel.
func (k *restarted) Draw(id int, theta [][]float64) { k.fit.Draw(id, theta) }

// Auxiliary implements backends.Kernel.
func (k *restarted) Auxiliary(ctx context.Context, id int, z [][]float64) error {
	return k.fit.Auxiliary(ctx, id, z)
}

// Ratios implements backends.Weighted.
func (k *restarted) Ratios() []float64 {
	if !k.over {
		return nil
	}
	return k.fit.(backends.Weighted).Ratios()
}

// Propose implements backends.Weighted.
func (k *restarted) Propose(on bool) { k.fit.(backends.Weighted).Propose(on) }

// Correctable implements backends.Weighted.
func (k *restarted) Correctable() (bool, error) { return k.fit.(backends.Weighted).Correctable() }

// Save implements backends.Kernel.
func (k *restarted) Save(w io.Writer) error {
	var texts [][]byte
	return backends.SaveState(w, k.heading(), func(c *backends.Codec) { k.state(c, &texts) })
}

// underWay are the current fit and those beside it.
func (k *restarted) underWay() []backends.Kernel {
	out := []backends.Kernel{k.fit}
	for _, f := range k.beside {
		out = append(out, f.kernel)
	}
	return out
}

// Load implements backends.Kernel.
func (k *restarted) Load(r io.Reader) (err error) {
	var texts [][]byte
	if err := backends.LoadState(r, k.heading(), func(c *backends.Codec) { k.state(c, &texts) }); err != nil {
		return fmt.Errorf("sfvi: %w", err)
	}
	if k.fit, err = newFitFrom(k.env, k.settings, k.number); err != nil {
		return err
	}
	for i := range k.beside {
		if k.beside[i].kernel, err = newQuadrature(k.env, settled(k.settings, nil),
			k.beside[i].number); err != nil {
			return err
		}
	}
	for i, fit := range k.underWay() {
		if err := fit.Load(bytes.NewReader(texts[i])); err != nil {
			return err
		}
	}
	return nil
}

func (k *restarted) heading() string {
	return fmt.Sprintf("vflc sfvi restarts checkpoint 5: %s", k.settings)
}

// state carries what Load needs beside the fits under way, and these.
func (k *restarted) state(c *backends.Codec, underWay *[][]byte) {
	done, places, others := len(k.elbos), len(k.places), len(k.beside)
	c.Ints(&k.number, &k.begun, &k.planned, &k.before, &k.length, &done, &places, &others, &k.search.Fits,
		&k.search.Unconverged, &k.search.Failed)
	c.Bool(&k.over)
	if k.planned < 1 || k.planned > mostRestarts || k.begun < 1 || k.begun > k.planned || k.number < 0 ||
		k.number >= k.begun || done < 0 || done > k.begun || places < 0 || places > done || others < 0 ||
		others > quadrature.MostTogether {
		c.Fail(fmt.Errorf("it has %d fits of %d", done, k.planned))
		return
	}
	k.beside = slices.Grow(k.beside[:0], others)[:others]
	*underWay = slices.Grow(*underWay, 1+others)[:1+others]
	for i := range k.beside {
		if c.Ints(&k.beside[i].number); k.beside[i].number < 0 || k.beside[i].number >= k.begun {
			c.Fail(fmt.Errorf("fit %d of %d is under way", k.beside[i].number, k.begun))
			return
		}
	}
	for i := range *underWay {
		c.Part(&(*underWay)[i], func(w io.Writer) error { return k.underWay()[i].Save(w) })
	}
	if len(k.elbos) != done {
		k.elbos = make([]backends.MonteCarloMean, done)
	}
	for i := range k.elbos {
		carryEstimate(c, &k.elbos[i])
	}
	for len(k.places) < places {
		m := ending{}
		for _, b := range k.env.Blocks() {
			m.mean, m.sd = append(m.mean, make([]float64, b.Dim())), append(m.sd, make([]float64, b.Dim()))
		}
		k.places = append(k.places, m)
	}
	for i := range k.places {
		m := &k.places[i]
		if c.Ints(&m.number); m.number < 0 || m.number >= k.begun {
			c.Fail(fmt.Errorf("a place of fit %d of %d", m.number, k.begun))
			return
		}
		c.Bool(&m.mode)
		carryEstimate(c, &m.elbo)
		c.Float(&m.height)
		for b := range m.mean {
			c.Floats(m.mean[b])
			c.Floats(m.sd[b])
		}
		c.Bytes(&m.saved)
	}
}

// comparing is the exchange in which fits are told apart.
var comparing = density.Use{Exchange: density.Summing, Often: "after fits from other starting points",
	Least: 2, Most: 1 + mostRestarts,
	Scalars: "how many of its parameters are not finite, and elsewhere than at each place found before and " +
		"in each of the other fits"}
