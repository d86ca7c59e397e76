package portable

import "math"

// lanes is how many partial sums a sum has: as many additions are under way at the same time.
const lanes = 8

// folded adds lanes l and l+4, then l and l+2, then l and l+1.
func folded(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Sum returns Σ x, element i being added to partial sum i modulo eight.
func Sum(x []float64) float64 {
	var s [lanes]float64
	for ; len(x) >= lanes; x = x[lanes:] {
		for l, v := range (*[lanes]float64)(x) {
			s[l] += v
		}
	}
	for l, v := range x {
		s[l] += v
	}
	return folded(&s)
}

// Dot returns Σ x·y in the order of Sum. y has at least as many elements as x.
func Dot(x, y []float64) float64 {
	var s [lanes]float64
	for ; len(x) >= lanes; x, y = x[lanes:], y[lanes:] {
		u, v := (*[lanes]float64)(x), (*[lanes]float64)(y)
		for l := range s {
			s[l] += float64(u[l] * v[l])
		}
	}
	for l, v := range x {
		s[l] += float64(v * y[l])
	}
	return folded(&s)
}

// Mean returns the mean of x, and NaN if there are no values.
func Mean(x []float64) float64 { return Sum(x) / float64(len(x)) }

// Variance returns the variance of x with divisor n − 1, of at least two values, by deviations from the mean,
// whose own sum corrects for its rounding (Chan, Golub and LeVeque 1983).
func Variance(x []float64) float64 {
	centre, squares, rest := Mean(x), 0.0, 0.0
	for _, v := range x {
		d := v - centre
		squares += float64(d * d)
		rest += d
	}
	n := float64(len(x))
	return (squares - float64(rest*rest)/n) / (n - 1)
}

// LogSumExp returns log Σ e^x, and -Inf if there are no values.
func LogSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += Exp(v - top)
	}
	return top + Log(s)
}
