package nuts

import (
	"context"

	"github.com/vflc/vflc/density"
)

// Auxiliary implements backends.Kernel: z is the cut and its noise.
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
	return nil
}

// StepSize implements backends.Hamiltonian.
func (k *chain) StepSize() float64 { return k.eps }

// InverseMetric implements backends.Hamiltonian.
func (k *chain) InverseMetric(b int) (at func(i, j int) float64, diagonal bool) {
	m := &k.parties[b].metric
	return m.element, !m.isDense() && m.rank() == 0
}
