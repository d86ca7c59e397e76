package sfvi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

const (
	mostRestarts = 1000 // the largest number of fits that one run compares
	dispersed    = 5    // fits where there may be several modes: see quadrature.Options.Start
	// of those, such as end between two modes and have no covariance: others take their places
	mostFailed = 4
	compared   = 200 // most draws by which fits are told apart
)

// A restarted is several fits one after another, each from a starting point of its own, of which it is in the
// end the one with the greatest final ELBO, or that predicts rows that are held out best. All have the same
// noise, so that these differ by where they ended and little else. They are totals over the parties: each of
// them keeps the same fit.
type restarted struct {
	env      density.Env
	settings backends.Settings
	fit      backends.Kernel     // the current one, or the best when all are done
	number   int                 // of the current one; when all are done, how many there are
	search   backends.Search     // what the fits that are done found, but for its places
	planned  int                 // how many there will be
	before   int                 // iterations of those before it
	length   int                 // of the current one, so far
	elbos    []backends.Estimate // of those that are done
	places   []ending            // where these ended
}

// An ending is the place where one or more of the fits ended, and the best of these. It is a mode if one of
// them converged.
type ending struct {
	number   int // of the fit
	mode     bool
	elbo     backends.Estimate
	height   float64     // what it is compared by
	mean, sd [][]float64 // of θ, by block of this process
	saved    []byte
}

