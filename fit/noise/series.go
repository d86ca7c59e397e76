package noise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

// A Fit is a run at one rho.
type Fit struct {
	Rho      float64
	Prepared *fit.Prepared
	Result   *fit.Result // after Series.Run
}

// A Series is a model at several rho, the largest first.
type Series struct {
	Clients  int // J in rho√J
	Fits     []*Fit
	progress fit.Progress
}

// A usage error is one of the command line.
func usagef(format string, args ...any) error {
	return &fit.UsageError{Err: fmt.Errorf(format, args...)}
}

// SD is ρ√J.
func (s *Series) SD(f *Fit) float64 { return f.Rho * math.Sqrt(float64(s.Clients)) }

// Suits returns an error where a model or an algorithm has no series: where no rho enters, or where the error
// of the algorithm is not Monte Carlo error alone.
func Suits(m *compile.Model, a backends.Algorithm) error {
	if err := HasRho(m); err != nil {
		return err
	}
	return Draws(a)
}

// HasRho returns an error where no rho enters a model.
func HasRho(m *compile.Model) error {
	if kind := m.Checked.Transform.Kind; !kind.Noise() {
		return usagef("transform %s has no rho", kind)
	}
	if len(m.Cuts.Cuts) == 0 {
		return usagef("no client contributes to another party's computation, so there is no rho")
	}
	return nil
}

// Draws returns an error where the error of an algorithm is not Monte Carlo error alone.
func Draws(a backends.Algorithm) error {
	if a.Gives != backends.Markov {
		return usagef("backend %s does not draw from the posterior: what it gives has an error of its "+
			"own, beside that of rho", a.Name)
	}
	return nil
}

// Values are the rho that give the predictor noise of these standard deviations, ρ√J.
func Values(sds []float64, clients int) []float64 {
	out := make([]float64, len(sds))
	for k, sd := range sds {
		out[k] = sd / math.Sqrt(float64(clients))
	}
	return out
}

// Open prepares a run for every rho. alter, if not nil, completes the options of each. The diagnostics are
// those of the first one, unless another has errors.
func Open(m *compile.Model, sources data.Sources, rhos []float64, o fit.Options,
	alter func(rho float64, o *fit.Options)) (*Series, diag.List, error) {
	s := &Series{Clients: m.Addends(sources), progress: o.Progress}
	if s.progress == nil {
		s.progress = fit.Quiet{}
	}
	rhos = slices.Clone(rhos)
	slices.Sort(rhos)
	slices.Reverse(rhos)
	var shown diag.List
	for k, rho := range rhos {
		one := o
		one.Progress = &seriesProgress{Progress: s.progress, first: k == 0}
		if alter != nil {
			alter(rho, &one)
		}
		other, diags := m.WithRho(rho)
		if diags.HasErrors() {
			return nil, diags, nil
		}
		p, diags, err := fit.Open(other, sources, one)
		if err != nil || diags.HasErrors() {
			return nil, diags, err
		}
		if k == 0 {
			shown = diags
		}
		s.Fits = append(s.Fits, &Fit{Rho: rho, Prepared: p})
	}
	return s, shown, nil
}

// Run makes all fits, as many at the same time as fit into memory. When stop is closed each ends after its
// current step.
func (s *Series) Run(ctx context.Context, stop <-chan struct{}) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chains, steps := 0, 0
	for _, f := range s.Fits {
		plan := f.Prepared.Settings.Plan
		f.Prepared.Progress().(*seriesProgress).before = chains
		chains, steps = chains+plan.Chains, plan.Warmup+plan.Draws
	}
	s.progress.Message(fmt.Sprintf("%d fits, at rho√J = %s", len(s.Fits), s.listed()))
	s.progress.Begin(chains, steps)
	defer s.progress.End()
	room := make(chan struct{}, s.Fits[0].Prepared.Abreast())
	var wait sync.WaitGroup
	for _, f := range s.Fits {
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			var err error
			if f.Result, err = f.Prepared.Sample(ctx, stop); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

func (s *Series) listed() (text string) {
	for k, f := range s.Fits {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.3g", s.SD(f))
	}
	return text
}

// A seriesProgress shows one fit of several: its chains are numbered after those of the fits before it.
// Messages are those of the first, which are alike for all.
type seriesProgress struct {
	fit.Progress
	before int
	first  bool
}

// Message shows those of the first fit.
func (l *seriesProgress) Message(text string) {
	if l.first {
		l.Progress.Message(text)
	}
}

// Begin does nothing: the series has begun.
func (l *seriesProgress) Begin(int, int) {}

// Step reports a step of a chain.
func (l *seriesProgress) Step(chain int, info backends.Info) { l.Progress.Step(l.before+chain, info) }

// Skip reports steps made before.
func (l *seriesProgress) Skip(chain, steps int) { l.Progress.Skip(l.before+chain, steps) }

// End does nothing: the series has not ended.
func (l *seriesProgress) End() {}
