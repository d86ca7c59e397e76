package sfvi

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
)

const (
	mostRestarts = 1000 // the largest number of fits that one run compares
	dispersed    = 3    // fits by quadrature where there may be several modes: from the mode of the prior, from a draw of it, and from the reflection of that
	mostFailed   = 6    // of those, such as end between two modes and have no covariance: others take their places
	compared     = 200  // draws by which fits are told apart
)

// A restarted is several fits one after another, each from a starting point of its own, of which it is in the end the one with the greatest final ELBO, or that predicts rows that are held out best. All have
// the same noise, so that these differ by where they ended and little else. They are totals over the parties: each of them keeps the same fit.
type restarted struct {
	env      density.Env
	settings backends.Settings
	fit      backends.Kernel     // the current one, or the best when all are done
	number   int                 // of the current one; when all are done, how many there are
	planned  int                 // how many there will be
	before   int                 // iterations of those before it
	length   int                 // of the current one, so far
	elbos    []backends.Estimate // of those that are done
	modes    []mode              // the distinct ones among these
}

// A mode is what one or more of the fits found, the best of them.
type mode struct {
	number   int // of the fit
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
	if s.Text(estimator) == byQuadrature {
		k.planned = 1
	}
	return k, nil
}

// Init implements backends.Kernel.
func (k *restarted) Init(ctx context.Context) error { return k.fit.Init(ctx) }

// Step does one of the current fit. After the last of a fit the next one begins.
func (k *restarted) Step(ctx context.Context) (backends.Info, error) {
	i, err := k.fit.Step(ctx)
	if err != nil || k.number == k.planned {
		return k.told(i), err
	}
	if i.Phase != backends.Evaluation {
		k.length = i.Iteration
	}
	if !i.Done {
		return k.told(i), nil
	}
	if q, ok := k.fit.(interface{ Several() bool }); ok && q.Several() {
		k.planned = max(k.planned, dispersed)
	}
	if k.planned > 1 {
		found, err := k.keep(ctx, &i.Fit)
		if err != nil {
			return i, err
		}
		if !found && k.settings.Text(estimator) == byQuadrature && k.planned < dispersed+mostFailed {
			k.planned++
		}
	}
	if k.number++; k.number < k.planned {
		k.before, k.length = k.before+k.length, 0
		if k.fit, err = newFitFrom(k.env, k.settings, k.number); err != nil {
			return i, err
		}
		i.Done, i.Draws = false, 0
		return k.told(i), k.fit.Init(ctx)
	}
	slices.SortStableFunc(k.modes, func(a, b mode) int { return cmp.Compare(b.height, a.height) })
	if len(k.modes) > 0 && k.modes[0].number != k.number-1 {
		if err := k.Select(0); err != nil {
			return i, err
		}
		if i, err = k.fit.Step(ctx); err != nil { // it is done: this tells what it was
			return i, err
		}
	}
	return k.told(i), nil
}

// keep takes in how the current fit ended, and saves the fit where it has found a mode that no other has, or not as well. A fit whose draws are not finite has found none.
func (k *restarted) keep(ctx context.Context, end *backends.Fit) (found bool, err error) {
	k.elbos = append(k.elbos, end.Final)
	now := k.moments()
	elsewhere, total := make([][]float64, len(now.mean)), make([]float64, max(2, 1+len(k.modes)))
	for b := range elsewhere {
		elsewhere[b] = make([]float64, len(total))
		elsewhere[b][0] = now.infinite(b)
		for m, other := range k.modes {
			elsewhere[b][1+m] = now.apart(&other, b)
		}
	}
	if err := k.env.Sum(ctx, elsewhere, total); err != nil {
		return false, err
	}
	if total[0] > 0 {
		return false, nil
	}
	at := slices.Index(total[1:1+len(k.modes)], 0)
	if at >= 0 && !(height(end) > k.modes[at].height) {
		return true, nil
	}
	var b bytes.Buffer
	if err := k.fit.Save(&b); err != nil {
		return false, err
	}
	now.number, now.elbo, now.height, now.saved = k.number, end.Final, height(end), b.Bytes()
	if at >= 0 {
		k.modes[at] = now
	} else {
		k.modes = append(k.modes, now)
	}
	return true, nil
}

