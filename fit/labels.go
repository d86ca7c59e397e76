package fit

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// label keeps what belongs to each party alone, before the values are released: its fitted encoders, and the
// names that these give to the elements of its parameters.
func (p *Prepared) label() (diag.List, error) {
	if p.Values == nil {
		return nil, nil // released: only numbers are left
	}
	labels := p.BoundModel.Labels()
	for _, party := range slices.Sorted(maps.Keys(p.Values)) {
		own := labels[party]
		if own == nil {
			own = map[string][][]string{}
		}
		p.parties = append(p.parties, posterior.PartyRecord{Schema: posterior.Schema, Party: party,
			Labels: own,
			Data:   recipesIn(p.Values[party])})
	}
	return nil, nil
}

// recipesIn are the fitted encoders of a party's data, in the order of their names.
func recipesIn(values data.Bindings) []data.Recipe {
	var out []data.Recipe
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, values[name].Recipe)
	}
	return out
}

// Labels returns the names of the elements of all parameters of the run: by parameter, along each axis, nil
// where numbers name them. In a simulation one process holds all parties.
func (p *Prepared) Labels() map[string][][]string {
	out := map[string][][]string{}
	for _, party := range p.parties {
		maps.Copy(out, party.Labels)
	}
	return out
}

// variables lists what draws of the run hold, with labels.
func (p *Prepared) variables() []posterior.Variable {
	return posterior.Labelled(variables(p.Plan, p.options.Auxiliary), p.Labels())
}
