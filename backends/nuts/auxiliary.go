package nuts

import (
	"context"

	"github.com/vflc/vflc/density"
)

// Auxiliary implements backends.Kernel: z is the coordinate itself where it is centred, else the cut and its
// noise.
func (k *chain) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for b, s := range k.parties {
		if s.block.AuxLen() == 0 {
			continue
		}
		if s.cut == nil {
			s.cut = make([]float64, s.block.AuxLen())
		}
		s.block.Cut(density.Here, s.place(k.now.q.theta[b]), s.cut)
		s.aux.value(k.now.q.at[b][s.block.Dim():], s.cut, z[b])
		s.noise.place(k.now.q, s.cut, z[b])
	}
	if k.settings.Bool(collapseAux) {
		k.divide(z)
	}
	return nil
}

// divide gives every party its share of the noise of each sum, which is with one of them so far: noise r =
// Σ_j r_j of independent r_j ~ N(0, ρ_j²). Given r the r_j are normal with means w_j r, w_j = ρ_j²/Σρ², and
// covariances ρ_j²(1_{j=k} − w_k): so r_j = u_j + w_j (r − Σu) with fresh u_j ~ N(0, ρ_j²).
func (k *chain) divide(z [][]float64) {
	rest, variance := map[int][]float64{}, map[int]float64{}
	for b, s := range k.parties {
		s.division.Round(uint64(k.done))
		for _, p := range s.aux.pieces {
			c := p.cut
			z, g, r := span(z[b], c), span(s.cut, c), rest[c.Group]
			if r == nil {
				r = make([]float64, c.Len())
				rest[c.Group] = r
			}
			variance[c.Group] += float64(c.Rho * c.Rho)
			s.division.Normals(s.scratch(c.Len()))
			for i, u := range s.fresh {
				r[i] += z[i] - g[i] - float64(c.Rho*u)
				z[i] = g[i] + float64(c.Rho*u)
			}
		}
	}
	for b, s := range k.parties {
		for _, p := range s.aux.pieces {
			c := p.cut
			w := c.Rho * c.Rho / variance[c.Group]
			for i, r := range rest[c.Group] {
				span(z[b], c)[i] += float64(w * r)
			}
		}
	}
}

// scratch returns n numbers to be overwritten.
func (s *party) scratch(n int) []float64 {
	if cap(s.fresh) < n {
		s.fresh = make([]float64, n)
	}
	s.fresh = s.fresh[:n]
	return s.fresh
}

// StepSize implements backends.Hamiltonian.
func (k *chain) StepSize() float64 { return k.eps }

// InverseMetric implements backends.Hamiltonian.
func (k *chain) InverseMetric(b int) (at func(i, j int) float64, diagonal bool) {
	m := &k.parties[b].metric
	return m.element, !m.isDense() && m.rank() == 0
}
