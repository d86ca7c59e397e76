package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// simulated is the data of a replicate: the programs of all parties on them, and the model that they were
// drawn from, whose log likelihood is that of these data.
type simulated struct {
	plan  *model.Plan
	truth []float64
	model *model.Simulator
}

// with replaces the responses and lowers the programs of all parties again.
func (s *Calibration) with(responses []fit.Drawn, truth []float64) (*simulated, error) {
	values := fit.PutDrawn(s.prepared.Values, responses)
	for party, bindings := range s.prepared.Values {
		for k, p := range s.model.Params {
			if p.Imputed == nil || p.Imputed.Holder != party {
				continue
			}
			changed, port := *bindings[p.Imputed.Data], s.model.Graph.Params()[k]
			changed.Values = slices.Clone(truth[port.Offset : port.Offset+port.Len])
			values[party][p.Imputed.Data] = &changed
		}
	}
	fresh, diags, err := s.prepared.With(values)
	if err := errors.Join(err, problem(diags)); err != nil {
		return nil, err
	}
	out := &simulated{plan: fresh.Plan, truth: truth}
	if s.likelihood {
		m, diags := fresh.Generative()
		if err := problem(diags); err != nil {
			return nil, err
		}
		out.model = m.NewSimulator()
	}
	return out, nil
}

// problem is the first error of a list, nil for none.
func problem(l diag.List) error {
	for _, d := range l {
		if d.Severity == diag.Error {
			return errors.New(d.Message)
		}
	}
	return nil
}

// fit returns the draws of each quantity of the study from one kernel over all parties, and the number of
// divergences among them.
func (s *Calibration) fit(ctx context.Context, d *simulated, seed uint64,
	settings backends.Settings) (draws [][]float64, divergences int, err error) {
	err = session.Run(ctx, d.plan, session.OneLoop, seed, func(ctx context.Context, env density.Env) error {
		kernel, err := s.prepared.Algorithm.New(env, settings)
		if err != nil {
			return &fit.UsageError{Err: err}
		}
		if err := kernel.Init(ctx); err != nil {
			return err
		}
		draws, divergences, err = s.collect(ctx, d, env, kernel)
		return err
	})
	return draws, divergences, err
}

// collect takes each draw as soon as the kernel has it, corrected by weights where a run would be.
func (s *Calibration) collect(ctx context.Context, d *simulated, env density.Env,
	kernel backends.Kernel) (draws [][]float64, divergences int, err error) {
	taker := fit.NewTaker(env, false)
	at, err := s.columns(env)
	if err != nil {
		return nil, 0, err
	}
	draws = make([][]float64, len(s.quantities))
	values := make([]float64, len(s.quantities))
	x := slices.Clone(d.truth) // which holds the cells of imputed data that are observed
	_, weighted := kernel.(backends.Weighted)
	for taken, done := 0, false; !done; {
		info, err := kernel.Step(ctx)
		if err != nil {
			return nil, 0, err
		}
		if done = info.Done; info.Draws > taken && info.Transition.Divergent {
			divergences++
		}
		if weighted && !done {
			continue
		}
		ids := fit.Correct(env, kernel, ranked)
		for ; taken < info.Draws && (s.chains() || taken < ranked); taken++ {
			id := taken
			if ids != nil {
				id = ids[taken]
			}
			row, err := taker.Take(ctx, kernel, id)
			if err != nil {
				return nil, 0, err
			}
			for e, column := range at {
				if column >= 0 {
					x[e] = row[column]
				}
			}
			if err := s.evaluate(d, x, values); err != nil {
				return nil, 0, err
			}
			for k, v := range values {
				draws[k] = append(draws[k], v)
			}
		}
	}
	if len(draws) > 0 && len(draws[0]) < ranked {
		return nil, 0, &fit.UsageError{Err: fmt.Errorf("a fit has %d draws, and %d are needed; raise --draws",
			len(draws[0]), ranked)}
	}
	return draws, divergences, nil
}

// evaluate computes the quantities of the study at parameters x of a replicate.
func (s *Calibration) evaluate(d *simulated, x, values []float64) error {
	for k, e := range s.elements {
		values[k] = x[e]
	}
	if d.model == nil {
		return nil
	}
	v := d.model.LogLikelihood(x)
	if math.IsNaN(v) {
		return errors.New("the log likelihood is not a number at a draw")
	}
	values[len(s.elements)] = v
	return nil
}

// columns finds each element of the simulator's parameters among the values that an Env reports; -1 for an
// observed cell of imputed data.
func (s *Calibration) columns(env density.Env) ([]int, error) {
	first, offset := map[string]int{}, 0
	for _, block := range env.Blocks() {
		for _, p := range block.Params() {
			first[p.Name] = offset
			offset += p.Len
		}
	}
	at := slices.Repeat([]int{-1}, s.model.Graph.Dim())
	for k, p := range s.model.Params {
		port := s.model.Graph.Params()[k]
		elements := p.Elements(port.Len)
		from, ok := first[p.Name]
		if !ok && len(elements) > 0 {
			return nil, fmt.Errorf("%s is not reported", p.Name)
		}
		for i, e := range elements {
			at[port.Offset+e] = from + i
		}
	}
	return at, nil
}
