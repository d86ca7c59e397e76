package nuts

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Constants of dual averaging as in Hoffman and Gelman (2014), "The No-U-Turn sampler", section 3.2, which
// Stan and nutpie share.
const (
	gamma = 0.05 // how strongly early iterations pull towards mu
	delay = 10   // t0: damps the first iterations
	decay = 0.75 // kappa: how fast old iterates lose weight in the average
)

// A stepSize finds the step size whose acceptance statistic is Target in the mean.
type stepSize struct {
	Target float64
	// Limit is the largest step size; 0: none.
	Limit float64

	mu     float64 // what log ε is shrunk towards
	bias   float64 // weighted mean of Target − statistic
	log    float64 // log ε
	smooth float64 // its weighted mean
	count  float64
}

// Restart begins anew at step size eps. The first trials are larger steps, since a step that is too small
// costs most.
func (s *stepSize) Restart(eps float64) {
	s.log, s.smooth, s.bias, s.count = portable.Log(eps), portable.Log(eps), 0, 0
	s.mu = portable.Log(10 * eps)
}

// Learn updates the step size from the acceptance statistic of one transition, between 0 and 1.
func (s *stepSize) Learn(statistic float64) {
	s.count++
	eta := 1 / (s.count + delay)
	s.bias = float64((1-eta)*s.bias) + float64(eta*(s.Target-statistic))
	s.log = s.mu - s.bias*math.Sqrt(s.count)/gamma
	if s.Limit > 0 {
		s.log = min(s.log, portable.Log(s.Limit))
	}
	w := portable.Pow(s.count, -decay)
	s.smooth = float64(w*s.log) + float64((1-w)*s.smooth)
}

// Current is the step size of the next transition of the warm-up.
func (s *stepSize) Current() float64 { return portable.Exp(s.log) }

// Final is the step size after the warm-up: the averaged one.
func (s *stepSize) Final() float64 { return portable.Exp(s.smooth) }

// State returns the fields that a checkpoint has to keep.
func (s *stepSize) State() []*float64 {
	return []*float64{&s.mu, &s.bias, &s.log, &s.smooth, &s.count}
}
