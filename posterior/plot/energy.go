package plot

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/posterior"
)

func energyKind() Kind {
	return Kind{Name: "energy",
		Doc:  "the energies of a Hamiltonian sampler beside their steps: alike if it explores the tails",
		make: energy}
}

func energy(in input) (*Figure, error) {
	f := &Figure{title: in.title("Energy"), across: len(in.runs),
		legend: []entry{{text: "energy, from its mean", pen: penOf(0)},
			{text: "step from draw to draw", pen: penOf(1)}}}
	f.wide, f.high = panelSize(f.across)
	f.high = max(f.high, 240)
	f.note = "Where the steps are much narrower than the energies, the sampler explores the tails " +
		"slowly (Betancourt 2016)."
	for _, r := range in.runs {
		if !r.Draws.HasTrajectories() {
			return nil, fmt.Errorf("%s has no energies: they are those of a Hamiltonian sampler", r.Name)
		}
		p := energyPanel(r)
		if len(in.runs) > 1 {
			p.title = r.Name + " · " + p.title
		}
		f.panels = append(f.panels, p)
	}
	return f, nil
}

// energyPanel has the densities of the energies, from the mean of their chain, and of their differences from
// draw to draw.
func energyPanel(r RunView) panel {
	var levels, steps []float64
	var fractions []float64
	for _, chain := range r.Draws.Transitions {
		e, mean := make([]float64, len(chain)), 0.0
		for i, t := range chain {
			e[i] = t.Energy
			mean += t.Energy / float64(len(chain))
		}
		fractions = append(fractions, posterior.EBFMI(e))
		for i := range e {
			levels = append(levels, e[i]-mean)
			if i > 0 {
				steps = append(steps, e[i]-e[i-1])
			}
		}
	}
	p := panel{title: "least E-BFMI of a chain: " + number(slices.Min(fractions), 2, 1),
		x: axis{label: "energy (nats)"}, y: axis{label: "density"}}
	for k, values := range [][]float64{levels, steps} {
		if xs, ys := kernelDensity(numbers([][]float64{values})); xs != nil {
			p.marks = append(p.marks, area{xs, ys, nil, penOf(k).color, 0.15}, curve{xs, ys, penOf(k)})
		}
	}
	if p.marks == nil {
		return telling("no finite energies, or all alike")
	}
	return p
}
