package importance

import (
	"math"
)

// Of the draws to be weighed the first decide whether the others are made: the Pareto shape of 500 weights
// has a standard error of 0.2, so that a shape above 0.7, beyond which weights correct nothing, by more than
// twice that is no accident.
const (
	FirstWeights = 500
	InVain       = 0.7 + 0.5
)

// Reflected sets out to draw id of a batch of columns, of which the first is the mean: every other is the
// reflection of the one before.
func Reflected(columns []float64, d, id int, out []float64) {
	copy(out, columns[(1+id/2)*d:][:d])
	if id%2 == 1 {
		for i, m := range columns[:d] {
			out[i] = float64(2*m) - out[i]
		}
	}
}

// Proposed is Reflected for a draw of the mixture, at the scale that a draw and its reflection have.
func Proposed(columns []float64, d, id int, scale float64, out []float64) {
	Reflected(columns, d, id, out)
	if scale != 1 {
		for i, m := range columns[:d] {
			out[i] = m + float64(scale*(out[i]-m))
		}
	}
}

// Conclude is Correct for ratios some of which may not be finite: such draws have no weight. It reports too
// whether draws with these ratios are too far from the posterior for any number of them to be corrected.
func Conclude(ratios, squares []float64, dims int) (normal, vain bool) {
	for i, v := range ratios {
		if v-v != 0 {
			ratios[i] = math.Inf(-1)
		}
	}
	if Correct(ratios, squares, dims) {
		return true, false
	}
	return false, Smooth(ratios, 1).K > InVain
}
