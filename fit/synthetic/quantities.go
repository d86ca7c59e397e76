package synthetic

import (
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// quantities adds the generated quantities to the truth: their values at the parameters x as drawn, and on
// the tables with what was drawn in place.
func (s *Simulation) quantities(d *drawer, gen *model.SimulatedModel, x []float64) (diag.List, error) {
	generated := d.model.Generated()
	if len(generated) == 0 {
		return nil, nil
	}
	pooled, diags := d.model.Pool()
	if diags.HasErrors() {
		return diags, nil
	}
	b, diags, err := compile.Bind(pooled, d.sources(), data.Joining{})
	if err != nil || diags.HasErrors() {
		return diags, err
	}
	var names []string
	for _, g := range generated {
		names = append(names, g.Name)
	}
	lowered, diags := b.Quantities(pooled, names...)
	if diags.HasErrors() {
		return diags, nil
	}
	for k, v := range lowered.NewSimulator().Evaluate(at(lowered, gen, x)) {
		s.know(names[k], generated[k].Owner, lowered.Quantities[k].Shape, v)
	}
	return nil, nil
}

// at arranges parameters of one model for another that has them too.
func at(to, from *model.SimulatedModel, x []float64) []float64 {
	out := make([]float64, to.Graph.Dim())
	for i, p := range to.Params {
		for k, q := range from.Params {
			if p.Name == q.Name {
				port := from.Graph.Params()[k]
				copy(out[to.Graph.Params()[i].Offset:], x[port.Offset:port.Offset+port.Len])
			}
		}
	}
	return out
}

// know adds a parameter or a quantity to the truth.
func (s *Simulation) know(name, owner string, shape []int, values []float64) {
	for i, c := range posterior.Columns([]posterior.Variable{{Name: name, Dims: shape}}) {
		s.Truth = append(s.Truth, Value{c.Name, owner, values[i]})
	}
}
