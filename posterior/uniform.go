package posterior

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
)

// A UniformBand is where the distribution function of n independent uniform values lies as a whole, with a
// probability: of values at or below At[k], shares from Lower[k] to Upper[k].
type UniformBand struct{ At, Lower, Upper []float64 }

// bandPoints is the largest number of inner points of a band, and mostExact the number of values up to which
// the probability is computed; the band of more is that of so many, narrower by √n, as it is in the limit.
const (
	bandPoints = 100
	mostExact  = 1000
)

// NewUniformBand returns the band of equal pointwise probabilities whose joint one is at least a level:
// Säilynoja, Bürkner and Vehtari (2022), "Graphical test for discrete uniformity and its applications in
// goodness of fit evaluation and multiple sample comparison", Statistics and Computing 32, 32. The joint
// probability is exact, by recursion over the counts at the points.
func NewUniformBand(n int, level float64) UniformBand {
	exact := min(n, mostExact)
	w := &uniformWalk{n: exact, points: min(bandPoints, exact), logs: make([]float64, exact+1)}
	for k := range w.logs {
		w.logs[k] = portable.Lgamma(float64(k + 1))
	}
	inside, outside := -20.0, portable.Log(1-level) // of log γ: covers enough, covers too little
	for outside-inside > 0.02 {
		if middle := float64((inside + outside) / 2); w.covered(portable.Exp(middle)) >= level {
			inside = middle
		} else {
			outside = middle
		}
	}
	w.covered(portable.Exp(inside))
	shrink, size := math.Sqrt(float64(exact)/float64(n)), float64(exact)
	var b UniformBand
	for k := range w.lower {
		z := w.at(k)
		b.At = append(b.At, z)
		b.Lower = append(b.Lower, z+float64(shrink*(float64(w.lower[k])/size-z)))
		b.Upper = append(b.Upper, z+float64(shrink*(float64(w.upper[k])/size-z)))
	}
	return b
}

// Outside returns the first point at which the distribution function of values leaves the band, NaN where it
// does not.
func (b UniformBand) Outside(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	for k, z := range b.At {
		below, _ := slices.BinarySearchFunc(sorted, z, func(v, z float64) int {
			if v <= z {
				return -1
			}
			return 1
		})
		if share := float64(below) / float64(len(sorted)); share < b.Lower[k] || share > b.Upper[k] {
			return z
		}
	}
	return math.NaN()
}

// A uniformWalk is how many of n uniform values lie at or below each point.
type uniformWalk struct {
	n, points    int
	logs         []float64 // log k!
	lower, upper []int     // counts of the last band, by point
}

func (w *uniformWalk) at(k int) float64 { return float64(k+1) / float64(w.points+1) }

// binomial is the probability of k of m.
func (w *uniformWalk) binomial(k, m int, log, logNot float64) float64 {
	return portable.Exp(w.logs[m] - w.logs[k] - w.logs[m-k] + float64(float64(k)*log) +
		float64(float64(m-k)*logNot))
}

// covered is the probability that at every point the count lies between the quantiles γ/2 and 1 − γ/2 of its
// binomial distribution, which it sets.
func (w *uniformWalk) covered(gamma float64) (all float64) {
	w.lower, w.upper = w.lower[:0], w.upper[:0]
	counts, z := []float64{1}, 0.0 // of the counts from first on
	first := 0
	for k := range w.points {
		lower, upper := w.quantiles(w.at(k), gamma/2)
		step := (w.at(k) - z) / (1 - z)
		log, logNot := portable.Log(step), portable.Log1p(-step)
		next := make([]float64, upper-lower+1)
		for i, p := range counts {
			for c := max(lower, first+i); c <= upper && p > 0; c++ {
				next[c-lower] += float64(p * w.binomial(c-first-i, w.n-first-i, log, logNot))
			}
		}
		counts, first, z = next, lower, w.at(k)
		w.lower, w.upper = append(w.lower, lower), append(w.upper, upper)
	}
	return portable.Sum(counts)
}

// quantiles are the least counts at which the binomial distribution function of z reaches p, and 1 − p.
func (w *uniformWalk) quantiles(z, p float64) (lower, upper int) {
	log, logNot, sum := portable.Log(z), portable.Log1p(-z), 0.0
	for k := 0; k <= w.n; k++ {
		sum += w.binomial(k, w.n, log, logNot)
		if sum < p {
			lower = k + 1
		}
		if upper = k; sum >= 1-p {
			break
		}
	}
	return lower, upper
}
