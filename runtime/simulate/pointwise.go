package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
)

// LogDensity sets dst[i] to the log density of element i of response k at parameters x. Where auxiliary variables reach it, they are
// integrated out to Precision: in the augmented model the elements of a response are independent given the parameters, with one normal deviation of
// variance Σ ρ² each. A Simulator integrates where it found the integrands at its first call: a result differs by no more than Precision whatever
// the calls before. The error gives the reason where there is no such density.
func (s *Simulator) LogDensity(k int, x, dst []float64) error {
	y := &s.model.Responses[k]
	if y.Dependent != "" {
		return fmt.Errorf("%s has no pointwise density: %s", y.Name, y.Dependent)
	}
	s.exec.Forward(x)
	if len(y.Noise) == 0 {
		copy(dst, s.elements(y))
		return nil
	}
	if s.integrals == nil {
		s.integrals = make([]*quadrature, len(s.model.Responses))
	}
	if s.integrals[k] == nil {
		s.integrals[k] = newQuadrature(len(dst), func(t []float64) []float64 { return s.shifted(y, t) })
	}
	if !s.integrals[k].into(dst) {
		return fmt.Errorf("%s: the integral over the auxiliary variables did not converge; rho is large compared with the width of the likelihood", y.Name)
	}
	return nil
}

// elements evaluates the log densities: by vector functions, or where one of these is NaN row by row, which knows the limits.
func (s *Simulator) elements(y *Response) []float64 {
	lp := s.exec.Report(y.LogDensity)
	if slices.ContainsFunc(lp, math.IsNaN) {
		lp = s.exec.Report(y.Rowwise)
	}
	return lp
}

// shifted evaluates the log densities with the total deviation of element i at t[i] standard deviations, all of it in one auxiliary variable.
func (s *Simulator) shifted(y *Response, t []float64) []float64 {
	total := 0.0
	for _, n := range y.Noise {
		total = portable.Hypot(total, s.model.Noise[n].Rho)
	}
	for i, n := range y.Noise {
		in := s.exec.Input(s.model.Noise[n].Input)
		if i > 0 {
			clear(in)
			continue
		}
		scale := total / s.model.Noise[n].Rho
		for e, v := range t {
			in[e] = v * scale
		}
	}
	return s.elements(y)
}
