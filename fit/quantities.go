package fit

import (
	"context"
	"fmt"
	"sync"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// mostValues is the largest number of values that Quantities keeps in memory: 800 MB.
const mostValues = 100_000_000

// Quantities computes functions of the parameters (compile.BoundModel.Quantities) at every draw, chain by
// chain. vars name and describe the results, one variable per quantity. The draws need those of all parties'
// parameters, in one process.
func Quantities(ctx context.Context, m *model.SimulatedModel, vars []posterior.Variable,
	d *posterior.Draws) (*posterior.Draws, error) {
	at, err := places(m, d)
	if err != nil {
		return nil, err
	}
	out, err := results(m, vars, d.Chains(), d.Len(0))
	if err != nil {
		return nil, err
	}
	out.Transitions = d.Transitions
	var wait sync.WaitGroup
	for c := range d.Chains() {
		wait.Go(func() { quantitiesOf(ctx, m, d, c, at, out) })
	}
	wait.Wait()
	return out, ctx.Err()
}

// results returns empty draws of quantities, whose shapes it sets.
func results(m *model.SimulatedModel, vars []posterior.Variable, chains, draws int) (*posterior.Draws,
	error) {
	n := 0
	for k, q := range m.Quantities {
		vars[k].Dims = q.Shape
		n += vars[k].Len()
	}
	if n*chains*draws > mostValues {
		return nil, fmt.Errorf("%d elements at %d draws are too many values; ask for an "+
			"element, a mean or a sum", n, chains*draws)
	}
	return posterior.NewDraws(vars, chains, draws), nil
}

// quantitiesOf fills one chain, up to the end of the context.
func quantitiesOf(ctx context.Context, m *model.SimulatedModel, d *posterior.Draws, chain int,
	at placement,
	out *posterior.Draws) {
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	columns := make([][]float64, len(d.Columns()))
	for k := range columns {
		columns[k] = d.Column(k)[chain]
	}
	var row []float64
	for i := range d.Len(chain) {
		if ctx.Err() != nil {
			return
		}
		at.fill(x, func(column int) float64 { return columns[column][i] })
		row = row[:0]
		for _, v := range s.Evaluate(x) {
			row = append(row, v...)
		}
		out.Append(chain, row)
	}
}

// PriorQuantities computes functions of the parameters at n independent draws of all parameters from their
// priors. The error names a parameter that cannot be drawn.
func PriorQuantities(ctx context.Context, m *model.SimulatedModel, vars []posterior.Variable, n int,
	seed uint64) (*posterior.Draws, error) {
	out, err := results(m, vars, 1, n)
	if err != nil {
		return nil, err
	}
	s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
	stream := vector.NewGenerator(vector.SharedKey(seed), "prior quantities").Rand()
	var row []float64
	for range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.Prior(stream, x, nil); err != nil {
			return nil, err
		}
		row = row[:0]
		for _, v := range s.Evaluate(x) {
			row = append(row, v...)
		}
		out.Append(0, row)
	}
	return out, nil
}
