package fit

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
	"github.com/vflc/vflc/runtime/simulate"
)

// refusedPower explains why no pointwise density is computed for a power model.
const refusedPower = `the power model has no pointwise log likelihood: its density is a geometric mean of likelihoods, which is not a distribution of the response.
Run the model with --transform augmented, whose auxiliary variables can be integrated out, or --transform exact or none, to compare models`

// mayHaveLogLik returns an error before a run begins if its pointwise densities cannot be computed after it.
func (p *Prepared) mayHaveLogLik() (diag.List, error) {
	switch {
	case !p.options.LogLik:
		return nil, nil
	case p.Checked.Transform.Kind.AtClients:
		return nil, usagef("--log-lik: %s", refusedPower)
	}
	m, diags := p.Generative()
	if diags.HasErrors() {
		return diags, nil
	}
	for _, y := range m.Responses {
		if y.Dependent != "" {
			return diags, usagef("--log-lik: %s has no pointwise density: %s", y.Name, y.Dependent)
		}
	}
	return diags, nil
}

// Pointwise computes the log density of every element of every response at every draw. It needs the data of all parties: it is for simulations and pooled
// models. Auxiliary variables are integrated out. The error holds diagnostics (data.Errors) where no data can be drawn from the model.
func Pointwise(b *compile.Bound, d *posterior.Draws) ([]zarr.Observed, error) {
	if b.Checked.Transform.Kind.AtClients {
		return nil, errors.New(refusedPower)
	}
	m, diags := b.Generative()
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	at, err := places(m, d)
	if err != nil {
		return nil, err
	}
	out := make([]zarr.Observed, len(m.Responses))
	for k, y := range m.Responses {
		out[k] = zarr.Observed{Name: y.Name, Shape: y.Shape, Values: y.Values, LogLik: make([][][]float64, len(y.Values))}
		for i := range y.Values {
			out[k].LogLik[i] = make([][]float64, d.Chains())
			for c := range d.Chains() {
				out[k].LogLik[i][c] = make([]float64, d.Len(c))
			}
		}
	}
	errs := make([]error, d.Chains())
	var wait sync.WaitGroup
	for c := range d.Chains() {
		wait.Go(func() { errs[c] = densities(m, d, c, at, out) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// places finds, for each element of the model's parameters, its column among the draws.
func places(m *simulate.Model, d *posterior.Draws) ([]int, error) {
	first, column := map[string]int{}, 0
	for _, v := range d.Vars {
		first[v.Name] = column
		column += v.Len()
	}
	at := make([]int, m.Graph.Dim())
	for k, p := range m.Params {
		from, ok := first[p.Name]
		if !ok {
			return nil, fmt.Errorf("the draws have no %s", p.Name)
		}
		port := m.Graph.Params()[k]
		for i := range port.Len {
			at[port.Offset+i] = from + i
		}
	}
	return at, nil
}

// densities fills one chain of all responses.
func densities(m *simulate.Model, d *posterior.Draws, chain int, at []int, out []zarr.Observed) error {
	s, x := m.NewSimulator(), make([]float64, len(at))
	columns := make([][]float64, len(at))
	for k, column := range at {
		columns[k] = d.Column(column)[chain]
	}
	for i := range d.Len(chain) {
		for k := range x {
			x[k] = columns[k][i]
		}
		for k := range out {
			lp := make([]float64, len(out[k].Values))
			if err := s.LogDensity(k, x, lp); err != nil {
				return err
			}
			for e, v := range lp {
				out[k].LogLik[e][chain][i] = v
			}
		}
	}
	return nil
}

// LogLikelihood returns the pointwise densities that the folder of a run holds, or else computes them from its model and data, whose diagnostics it returns.
func LogLikelihood(r *runs.Run) ([]zarr.Observed, diag.List, error) {
	if err := runs.VerifyZarr(r.Path, r.Record); err != nil {
		return nil, nil, err
	}
	stored, err := zarr.ReadObserved(filepath.Join(r.Path, runs.ZarrDir))
	if err != nil {
		return nil, nil, err
	}
	if len(stored) > 0 && !slices.ContainsFunc(stored, func(o zarr.Observed) bool { return o.LogLik == nil }) {
		return stored, nil, nil
	}
	b, diags, err := Reopen(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := Pointwise(b, r.Draws)
	return out, diags, err
}