// moments are those of the current fit.
func (k *restarted) moments() (m mode) {
	blocks := k.env.Blocks()
	theta, all := make([][]float64, len(blocks)), make([][]running, len(blocks))
	for b, block := range blocks {
		theta[b], all[b] = make([]float64, block.Dim()), make([]running, block.Dim())
	}
	for id := range compared {
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
			mean[i], sd[i] = r.mean, math.Sqrt(r.square/(compared-1))
		}
		m.mean, m.sd = append(m.mean, mean), append(m.sd, sd)
	}
	return m
}

// apart counts the parameters of a block that are as far from those of another mode as makes two normal distributions have two modes. Weights, which have no sd, are left out.
func (m *mode) apart(o *mode, b int) (n float64) {
	for i, v := range m.mean[b] {
		if s := m.sd[b][i] + o.sd[b][i]; s > 0 && math.Abs(v-o.mean[b][i]) > s {
			n++
		}
	}
	return n
}

// infinite counts the parameters of a block whose draws are not finite.
func (m *mode) infinite(b int) (n float64) {
	for i, v := range m.mean[b] {
		if d := v + m.sd[b][i]; d-d != 0 {
			n++
		}
	}
	return n
}

// height is what fits are compared by: the log density of the rows that are held out, if there are any, else the ELBO, which is the greater the more noise a network without priors has fitted. It is −∞ where it
// is not known.
func height(f *backends.Fit) float64 {
	switch {
	case f.BestAt > 0:
		return f.HeldOut
	case f.Final.N == 0 || math.IsNaN(f.Final.Value):
		return math.Inf(-1)
	}
	return f.Final.Value
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

// Modes implements backends.Restarted.
func (k *restarted) Modes() (out []backends.Estimate) {
	for _, m := range k.modes {
		out = append(out, m.elbo)
	}
	return out
}

// Select implements backends.Restarted.
func (k *restarted) Select(i int) (err error) {
	if k.fit, err = newFitFrom(k.env, k.settings, k.modes[i].number); err != nil {
		return err
	}
	return k.fit.Load(bytes.NewReader(k.modes[i].saved))
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
		if number = 0; len(k.modes) > 0 {
			number = k.modes[0].number
		}
	}
	var err error
	if k.fit, err = newFitFrom(k.env, k.settings, number); err != nil {
		return err
	}
	return k.fit.Load(bytes.NewReader(text))
}

func (k *restarted) heading() string {
	return fmt.Sprintf("vflc sfvi restarts checkpoint 3: %s", k.settings)
}

// state carries what Load needs beside the current fit, and that.
func (k *restarted) state(c *checkpoint.Codec, current *[]byte) {
	done, modes := len(k.elbos), len(k.modes)
	c.Ints(&k.number, &k.planned, &k.before, &k.length, &done, &modes)
	if done < 0 || done > mostRestarts || k.planned < 1 || k.planned > mostRestarts || k.number < 0 || k.number > k.planned || modes < 0 || modes > done {
		c.Fail(fmt.Errorf("it has %d fits of %d", done, k.planned))
		return
	}
	if len(k.elbos) != done {
		k.elbos = make([]backends.Estimate, done)
	}
	for i := range k.elbos {
		carryEstimate(c, &k.elbos[i])
	}
	for len(k.modes) < modes {
		m := mode{}
		for _, b := range k.env.Blocks() {
			m.mean, m.sd = append(m.mean, make([]float64, b.Dim())), append(m.sd, make([]float64, b.Dim()))
		}
		k.modes = append(k.modes, m)
	}
	for i := range k.modes {
		m := &k.modes[i]
		if c.Ints(&m.number); m.number < 0 || m.number >= k.planned {
			c.Fail(fmt.Errorf("a mode of fit %d of %d", m.number, k.planned))
			return
		}
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
var comparing = density.Use{Exchange: density.Summing, Often: "after every fit from another starting point", Least: 2, Most: 1 + mostRestarts, Scalars: "how many of its parameters are not finite, and elsewhere than in each mode found before"}
