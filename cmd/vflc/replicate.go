package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/simulate"
)

// with replaces the responses and lowers the programs of all parties anew.
func (b *bound) with(m *simulate.Model, responses [][]float64) (*model.Plan, error) {
	fresh := *b
	fresh.parties = nil
	fresh.values = map[string]data.Bindings{}
	for party, bindings := range b.values {
		fresh.values[party] = data.Bindings{}
		for name, v := range bindings {
			fresh.values[party][name] = v
		}
		for k, y := range m.Responses {
			if old := bindings[y.Data]; old != nil && (y.Holder == "" || y.Holder == party) {
				changed := *old
				changed.Values = responses[k]
				fresh.values[party][y.Data] = &changed
			}
		}
	}
	if diags := fresh.lower(); diags.HasErrors() {
		return nil, firstError(diags)
	}
	plan, err := lower.Link(fresh.parties)
	if err != nil {
		return nil, err
	}
	lower.Label(plan, fresh.parties, fresh.shared())
	if diags, err := fresh.windows.apply(plan, fresh.parties); err != nil || diags.HasErrors() {
		return nil, errors.Join(err, problem(diags))
	}
	return plan, nil
}

// problem is the first error of a list, nil for none.
func problem(l diag.List) error {
	if !l.HasErrors() {
		return nil
	}
	return firstError(l)
}

func firstError(l diag.List) error {
	for _, d := range l {
		if d.Severity == diag.Error {
			return errors.New(d.Message)
		}
	}
	return errors.New("the model cannot be evaluated with simulated data")
}

// fit returns the draws of each scalar of the study from one kernel over all parties, and the number of divergences among them.
func (s *study) fit(plan *model.Plan, seed uint64, longer int) (draws [][]float64, divergences int, err error) {
	settings, err := s.settings(longer)
	if err != nil {
		return nil, 0, &failure{exitUsage, err}
	}
	ctx := context.Background()
	err = session.Run(ctx, plan, session.OneLoop, seed, func(ctx context.Context, env density.Env) error {
		kernel, err := s.algorithm.New(env, settings)
		if err != nil {
			return &failure{exitUsage, err}
		}
		if err := kernel.Init(ctx); err != nil {
			return err
		}
		draws, divergences, err = s.collect(ctx, env, kernel)
		return err
	})
	return draws, divergences, err
}

// collect takes every draw when it is there to be taken.
func (s *study) collect(ctx context.Context, env density.Env, kernel backends.Kernel) (draws [][]float64, divergences int, err error) {
	taker := newTaker(env, false)
	at, err := s.columns(env)
	if err != nil {
		return nil, 0, err
	}
	draws = make([][]float64, len(at))
	for taken, done := 0, false; !done; {
		info, err := kernel.Step(ctx)
		if err != nil {
			return nil, 0, err
		}
		if done = info.Done; info.Draws > taken && info.Transition.Divergent {
			divergences++
		}
		for ; taken < info.Draws && (s.algorithm.Markov || taken < ranked); taken++ {
			row, err := taker.take(ctx, kernel, taken)
			if err != nil {
				return nil, 0, err
			}
			for k, column := range at {
				draws[k] = append(draws[k], row[column])
			}
		}
	}
	if len(draws) > 0 && len(draws[0]) < ranked {
		return nil, 0, &failure{exitUsage, fmt.Errorf("a fit gives %d draws, and %d are needed; raise --draws", len(draws[0]), ranked)}
	}
	return draws, divergences, nil
}

// columns finds each scalar of the study among the values that an Env reports.
func (s *study) columns(env density.Env) ([]int, error) {
	first, offset := map[string]int{}, 0
	for _, block := range env.Blocks() {
		for _, p := range block.Params() {
			first[p.Name] = offset
			offset += p.Len
		}
	}
	var at []int
	for k, p := range s.model.Params {
		from, ok := first[p.Name]
		if !ok {
			return nil, fmt.Errorf("%s is not reported", p.Name)
		}
		for i := range s.model.Graph.Params()[k].Len {
			at = append(at, from+i)
		}
	}
	return at, nil
}
