package attack

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// On a short wire each contribution is rounded to a grid, whose step is public: a total is a multiple of it,
// so that anybody who has the total has the step. Rounding is noise of known size, of variance step²/12
// for each contribution, and independent from row to row and from evaluation to evaluation, as the steps are
// small beside what the contributions differ by (Widrow and Kollár 2008, "Quantization Noise"). A matrix of
// such noise has no singular value beyond an edge (edge), the one of Marchenko and Pastur where all variances
// are equal: what lies beyond it is of the clients' columns.

// roundingOf is the variance that rounding to the grid of some numbers gives one contribution: the grid is
// the largest power of two of which all are multiples, but for chance of 2^-rows.
func roundingOf(total []float64) float64 {
	least := math.MaxInt
	for _, x := range total {
		if x == 0 || x-x != 0 {
			continue
		}
		fraction, e := math.Frexp(x)
		word := uint64(int64(math.Ldexp(fraction, mantissa)))
		least = min(least, e-mantissa+bits.TrailingZeros64(word))
	}
	if least == math.MaxInt {
		return 0
	}
	step := math.Ldexp(1, least)
	return step * step / 12
}

// mantissa is how many bits a number has.
const mantissa = 53

// edge is what a matrix of independent noise has no singular value beyond: Chevet's bound for the mean of
// the largest, and so many standard deviations more. The variances are of an element, row by row.
func edge(variances []float64, columns int) float64 {
	most, sum := 0.0, 0.0
	for _, v := range variances {
		most, sum = max(most, v), sum+v
	}
	return float64(math.Sqrt(most)*(math.Sqrt(float64(columns))+beyondEdge)) + math.Sqrt(sum)
}

// beyondEdge is surpassed by normal noise with a probability of e^-8.
const beyondEdge = 4

// beyond is how many singular values are of something else than rounding: beyond the edge, and before the
// largest fall. Rows with equal columns at a client, as of one of two values, are rounded alike, which the
// edge does not know, but no value of noise is larger than its whole size.
func beyond(values, variances []float64, columns int) (rank int) {
	floor, size, fall := max(edge(variances, columns), rounding*values[0]), 0.0, 1.0
	for _, v := range variances {
		size += float64(v * float64(columns))
	}
	for k, value := range values {
		if value <= floor {
			break
		}
		next := floor
		if k+1 < len(values) {
			next = max(floor, values[k+1])
		}
		if f := value / next; f > fall && next <= max(math.Sqrt(size), floor) {
			rank, fall = k+1, f
		}
	}
	return rank
}

// spanBeyond is an orthonormal basis of what totals show beyond their rounding; nil where that is not small.
func spanBeyond(whole [][]float64, n int) (basis [][]float64) {
	a, variances := mat.NewDense(len(whole), n, nil), make([]float64, len(whole))
	for i, w := range whole {
		a.SetRow(i, w[header:header+n])
		variances[i] = w[3]
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThinV) {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	rank := beyond(svd.Values(nil), variances, n)
	if rank*fewestTotals > len(whole) || rank > min(mostRank, n/fewestTotals, mostBasis/n) {
		return nil
	}
	for k := range rank {
		basis = append(basis, mat.Col(nil, k, &v))
	}
	return basis
}

// fewestTotals is how many totals, and rows, there are at least for each dimension of a span that they show.
const fewestTotals = 2
