package calibrate

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
)

// normals are the quantiles of the standard normal distribution at the middles of a number of cells of equal
// probability: the score of each possible rank.
func normals(possible int) []float64 {
	out := make([]float64, possible)
	for i := range possible / 2 {
		out[i] = quantile(portable.Log((float64(i) + 0.5) / float64(possible)))
		out[possible-1-i] = -out[i]
	}
	return out
}

// quantile returns the x ≤ 0 where Φ(x) is a probability of at most ½, given by its logarithm. As log Φ is
// concave, Newton's steps from a point below x stay below it, and Φ(x) ≤ exp(-x²/2) gives such a point.
func quantile(logP float64) float64 {
	x := -math.Sqrt(-2 * logP)
	for {
		next := x + (logP-portable.LogPhi(x))/portable.LogPhiSlope(x)
		if !(next > x) || next-x < 1e-15*math.Abs(x) {
			return min(x, 0)
		}
		x = next
	}
}

// A law is the distribution of a value that is each of some numbers with the same probability. Their mean is
// 0.
type law []float64

// standardised is the law of a function of the scores, with mean 0 and variance 1.
func standardised(scores []float64, f func(a float64) float64) law {
	out := make(law, len(scores))
	mean, square := 0.0, 0.0
	for i, a := range scores {
		out[i] = f(a)
		mean += out[i] / float64(len(scores))
	}
	for i := range out {
		out[i] -= mean
		square += float64(out[i]*out[i]) / float64(len(scores))
	}
	for i := range out {
		out[i] /= math.Sqrt(square)
	}
	return out
}

// deviate returns the standard normal deviate that is as far in the tail as a mean of n independent values of
// the law: by the saddlepoint approximation in the form r* = r + log(q/r)/r (Lugannani and Rice 1980,
// Barndorff-Nielsen 1986), whose relative error is small also far in the tails and for few values, where a
// normal approximation is off by factors. Where all n values are the most extreme one the probability is
// exact.
func (l law) deviate(mean float64, n int) float64 {
	least, most := slices.Min(l), slices.Max(l)
	switch near := float64(1e-9 * (most - least)); {
	case mean >= most-near:
		return -l.corner(most-near, n)
	case mean <= least+near:
		return l.corner(least+near, n)
	}
	t, k, k2 := l.saddle(mean)
	root := math.Sqrt(float64(n))
	half := float64(t*mean) - k
	if math.Abs(t) < 1e-3 || half <= 0 { // the limit at the mean
		third := 0.0
		for _, x := range l {
			third += x * x * x / float64(len(l))
		}
		return float64(root*mean) + float64(third*(1-float64(mean*mean*float64(n))))/(6*root)
	}
	w := math.Copysign(math.Sqrt(2*half), t)
	return float64(root*w) + portable.Log(t*math.Sqrt(k2)/w)/(root*w)
}

// corner is the deviate of n values that all lie at one end of the law, as those of it do that are not on the
// other side of a bound.
func (l law) corner(bound float64, n int) float64 {
	at := 0
	for _, x := range l {
		if (bound > 0) == (x >= bound) {
			at++
		}
	}
	return quantile(max(float64(float64(n)*portable.Log(float64(at)/float64(len(l)))), -1e6))
}

// saddle returns t where the derivative of the cumulant generating function log E exp(t·x) is a mean, with
// the function and its second derivative there. Newton's steps are kept between bounds.
func (l law) saddle(mean float64) (t, k, second float64) {
	low, high := math.Inf(-1), math.Inf(1)
	t = mean // which it is for a normal distribution
	for range 200 {
		var first float64
		k, first, second = l.cumulants(t)
		d := mean - first
		if d > 0 {
			low = t
		} else {
			high = t
		}
		next := t + d/second
		switch {
		case next > low && next < high:
		case math.IsInf(high, 1):
			next = 2 * max(low, 1)
		case math.IsInf(low, -1):
			next = 2 * min(high, -1)
		default:
			next = (low + high) / 2
		}
		if math.Abs(next-t) <= 1e-13*max(1, math.Abs(t)) {
			break
		}
		t = next
	}
	return t, k, second
}

// cumulants returns log E exp(t·x) and its first two derivatives.
func (l law) cumulants(t float64) (k, first, second float64) {
	shift := math.Inf(-1)
	for _, x := range l {
		shift = max(shift, float64(t*x))
	}
	sum := 0.0
	for _, x := range l {
		e := portable.Exp(float64(t*x) - shift)
		sum += e
		first += float64(e * x)
		second += float64(float64(e*x) * x)
	}
	first /= sum
	return shift + portable.Log(sum/float64(len(l))), first, second/sum - float64(first*first)
}

// twoSided is the probability of a standard normal deviate at least as far from 0.
func twoSided(z float64) float64 { return min(1, 2*portable.Exp(portable.LogPhi(-math.Abs(z)))) }
