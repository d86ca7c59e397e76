package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// LogDensity sets dst[i] to the log density of element i of response k at parameters x. Where auxiliary
// variables reach it, they are integrated out to Precision: in the augmented model the elements of a response
// are independent given the parameters, with one normal deviation of variance Σ ρ² each. A Simulator
// integrates where it found the integrands at its first call: a result differs by no more than Precision
// whatever the calls before. The error gives the reason where there is no such density.
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
	return s.integrate(k, dst, func(t []float64) []float64 { return s.shifted(y, t, s.spread(y)) })
}

// integrate sets dst to the logs of the integrals over a standard normal variable of exp f.
func (s *Simulator) integrate(k int, dst []float64, f func(t []float64) []float64) error {
	if s.integrals == nil {
		s.integrals = make([]*quadrature, len(s.model.Responses))
	}
	if s.integrals[k] == nil {
		s.integrals[k] = newQuadrature(len(dst), f)
	}
	if !s.integrals[k].into(dst) {
		return fmt.Errorf("%s: the integral over the auxiliary variables did not converge; rho is large "+
			"compared with the width of the likelihood", s.model.Responses[k].Name)
	}
	return nil
}

// Ratio sets dst[i] to the log density of element i of response k without noise, less that with the auxiliary
// variables integrated out: LogDensity, or where the likelihood stands at all clients the geometric mean over
// these.
func (s *Simulator) Ratio(k int, x, dst []float64) error {
	y := &s.model.Responses[k]
	if y.Powers && y.Dependent == "" && len(y.Noise) > 0 {
		s.exec.Forward(x)
		if err := s.integrate(k, dst, s.geometric(y)); err != nil {
			return err
		}
	} else if err := s.LogDensity(k, x, dst); err != nil {
		return err
	}
	for _, n := range y.Noise {
		clear(s.exec.Input(s.model.Noise[n].Input))
	}
	for i, lp := range s.elements(y) {
		dst[i] = lp - dst[i]
	}
	return nil
}

// The nodes above 0 of the Gauss-Hermite rule of seven points for a standard normal variable, with the
// weights of both signs; the first is that of 0.
var (
	hermiteNodes   = [...]float64{0, 1.1544053947399682, 2.3667594107345416, 3.7504397177257425}
	hermiteWeights = [...]float64{0.45714285714285713, 0.4802463572100254, 0.0615142479351730,
		0.0010965377119444}
)

// geometric returns the log of Π_j p(y | η + Σ_{k≠j} ρε_k)^(1/J) given the mean of the J deviations, which is
// t standard deviations, the deviations from the mean integrated out as package stretch describes.
func (s *Simulator) geometric(y *Response) func(t []float64) []float64 {
	j := float64(len(y.Noise))
	rho := s.spread(y) / math.Sqrt(j)
	outer, inner := rho*(j-1)/math.Sqrt(j), rho*math.Sqrt((j-1)/j)
	var middle, up, at, sum []float64
	return func(t []float64) []float64 {
		if middle == nil {
			middle, up, at, sum = make([]float64, len(t)), make([]float64, len(t)), make([]float64, len(t)),
				make([]float64, len(t))
		}
		move := func(by float64) []float64 {
			for i, v := range t {
				at[i] = float64(v*outer) + by
			}
			return s.shifted(y, at, 1)
		}
		copy(middle, move(0))
		if j == 1 {
			return middle
		}
		for i := range sum {
			sum[i] = hermiteWeights[0]
		}
		for r, node := range hermiteNodes[1:] {
			copy(up, move(float64(node*inner)))
			for i, down := range move(float64(-node * inner)) {
				h := float64((up[i]+down)/2) - middle[i]
				at[i] = min(h/(j-1), exponents)
			}
			vector.Exp(len(at), at, at)
			vector.Scale(len(at), at, at, hermiteWeights[r+1])
			vector.Accumulate(len(at), sum, at)
		}
		for i, v := range sum {
			middle[i] += float64((j - 1) * portable.Log(v))
		}
		return middle
	}
}

// elements evaluates the log densities: by vector functions, or where one of these is NaN row by row, which
// knows the limits.
func (s *Simulator) elements(y *Response) []float64 {
	lp := s.exec.Report(y.LogDensity)
	if slices.ContainsFunc(lp, math.IsNaN) {
		lp = s.exec.Report(y.Rowwise)
	}
	return lp
}

// spread is the standard deviation of the sum of the noise in a response.
func (s *Simulator) spread(y *Response) (total float64) {
	for _, n := range y.Noise {
		total = portable.Hypot(total, s.model.Noise[n].Rho)
	}
	return total
}

// shifted evaluates the log densities with the total deviation of element i at t[i]·sd, all of it in one
// auxiliary variable.
func (s *Simulator) shifted(y *Response, t []float64, sd float64) []float64 {
	for i, n := range y.Noise {
		in := s.exec.Input(s.model.Noise[n].Input)
		if i > 0 {
			clear(in)
			continue
		}
		scale := sd / s.model.Noise[n].Rho
		for e, v := range t {
			in[e] = v * scale
		}
	}
	return s.elements(y)
}
