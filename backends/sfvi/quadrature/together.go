package quadrature

import (
	"math"

	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// together are likelihoods whose rows see the same noise: those of one sum. Where they are several that is
// integrated out of their product.
type together struct {
	members []*rows
	// of all, as a function of how far the noise moves the predictors, which are in eta of each member; the
	// member itself where there is one
	whole *rows
	still []float64
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
	t.whole = newRows(density.RowLikelihood{Group: t.whole.Group,
		Affine: density.Affine{Offset: make([]float64, n)}}, nil)
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

// value is the log density of the rows with the members' predictors, and sets by, unless it is nil, to the
// gradient by the globals.
func (t *together) value(phi, by []float64) float64 {
	r, eta := t.whole, t.whole.eta
	if t.still != nil {
		eta = t.still
	}
	r.density(phi, eta, r.lp, r.at, by)
	return vec.Sum(r.n, r.lp)
}

// farthest is how far from the fit a likelihood is looked at, in steps that double, the first of them an sd
// of the row's predictor.
const farthest = 8

// somewhereConvex reports whether the log density of a row has a slope that rises with one of its predictors,
// near the fit or far from it. The predictors are those of a draw.
func (t *together) somewhereConvex() bool {
	for a := range t.members[0].Width {
		if t.convexIn(a) {
			return true
		}
	}
	return false
}

// convexIn is that of one predictor.
func (t *together) convexIn(a int) bool {
	r, of := t.whole, t.members[0]
	centre := r.mean
	if t.still != nil {
		centre = t.still
	}
	phi := r.nodes[len(r.nodes)/2].phi // the middle node is the mean
	at, slope, before := make([]float64, r.n), make([]float64, r.n), []float64(nil)
	for k := -farthest; k <= farthest; k++ {
		shift := 0.0
		if k != 0 {
			shift = math.Copysign(math.Ldexp(1, max(k, -k)-1), float64(k))
		}
		copy(at, centre)
		for i, sd := range of.of(a, r.sd) {
			of.of(a, at)[i] += float64(shift * max(sd, leastSD))
		}
		r.density(phi, at, r.lp, slope, nil)
		for i, s := range before {
			if of.of(a, slope)[i]-s > 1e-6*(1+math.Abs(s)) {
				return true
			}
		}
		before = append(before[:0], of.of(a, slope)...)
	}
	return false
}
