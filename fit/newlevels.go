package fit

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// newLevels are the elements of parameters for categories that a run did not see, drawn from their priors at
// each draw that is used, and those of group effects that are held at the location of their prior.
type newLevels struct {
	model *model.SimulatedModel
	// of each parameter of the model: the column among the draws of each element, -1 for one that is drawn
	column   [][]int
	elements [][]int              // of each parameter: those that are drawn
	values   map[string][]float64 // by parameter: by draw, then by element
	streams  []*vector.Generator
	centred  []bool // of each parameter: its elements are not drawn
}

// grow prepares the draws of what the run does not have, and of the parameters that are held at their centre;
// nil where there are none.
func grow(b *compile.BoundModel, d *posterior.Draws, seed uint64, centred []string) (*newLevels, diag.List) {
	first, old, at := map[string]int{}, map[string][]int{}, 0
	for _, v := range d.Vars {
		first[v.Name], old[v.Name] = at, v.Dims
		at += v.Len()
	}
	m, diags := b.Generative()
	if diags.HasErrors() {
		return nil, diags
	}
	g := &newLevels{model: m, values: map[string][]float64{}}
	some := false
	for k, p := range m.Params {
		port := m.Graph.Params()[k]
		columns, fresh := matched(port.Shape, old[p.Name], first[p.Name])
		name := p.Name[strings.Index(p.Name, "].")+1:] // of a member of a family
		held := slices.Contains(centred, strings.TrimPrefix(name, "."))
		if g.centred = append(g.centred, held); held {
			columns, fresh = matched(port.Shape, nil, 0)
		}
		g.column, g.elements = append(g.column, columns), append(g.elements, fresh)
		g.streams = append(g.streams, vector.NewGenerator(vector.SharedKey(seed), "new levels of "+p.Name))
		some = some || len(fresh) > 0
	}
	if !some {
		return nil, nil
	}
	return g, nil
}

// matched finds the column of each element of a parameter that may have grown along some axes; the elements
// that the draws do not have are fresh.
func matched(shape, old []int, first int) (columns, fresh []int) {
	n := 1
	for _, k := range shape {
		n *= k
	}
	index := make([]int, len(shape))
	for e := range n {
		at, step, known := first, 1, len(old) == len(shape)
		for k, i := range index {
			if known = known && i < old[k]; known {
				at, step = at+i*step, step*old[k]
			}
		}
		if !known {
			at, fresh = -1, append(fresh, e)
		}
		columns = append(columns, at)
		for k := range index {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return columns, fresh
}

// of finds the column among the draws of each element of a parameter, -1 for those that are not there, and
// how many these are.
func (g *newLevels) of(name string) (columns []int, fresh int) {
	if g == nil || len(g.values[name]) == 0 {
		return nil, 0
	}
	k := slices.IndexFunc(g.model.Params, func(p model.Param) bool { return p.Name == name })
	return g.column[k], len(g.elements[k])
}

// draw draws the new elements at every draw of the run that is used.
func (g *newLevels) draw(d *posterior.Draws, every int) error {
	s, x := g.model.NewSimulator(), make([]float64, g.model.Graph.Dim())
	for c := range d.Chains() {
		for i := every - 1; i < d.Len(c); i += every {
			for k, port := range g.model.Graph.Params() {
				for e, column := range g.column[k] {
					if x[port.Offset+e] = 0; column >= 0 {
						x[port.Offset+e] = d.Column(column)[c][i]
					}
				}
				if len(g.elements[k]) == 0 {
					continue
				}
				var err error
				if g.centred[k] {
					err = s.Centre(k, x)
				} else {
					err = s.Complete(g.streams[k].Rand(), k, x, g.elements[k])
				}
				if err != nil {
					return err
				}
				for _, e := range g.elements[k] {
					g.values[g.model.Params[k].Name] = append(g.values[g.model.Params[k].Name],
						x[port.Offset+e])
				}
			}
		}
	}
	return nil
}

// wayOut says of categories that the run did not see what can be done.
func wayOut(diags diag.List, fresh map[string]data.Fresh) {
	for _, d := range diags {
		if d.Code == diag.NewCategory || d.Code == diag.OutOfRange {
			d.Note("--new-levels draws the parameters of new categories of level(%s) from their prior, "+
				"given the other parameters of each draw", slices.Sorted(maps.Keys(fresh))[0])
		}
	}
}
