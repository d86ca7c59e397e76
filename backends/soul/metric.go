package soul

import (
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
)

// denseLimit is the most parameters of a party for which its metric is found in full: that takes two
// evaluations a parameter, and its use the square of their number.
const denseLimit = 200

// A metric is an approximation of the inverse of −∂²L/∂x² of one party.
//
// At a client with z = x, L is as curved as the client's own marginal density of z, plus what the likelihood
// adds, no more than a diagonal c (see curvature). With R = diag(1/ρ²), g = Xθ + g₀ and Λ the precision of θ
// without z, the former is R − RX(XᵀRX + Λ)⁻¹XᵀR, so by Woodbury's identity
//
//	(R − RX(XᵀRX + Λ)⁻¹XᵀR + C)⁻¹ = A + A R X (Xᵀ D X + Λ)⁻¹ Xᵀ R A,   A = (R + C)⁻¹,  D = R C A,
//
// which takes a system in the dimensions of θ. Where the cut is not affine, A alone is used: it is smaller,
// so its steps are safe and slower. At the server it is the inverse of the curvature of the joint density in
// γ.
type metric struct {
	block   density.Block              // of a client, nil at the server
	pulls   density.DifferentiableCuts // nil without cuts
	cuts    []density.Cut
	bound   []float64 // c
	dense   bool
	inner   algebra.Factor // XᵀDX + Λ, or the server's curvature
	law     algebra.Factor // XᵀRX + Λ, the precision of θ given z
	follows bool           // the law has a factor
	flat    float64        // the server's metric where that is not dense
	origin  []float64
	image   []float64
	seed    []float64
	unknown []float64
	fresh   []float64 // curvature being measured
	adjoint []float64 // where it is measured from
}

func newServerMetric(n int) metric {
	m := metric{dense: n <= denseLimit, flat: 1, fresh: make([]float64, n), unknown: make([]float64, n),
		adjoint: make([]float64, n)}
	if m.dense {
		m.inner = algebra.NewFactor(n)
	}
	return m
}

func newClientMetric(b density.Block) (metric, error) {
	n, p := b.AuxLen(), b.Dim()
	m := metric{
		block: b, cuts: b.Cuts(), bound: make([]float64, n), origin: make([]float64, n),
		image: make([]float64, n), seed: make([]float64, n),
		unknown: make([]float64, p), fresh: make([]float64, n), adjoint: make([]float64, n),
	}
	if n == 0 {
		return m, nil
	}
	var err error
	if m.pulls, err = density.RequireOf[density.DifferentiableCuts](b); err != nil {
		return m, err
	}
	if m.pulls.Affine() && p <= denseLimit && p > 0 {
		m.inner, m.law = algebra.NewFactor(p), algebra.NewFactor(p)
	}
	return m, nil
}

// apply sets dir to the metric times v.
func (m *metric) apply(dir, v []float64) {
	if m.block == nil {
		m.applyServer(dir, v)
		return
	}
	for _, c := range m.cuts {
		r := 1 / (c.Rho * c.Rho)
		v, dir, bound, seed := span(v, c), span(dir, c), span(m.bound, c), span(m.seed, c)
		for i, x := range v {
			a := 1 / (r + bound[i])
			dir[i] = a * x
			seed[i] = r * a * x
		}
	}
	if !m.dense {
		return
	}
	clear(m.unknown)
	m.block.Cut(density.Centre, m.unknown, m.origin)
	m.pulls.Pull(density.Centre, m.seed, m.unknown)
	m.inner.Solve(m.unknown)
	m.block.Cut(density.Centre, m.unknown, m.image)
	for _, c := range m.cuts {
		r := 1 / (c.Rho * c.Rho)
		dir, bound, image, origin := span(dir, c), span(m.bound, c), span(m.image, c), span(m.origin, c)
		for i := range dir {
			dir[i] += float64(r / (r + bound[i]) * (image[i] - origin[i]))
		}
	}
}

func (m *metric) applyServer(dir, v []float64) {
	copy(dir, v)
	if m.dense {
		m.inner.Solve(dir)
		return
	}
	scale(dir, m.flat)
}

// forget is how far above the mean of what is measured the mean of what is kept may lie.
const forget = 4

// settle takes in the curvature of the likelihood that was measured. The largest of each element is kept,
// since a likelihood is flatter where it is nearly certain than on the way there; but if the whole has become
// much flatter, as with a scale that was found larger, all is scaled down.
func (m *metric) settle() {
	var before, now float64
	for i, c := range m.fresh {
		if !finite(c) {
			m.fresh[i] = m.bound[i]
		}
		before += m.bound[i]
		now += m.fresh[i]
	}
	keep := 1.0
	if before > forget*now {
		keep = forget * now / before
	}
	for i, c := range m.fresh {
		m.bound[i] = max(c, keep*m.bound[i])
	}
}

// weight is an element of a diagonal matrix, from those of R and C.
type weight func(r, bound float64) float64

func besideBound(r, bound float64) float64 { return r * bound / (r + bound) } // of D
func ofNoise(r, _ float64) float64         { return r }

// outer fills a matrix with XᵀWX, column by column.
func (m *metric) outer(matrix []float64, of weight) {
	p := m.inner.Len()
	clear(m.unknown)
	m.block.Cut(density.Centre, m.unknown, m.origin)
	for k := range p {
		m.unknown[k] = 1
		m.block.Cut(density.Centre, m.unknown, m.image)
		m.unknown[k] = 0
		for _, c := range m.cuts {
			r := 1 / (c.Rho * c.Rho)
			bound, image, origin, seed := span(m.bound, c), span(m.image, c), span(m.origin, c),
				span(m.seed, c)
			for i := range seed {
				seed[i] = of(r, bound[i]) * (image[i] - origin[i])
			}
		}
		row := matrix[k*p:][:p]
		clear(row)
		m.pulls.Pull(density.Centre, m.seed, row)
	}
}