func newRestarted(env density.Env, s backends.Settings) (backends.Kernel, error) {
	fit, err := newFitFrom(env, s, 0)
	if err != nil {
		return nil, err
	}
	k := &restarted{env: env, settings: s, fit: fit, planned: s.Int(restarts)}
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

// Step does one of the current fit. After the last of a fit the next one begins.
func (k *restarted) Step(ctx context.Context) (backends.Info, error) {
	i, err := k.fit.Step(ctx)
	failed := k.failed(err)
	if err != nil && !failed || k.number == k.planned {
		return k.told(i), err
	}
	if i.Phase != backends.Evaluation {
		k.length = i.Iteration
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
		k.count(&i.Fit, failed)
	}
	for k.number++; k.number < k.planned; k.number++ {
		k.before, k.length = k.before+k.length, 0
		if k.fit, err = newFitFrom(k.env, k.settings, k.number); err != nil {
			return i, err
		}
		if err = k.fit.Init(ctx); err == nil || !k.failed(err) {
			i.Done, i.Draws = false, 0
			return k.told(i), err
		}
		k.count(&backends.Fit{}, true)
	}
	slices.SortStableFunc(k.places, func(a, b ending) int { return cmp.Compare(b.height, a.height) })
	if k.planned > 1 && len(k.places) == 0 {
		return i, fmt.Errorf("sfvi: none of %d fits from different starting points ended "+
			"at draws that are finite", k.number)
	}
	if len(k.places) > 0 && k.places[0].number != k.number-1 {
		if err := k.Select(0); err != nil {
			return i, err
		}
		if i, err = k.fit.Step(ctx); err != nil { // it is done: this tells what it was
			return i, err
		}
	}
	return k.told(i), nil
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
func (k *restarted) count(end *backends.Fit, failed bool) {
	k.search.Fits++
	switch {
	case failed:
		k.elbos = append(k.elbos, backends.Estimate{})
		k.search.Failed++
		if k.searches() && k.planned < dispersed+mostFailed {
			k.planned++
		}
		return
	case !end.Converged:
		k.search.Unconverged++
	}
	k.elbos = append(k.elbos, end.Final)
}

// keep saves the current fit where it ended at a place where no other has, or not as well. It has failed if
// draws are not finite, or a party could not go on.
func (k *restarted) keep(ctx context.Context, end *backends.Fit) (failed bool, err error) {
	now := k.moments()
	elsewhere, total := make([][]float64, len(now.mean)), make([]float64, max(2, 1+len(k.places)))
	for b := range elsewhere {
		elsewhere[b] = make([]float64, len(total))
		elsewhere[b][0] = now.infinite(b)
		for m, other := range k.places {
			elsewhere[b][1+m] = now.apart(&other, b)
		}
	}
	if q, ok := k.fit.(*quadrature.Kernel); ok && q.Failed() {
		elsewhere[0][0]++
	}
	if err := k.env.Sum(ctx, elsewhere, total); err != nil {
		return false, err
	}
	if total[0] > 0 {
		return true, nil
	}
	at := slices.Index(total[1:1+len(k.places)], 0)
	now.number, now.mode, now.elbo, now.height = k.number, end.Converged, end.Final, height(end)
	if at >= 0 {
		there := &k.places[at]
		now.mode = now.mode || there.mode
		if there.mode = now.mode; !(now.height > there.height) {
			return false, nil
		}
	}
	var b bytes.Buffer
	if err := k.fit.Save(&b); err != nil {
		return false, err
	}
	now.saved = b.Bytes()
	if at >= 0 {
		k.places[at] = now
	} else {
		k.places = append(k.places, now)
	}
	return false, nil
}

// moments are those of the current fit.
func (k *restarted) moments() (m ending) {
	blocks := k.env.Blocks()
	theta, all := make([][]float64, len(blocks)), make([][]running, len(blocks))
	for b, block := range blocks {
		theta[b], all[b] = make([]float64, block.Dim()), make([]running, block.Dim())
	}
	n := min(compared, 2*max(1, k.settings.Int(draws)/2)) // of fewer a fit has no more
	for id := range n {
		k.fit.Draw(id, theta)
		for b, t := range theta {
			for i, v := range t {
				all[b][i].add(v)
			}
		}
	}
	for b := range blocks {
		mean, sd := make([]float64, len(all[b])), make([]float64, len(all[b]))
		for i, r := range all[b] {
			mean[i], sd[i] = r.mean, math.Sqrt(r.square/float64(n-1))
		}
		m.mean, m.sd = append(m.mean, mean), append(m.sd, sd)
	}
	return m
}

// apart counts the parameters of a block that are as far from those of another place as makes two normal
// distributions have two modes. Weights, which have no sd, are left out.
func (m *ending) apart(o *ending, b int) (n float64) {
	for i, v := range m.mean[b] {
		if s := m.sd[b][i] + o.sd[b][i]; s > 0 && math.Abs(v-o.mean[b][i]) > s {
			n++
		}
	}
	return n
}

// infinite counts the parameters of a block whose draws are not finite.
func (m *ending) infinite(b int) (n float64) {
	for i, v := range m.mean[b] {
		if d := v + m.sd[b][i]; d-d != 0 {
			n++
		}
	}
	return n
}

// height is what fits are compared by: the log density of the rows that are held out, if there are any, else
// the ELBO, which is the greater the more noise a network without priors has fitted. It is −∞ where it is not
// known or not finite: a fit whose score is infinite has found nothing.
func height(f *backends.Fit) float64 {
	score := f.Final.Value
	switch {
	case f.BestAt > 0:
		score = f.HeldOut
	case f.Final.N == 0:
		return math.Inf(-1)
	}
	if score-score != 0 {
		return math.Inf(-1)
	}
	return score
}

// told is what a Step tells, with the iterations of all fits.
func (k *restarted) told(i backends.Info) backends.Info {
	if i.Phase != backends.Evaluation {
		i.Iteration += k.before
		i.Iterations += k.before + max(0, k.planned-k.number-1)*k.settings.Int(iterations)
	}
	return i
}

// Restarts implements backends.Restarted.
func (k *restarted) Restarts() []backends.Estimate { return k.elbos }

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
	if k.fit, err = newFitFrom(k.env, k.settings, k.places[i].number); err != nil {
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
	if k.number < k.planned {
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
	if number == k.planned {
		if number = 0; len(k.places) > 0 {
			number = k.places[0].number
		}
	}
	var err error
	if k.fit, err = newFitFrom(k.env, k.settings, number); err != nil {
		return err
	}
	return k.fit.Load(bytes.NewReader(text))
}

func (k *restarted) heading() string {
	return fmt.Sprintf("vflc sfvi restarts checkpoint 4: %s", k.settings)
}

// state carries what Load needs beside the current fit, and that.
func (k *restarted) state(c *checkpoint.Codec, current *[]byte) {
	done, places := len(k.elbos), len(k.places)
	c.Ints(&k.number, &k.planned, &k.before, &k.length, &done, &places, &k.search.Fits, &k.search.Unconverged,
		&k.search.Failed)
	if done < 0 || done > mostRestarts || k.planned < 1 || k.planned > mostRestarts || k.number < 0 ||
		k.number > k.planned || places < 0 || places > done {
		c.Fail(fmt.Errorf("it has %d fits of %d", done, k.planned))
		return
	}
	if len(k.elbos) != done {
		k.elbos = make([]backends.Estimate, done)
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
		if c.Ints(&m.number); m.number < 0 || m.number >= k.planned {
			c.Fail(fmt.Errorf("a place of fit %d of %d", m.number, k.planned))
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
	c.Bytes(current)
}

// comparing is the exchange in which fits are told apart.
var comparing = density.Use{Exchange: density.Summing, Often: "after every fit from another starting point",
	Least: 2, Most: 1 + mostRestarts,
	Scalars: "how many of its parameters are not finite, and elsewhere than at each place found before"}
