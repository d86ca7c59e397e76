package lastlayer

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// What a client maximises is its log density plus the evidence −½ log det(P + HᵀWH): H are the features, W is
// the curvature of the likelihood and P the precision of the last layer's prior, so that exp of it is the
// volume of that layer's posterior where all else is known. With it the hidden layers come to the mode of
// their own posterior, the last layer integrated out (MacKay 1992); at the joint mode they would fit noise as
// well.

// value is what a client maximises at θ but for the likelihood. It leaves its cuts in g.
func (p *party) value(theta []float64) float64 {
	evidence := p.evidence(theta, nil)
	return evidence + p.block.Local(theta, p.g, p.own)
}

// features are the columns of H at θ, as its cuts at the unit vectors of the last layer differ from those at
// 0.
func (p *party) features(theta []float64) []float64 {
	at, n := slices.Clone(theta), len(p.g)
	h := make([]float64, len(p.cond.Index)*n)
	for _, i := range p.cond.Index {
		at[i] = 0
	}
	none := slices.Clone(p.cuts.CutAt(density.Here, at))
	for k, i := range p.cond.Index {
		at[i] = 1
		vec.Sub(n, h[k*n:], p.cuts.CutAt(density.Here, at), none)
		at[i] = 0
	}
	return h
}

// evidence is that, and adds its gradient to grad, unless that is nil; 0 where there are no hidden layers.
func (p *party) evidence(theta, grad []float64) float64 {
	if p.cond == nil {
		return 0
	}
	d, n, h := len(p.cond.Index), len(p.g), p.features(theta)
	weighted, f := slices.Clone(h), algebra.NewFactor(d)
	for k := range weighted {
		weighted[k] *= p.curve[k%n]
	}
	copy(f.Matrix, p.precision)
	for a := range d {
		for b := range d {
			f.Matrix[a*d+b] += vec.Dot(n, h[a*n:], weighted[b*n:])
		}
	}
	if !f.Definite() {
		return math.Inf(-1)
	}
	if grad != nil {
		p.follow(theta, weighted, &f, grad)
	}
	return -0.5 * f.LogDet()
}

// follow adds the gradient: that by H is −WH(P + HᵀWH)⁻¹, a column of which is pulled back through the hidden
// layers from where the last layer is a unit vector.
func (p *party) follow(theta, weighted []float64, f *algebra.Factor, grad []float64) {
	d, n, at := len(p.cond.Index), len(p.g), slices.Clone(theta)
	row, by := make([]float64, d), make([]float64, len(grad))
	for _, i := range p.cond.Index {
		at[i] = 0
	}
	for k, i := range p.cond.Index {
		clear(row)
		row[k] = 1
		f.Solve(row)
		clear(p.seeds)
		for a, v := range row {
			vec.Axpy(n, p.seeds, -v, weighted[a*n:])
		}
		at[i] = 1
		p.cuts.CutAt(density.Here, at)
		p.cuts.Pull(density.Here, p.seeds, by)
		at[i] = 0
	}
	for _, i := range p.cond.Hyper {
		grad[i] += by[i]
	}
}
