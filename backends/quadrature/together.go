package quadrature

import (
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// together are likelihoods whose rows see the same noise: those of one sum. Where they are several that is integrated out of their product.
type together struct {
	members []*rows
	whole   *rows // of all, as a function of how far the noise moves the predictors, which are in eta of each member; the member itself where there is one
	still   []float64
}

// noisyTogether puts the likelihoods of one sum together.
func noisyTogether(all []*rows) (out []*together) {
	by := map[int]*together{}
	for _, r := range all {
		t := by[r.Group]
		if t == nil {
			t = &together{}
			by[r.Group], out = t, append(out, t)
		}
		t.members = append(t.members, r)
	}
	for _, t := range out {
		if t.whole = t.members[0]; len(t.members) > 1 {
			t.merge()
		}
	}
	return out
}

func (t *together) merge() {
	n, m := t.whole.n, len(t.whole.by)
	moved, l, d, part := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, m)
	t.whole = newRows(density.Rows{Group: t.whole.Group, Affine: density.Affine{Offset: make([]float64, n)}}, nil)
	t.whole.by, t.still = make([]float64, m), make([]float64, n)
	for _, r := range t.members {
		vec.Accumulate(n, t.whole.curvature, r.curvature)
	}
	t.whole.Evaluate = func(phi, shift, lp, slope, seeds, by []float64) {
		clear(lp[:n])
		clear(slope[:n])
		clear(by)
		for _, r := range t.members {
			vec.Add(n, moved, r.eta, shift)
			r.Evaluate(phi, moved, l, d, seeds, part)
			vec.Accumulate(n, lp, l)
			vec.Accumulate(n, slope, d)
			vec.Accumulate(m, by, part)
		}
	}
}

// value is the log density of the rows with the members' predictors.
func (t *together) value(phi, by []float64) float64 {
	r, eta := t.whole, t.whole.eta
	if t.still != nil {
		eta = t.still
	}
	r.density(phi, eta, r.lp, r.at, by)
	return vec.Sum(r.n, r.lp)
}
