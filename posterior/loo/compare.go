package loo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A Named is an estimate with the name of its model.
type Named struct {
	Name string
	Estimate
}

// A Compared is one model compared with the best. Diff is its elpd minus that of the best, and DiffSE the
// standard error of Diff, from the paired differences by observation; both are 0 for the best.
type Compared struct {
	Named
	Diff, DiffSE float64
}

// Compare orders models by their elpd, the best first, models of equal elpd in the order given. They must
// have been estimated for the same observations.
func Compare(models []Named) ([]Compared, error) {
	if len(models) < 2 {
		return nil, errors.New("a comparison needs two models")
	}
	for _, m := range models[1:] {
		if m.Observed != models[0].Observed {
			return nil, fmt.Errorf("%s has %d observations but %s has %d; only models of the "+
				"same data can be compared", models[0].Name, models[0].Observed, m.Name, m.Observed)
		}
	}
	ranked := slices.Clone(models)
	slices.SortStableFunc(ranked, func(a, b Named) int { return cmp.Compare(b.ELPD, a.ELPD) })
	out := make([]Compared, len(ranked))
	for i, m := range ranked {
		out[i].Named = m
		if i > 0 {
			d := make([]float64, m.Observed)
			floats.SubTo(d, m.Pointwise, ranked[0].Pointwise)
			out[i].Diff, out[i].DiffSE = sumAndError(d)
		}
	}
	return out, nil
}
