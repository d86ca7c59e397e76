package model

import "slices"

// Predict returns the predictor of each element of response k at parameters x, without noise, and the
// arguments of its distribution.
func (s *Simulator) Predict(k int, x []float64) (eta []float64, args [][]float64) {
	y := &s.model.Responses[k]
	s.exec.Forward(x)
	for _, a := range y.Args {
		args = append(args, slices.Clone(s.exec.Report(a)))
	}
	return slices.Clone(s.exec.Report(y.Predictor.Eta)), args
}
