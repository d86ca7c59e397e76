package plot

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/posterior"
)

func looPITKind() Kind {
	return Kind{Name: "loo-pit", one: true, Transformed: true, make: looPIT,
		Doc: "whether observations lie where the model without them predicts: within the band if so"}
}

func looPIT(in input) (*Figure, error) {
	run := in.runs[0]
	if len(run.Responses) == 0 {
		return nil, fmt.Errorf("%s has no responses with transforms", run.Name)
	}
	f := &Figure{title: in.title("LOO-PIT"), across: columnsFor(len(run.Responses)), flows: true}
	f.wide, f.high = panelSize(f.across)
	for _, r := range run.Responses {
		p := panel{title: r.Name, x: axis{label: "LOO-PIT", lo: 0, hi: 1}, y: axis{label: "share below, " +
			"less uniform"}}
		sorted := slices.Sorted(slices.Values(numbers([][]float64{r.PIT})))
		if len(sorted) < len(r.PIT) || len(sorted) == 0 {
			p.marks = []mark{remark{"values that are not finite"}}
			f.panels = append(f.panels, p)
			continue
		}
		b := posterior.NewUniformBand(len(sorted), 0.95)
		lower, upper := make([]float64, len(b.At)), make([]float64, len(b.At))
		for k, z := range b.At {
			lower[k], upper[k] = b.Lower[k]-z, b.Upper[k]-z
		}
		var xs, ys []float64
		for i, v := range sorted {
			n := float64(len(sorted))
			xs, ys = append(xs, v, v), append(ys, float64(i)/n-v, float64(i+1)/n-v)
		}
		edge := pen{grey, 0.7, 1, false}
		p.marks = []mark{area{b.At, upper, lower, grey, 0.2}, curve{b.At, upper, edge}, curve{b.At, lower,
			edge},
			segment{0, 0, 1, 0, pen{grey, 1, 1, true}, false}, curve{xs, ys, penOf(0)}}
		f.panels = append(f.panels, p)
	}
	f.note = "The empirical distribution function of LOO-PIT, less that of uniform values."
	f.shades = "Grey: where it lies as a whole with probability 95 % if observations are as predicted."
	return f, nil
}
