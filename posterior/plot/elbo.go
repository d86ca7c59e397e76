package plot

import "fmt"

func elboKind() Kind {
	return Kind{Name: "elbo",
		Doc:  "the evidence lower bound over the iterations of a variational fit, whole and its second half",
		make: elbo}
}

func elbo(in input) (*Figure, error) {
	f := &Figure{title: in.title("Evidence lower bound"), across: 2, flows: true, legend: in.runLegend(),
		shades: "Shaded: ± 2 Monte Carlo standard errors."}
	f.wide, f.high = 400, 260
	whole := panel{title: "All iterations", x: axis{label: "iteration", whole: true},
		y: axis{label: "ELBO (nats)"}}
	half := whole
	half.title = "Second half"
	for r, run := range in.runs {
		if len(run.ELBO) == 0 {
			return nil, fmt.Errorf("%s has no ELBO: it is that of a variational fit", run.Name)
		}
		whole.marks = append(whole.marks, elboMarks(run, r, 0)...)
		half.marks = append(half.marks, elboMarks(run, r, len(run.ELBO)/2)...)
	}
	f.panels = []panel{whole, half}
	return f, nil
}

// elboMarks is the bound of a run from one of its evaluations, with its uncertainty.
func elboMarks(run RunView, r, from int) []mark {
	var xs, ys, low, high []float64
	for _, p := range run.ELBO[from:] {
		if !finite(p.Value) || !finite(p.SE) {
			continue
		}
		xs, ys = append(xs, float64(p.Iteration)), append(ys, p.Value)
		low, high = append(low, p.Value-float64(2*p.SE)), append(high, p.Value+float64(2*p.SE))
	}
	if xs == nil {
		return []mark{remark{"no finite ELBO"}}
	}
	line := penOf(r)
	line.width = 1.2
	return []mark{area{xs, high, low, line.color, 0.2}, curve{xs, ys, line}}
}
