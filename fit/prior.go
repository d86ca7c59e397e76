package fit

import (
	"context"
	"fmt"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// priorBackend is what a run without likelihoods says that its draws come from.
const priorBackend = "prior"

// forwardly prepares draws from the prior itself, where the likelihoods are left out.
func (p *Prepared) forwardly() (diag.List, error) {
	if !p.Checked.PriorOnly {
		return nil, nil
	}
	if p.Algorithm.Gives != backends.Markov {
		return nil, usagef("--prior-only draws from the prior itself, and %s approximates a "+
			"posterior: leave --backend out", p.Algorithm.Name)
	}
	var names []string
	for _, s := range p.Generated() {
		names = append(names, s.Name)
	}
	m, diags := p.Quantities(p.Model, names...)
	if diags.HasErrors() {
		return diags, nil
	}
	p.prior = m
	return Improper(p.BoundModel, m), nil
}

// ancestral draws from the prior: each parameter given those that its distribution depends on. All draws are
// independent.
func (p *Prepared) ancestral(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	began, n := time.Now(), p.Settings.Plan.Draws
	f := &fitted{draws: posterior.NewDraws(p.variables(), p.Settings.Plan.Chains, n)}
	at, err := places(p.prior, f.draws)
	if err != nil {
		return nil, err
	}
	first, column := map[string]int{}, 0
	for _, v := range f.draws.Vars {
		first[v.Name], column = column, column+v.Len()
	}
	s, x, row := p.prior.NewSimulator(), make([]float64, p.prior.Graph.Dim()), make([]float64, column)
	for c := range f.draws.Chains() {
		stream := vector.NewGenerator(vector.SharedKey(p.options.Seed), fmt.Sprintf("prior draws of chain %d", c+1)).Rand()
		for range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if stopped(stop) {
				return nil, &InterruptedError{"run it again: draws from the prior take seconds"}
			}
			if err := s.Prior(stream, x, nil); err != nil {
				return nil, err
			}
			for slot, k := range at.columns {
				if k >= 0 {
					row[k] = x[slot]
				}
			}
			for k, v := range s.Evaluate(x) {
				copy(row[first[p.prior.Quantities[k].Name]:], v)
			}
			f.draws.Append(c, row)
		}
	}
	f.drawing = time.Since(began)
	return f, nil
}

// summarisePrior describes draws from the prior.
func (r *Result) summarisePrior(f *fitted) {
	d := &r.Document
	d.Backend = priorBackend
	d.Parameters = posterior.SummariseChains(f.draws)
	d.Diagnostics = posterior.Diagnostics{EBFMI: []posterior.Number{}, Khat: posterior.NotApplicable()}
	r.closing = fmt.Sprintf("%s of %d independent draws", grouped.Count(f.draws.Chains(), "chain"),
		f.draws.Len(0))
	r.chains = func(int) posterior.CSVInfo {
		return posterior.CSVInfo{Model: d.Model, Backend: d.Backend, Seconds: f.drawing.Seconds()}
	}
}

// ReplicatePrior draws parameters from their priors and responses given them, so many times
// (UsualReplicates), for a model that has its data in one process. The diagnostics say what of it is no
// distribution to draw from.
func ReplicatePrior(ctx context.Context, b *compile.BoundModel, draws int, seed uint64) (*Replication,
	diag.List,
	error) {
	m, diags := b.Generative()
	if diags.HasErrors() {
		return nil, diags, nil
	}
	if diags = Improper(b, m); diags.HasErrors() {
		return nil, diags, nil
	}
	if err := replicable(m); err != nil {
		return nil, nil, err
	}
	order, diags := NewDrawer(b, m, nil)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	if draws == UsualReplicates {
		draws = usual(m.Responses)
	}
	var vars []posterior.Variable
	for k, p := range m.Params {
		vars = append(vars, posterior.Variable{Name: p.Name, Owner: p.Owner,
			Dims: p.Dims(m.Graph.Params()[k].Shape)})
	}
	out := &Replication{Draws: posterior.NewDraws(vars, 1, draws), Prior: true}
	for _, y := range m.Responses {
		if len(y.Values)*draws > mostValues {
			return nil, nil, fmt.Errorf("%d observations at %d draws are too many to keep; use fewer draws",
				len(y.Values), draws)
		}
	}
	stream := vector.NewGenerator(vector.SharedKey(seed), "prior predictive").Rand()
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	for range draws {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := s.Prior(stream, x, nil); err != nil {
			return nil, nil, err
		}
		var row []float64
		for k := range m.Params {
			port := m.Graph.Params()[k]
			for _, e := range m.Params[k].Elements(port.Len) {
				row = append(row, x[port.Offset+e])
			}
		}
		out.Draws.Append(0, row)
		drawn, err := order.Draw(s, stream, x)
		if err != nil {
			return nil, nil, err
		}
		out.take(m, drawn)
	}
	return out, nil, nil
}

// take adds one replicate of all responses.
func (p *Replication) take(m *model.SimulatedModel, drawn []Drawn) {
	if p.Responses == nil {
		for _, y := range m.Responses {
			one := export.Observed{Name: y.Name, Shape: y.Shape, Values: y.Values, Whole: y.Dist.Discrete}
			for range y.Values {
				one.Replicates = append(one.Replicates, make([][]float64, 1))
			}
			p.Responses = append(p.Responses, one)
		}
	}
	for k, y := range m.Responses {
		values := drawn[min(k, len(drawn)-1)].Values
		for _, d := range drawn {
			if y.Data != "" && d.Data == y.Data && d.Holder == y.Holder {
				values = d.Values
			}
		}
		for e := range y.Values {
			at := e
			// all of the data, of which the response is a part
			if len(values) != len(y.Values) && y.Elements != nil {
				at = y.Elements[e]
			}
			p.Responses[k].Replicates[e][0] = append(p.Responses[k].Replicates[e][0], values[at])
		}
	}
}

// replicable returns why nothing can be drawn from the likelihoods of a model; nil where it can.
func replicable(m *model.SimulatedModel) error {
	if len(m.Undrawn) > 0 {
		return fmt.Errorf("nothing can be replicated: the model has %s", m.Undrawn[0])
	}
	if len(m.Responses) == 0 {
		return fmt.Errorf("the model has no likelihood, and so nothing to replicate")
	}
	for k := range m.Responses {
		if err := m.Responses[k].Drawable(); err != nil {
			return fmt.Errorf("nothing can be replicated: %w", err)
		}
	}
	return nil
}
