package model

import "github.com/vflc/vflc/portable"

// LogLikelihood returns the log density of all responses at parameters x on their declared scale, without the
// noise of auxiliary variables: that of the model as written. It is for models whose responses can all be
// drawn, without a factor or cox.
func (s *Simulator) LogLikelihood(x []float64) float64 {
	for _, n := range s.model.Noise {
		clear(s.exec.Input(n.Input))
	}
	s.exec.Forward(x)
	sum := 0.0
	for k := range s.model.Responses {
		for _, lp := range s.elements(&s.model.Responses[k]) {
			sum += lp
		}
	}
	return sum
}

// LogPrior returns the log density of the prior of parameter k where the model was evaluated last. The
// model is one with densities of priors.
func (s *Simulator) LogPrior(k int) float64 {
	return portable.Sum(s.exec.Report(s.model.Params[k].Prior))
}
