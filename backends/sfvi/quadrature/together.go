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
	// of all, as a function of how far the noise moves the predictors, which are in eta of each member, of
	// the part at hand; the member itself where there is one
	whole *rows
	still []float64 // of a part
}

// withNoise puts the likelihoods of one sum together, and integrates the noise of that sum out of them.
func withNoise(all []*rows, noise []float64) []*together {
	out := noisyTogether(all)
	for _, l := range out {
		if v := noise[l.whole.Group]; v != l.whole.noise {
			l.whole.integrateOut(v)
		}
	}
	return out
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
	all, once, m := t.whole.n, t.whole.once(), len(t.whole.by)
	moved, l, d, part := make([]float64, once), make([]float64, once), make([]float64, once),
		make([]float64, m)
	t.whole = newRows(density.RowLikelihood{Group: t.whole.Group, Block: t.whole.Block,
		Width: t.whole.Width, Affine: density.Affine{Offset: make([]float64, all)}}, nil)
	t.whole.by, t.still = make([]float64, m), make([]float64, once)
	for _, r := range t.members {
		vec.Accumulate(all, t.whole.curvature, r.curvature)
	}
	t.whole.Part = func(from int, phi, shift, lp, slope, seeds, by []float64) {
		n := len(shift)
		clear(lp[:n])
		clear(slope[:n])
		clear(by)
		for _, r := range t.members {
			vec.Add(n, moved, r.eta, shift)
			r.EvaluatePart(from, phi, moved[:n], l, d, seeds, part)
			vec.Accumulate(n, lp, l)
			vec.Accumulate(n, slope, d)
			vec.Accumulate(m, by, part)
		}
	}
}

// value is the log density of the rows with the members' predictors, which predict sets from one on.
func (t *together) value(phi []float64, predict func(r *rows, from int, eta []float64)) (sum float64) {
	for p := range t.whole.parts() {
		for _, r := range t.members {
			predict(r, p.from, r.eta[:p.n])
		}
		eta := p.eta
		if t.still != nil {
			eta = t.still[:p.n]
		}
		p.density(phi, eta, p.lp, p.at, nil)
		sum += vec.Sum(p.count(), p.lp)
	}
	return sum
}

// farthest is how far from the fit a likelihood is looked at, in steps that double, the first of them an sd
// of the row's predictor.
const farthest = 8

// somewhereConvex reports whether the log density of a row has a slope that rises with one of its predictors,
// near the fit or far from it.
func (t *together) somewhereConvex() bool {
	for p := range t.whole.parts() {
		centre, variance := p.mean, t.members[0].variance[p.from:][:p.n]
		if t.still != nil {
			centre = t.still[:p.n]
			for _, r := range t.members {
				copy(r.eta, r.mean[p.from:][:p.n])
			}
		}
		for a := range t.members[0].Width {
			if p.convexIn(a, centre, variance) {
				return true
			}
		}
	}
	return false
}

// convexIn is that of one predictor, around a centre.
func (r *rows) convexIn(a int, centre, variance []float64) bool {
	phi := r.nodes[len(r.nodes)/2].phi // the middle node is the mean
	at, slope, before := make([]float64, r.n), make([]float64, r.n), []float64(nil)
	for k := -farthest; k <= farthest; k++ {
		shift := 0.0
		if k != 0 {
			shift = math.Copysign(math.Ldexp(1, max(k, -k)-1), float64(k))
		}
		copy(at, centre)
		for i, v := range r.of(a, variance) {
			r.of(a, at)[i] += float64(shift * max(math.Sqrt(v), leastSD))
		}
		r.density(phi, at, r.lp, slope, nil)
		for i, s := range before {
			if r.of(a, slope)[i]-s > 1e-6*(1+math.Abs(s)) {
				return true
			}
		}
		before = append(before[:0], r.of(a, slope)...)
	}
	return false
}
