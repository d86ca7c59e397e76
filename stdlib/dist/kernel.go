package dist

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

const (
	halfLogTwoPi = 0.91893853320467274178032973640562 // log(2π)/2
	logPi        = 1.14472988584940017414342735135306
)

// Log densities use NaN for "no density here": positive and similar functions turn a value outside a domain
// into NaN, arithmetic carries it to the log density, and finish turns it into -Inf. The loops need no branch
// for it.

// positive returns v where v > 0.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return math.NaN()
}

// nonNegative returns v where v ≥ 0.
func nonNegative(v float64) float64 {
	if v >= 0 {
		return v
	}
	return math.NaN()
}

// natural returns v where it is a whole number ≥ 0.
func natural(v float64) float64 {
	if v >= 0 && v == math.Floor(v) && !math.IsInf(v, 1) {
		return v
	}
	return math.NaN()
}

// binary returns v where it is 0 or 1.
func binary(v float64) float64 {
	if v == 0 || v == 1 {
		return v
	}
	return math.NaN()
}

// set stores v as element i of an output that may not be wanted.
func set(dst []float64, i int, v float64) {
	if i < len(dst) {
		dst[i] = v
	}
}

// partial returns the output for parameter k, nil where it is not wanted.
func partial(b *def.Batch, k int) []float64 {
	if k < len(b.DTheta) {
		return b.DTheta[k]
	}
	return nil
}

// finish returns the value of a log density: sum where it is finite, else -Inf; it then sets LP that is not
// finite to -Inf and infinite partials to NaN.
func finish(b *def.Batch, sum float64) float64 {
	if finite(sum) {
		return sum
	}
	for i, lp := range b.LP {
		if !finite(lp) {
			b.LP[i] = math.Inf(-1)
		}
	}
	noInf(b.DX)
	for _, d := range b.DTheta {
		noInf(d)
	}
	return math.Inf(-1)
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

func noInf(d []float64) {
	for i, v := range d {
		if math.IsInf(v, 0) {
			d[i] = math.NaN()
		}
	}
}
