package calibrate

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Power is the probability with which a study detects the errors of Detectable.
const Power = 0.9

// widest is the largest error of the width that Detectable looks for, and farthest that of the mean.
const (
	widest   = 10.0
	farthest = 5.0
)

// DetectableBias returns the errors of a posterior that a study with so many replicates and quantities
// detects with probability Power, where one quantity has them: a shift, in standard deviations, or a width
// so many times too large; one that is as many times too small is detected at least as often. It takes
// normal posteriors. The results are +Inf where there are too few replicates.
func DetectableBias(replicates, quantities, draws int) (shift, width float64) {
	j, n := newJudge(draws), float64(replicates)
	level := Level / float64(3*quantities)
	alarm, missed := -quantile(portable.Log(level/2)), -quantile(portable.Log(1-Power))
	shift = smallest(0, farthest, func(mean float64) bool {
		m, _ := j.moments(mean, 1)
		return -m*math.Sqrt(n) >= alarm+missed
	})
	// The cube root of a variance is nearly normal, with a standard deviation in proportion to it (Wilson and
	// Hilferty 1931). Scores that are all small have the kurtosis of a normal distribution; those of uniform
	// ranks, whose number is finite, have less.
	width = smallest(1, widest, func(sd float64) bool {
		_, v := j.moments(0, sd)
		root := portable.Pow(v, 1.0/3)
		return 3*(1-root)*math.Sqrt(n) >= float64(alarm*math.Sqrt(j.kurtosis()-1))+
			float64(root*missed*math.Sqrt2)
	})
	return shift, width
}

// smallest is where a condition begins to hold between two numbers, +Inf where it does not hold at the
// second.
func smallest(low, high float64, holds func(x float64) bool) float64 {
	if !holds(high) {
		return math.Inf(1)
	}
	for range 40 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// moments are the mean and variance of the standardised score of a standard normal value among draws of a
// normal distribution.
func (j *judge) moments(mean, sd float64) (first, variance float64) {
	draws := len(j.shift) - 1
	choose := make([]float64, draws+1) // logarithms
	for r := range draws {
		choose[r+1] = choose[r] + portable.Log(float64(draws-r)/float64(r+1))
	}
	// Given the value, the rank is binomial; the values are the middles of cells of equal probability.
	values := normals(400)
	second := 0.0
	for _, x := range values {
		u := (x - mean) / sd
		below, above := portable.LogPhi(u), portable.LogPhi(-u)
		for r, score := range j.shift {
			p := portable.Exp(choose[r]+float64(float64(r)*below)+
				float64(float64(draws-r)*above)) / float64(len(values))
			first += float64(p * score)
			second += float64(float64(p*score) * score)
		}
	}
	return first, second - float64(first*first)
}
