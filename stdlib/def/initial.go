package def

import "math/rand/v2"

// An Initial is a kind of initial values of a weight, as in `weight W : real[P, 8] init he_normal`.
type Initial struct {
	Name string
	Doc  string // Markdown: the distribution, and what it is for
	// Fill sets the values of a weight of this shape, in the order of an array whose first index varies
	// fastest.
	Fill func(dims []int, random *rand.Rand, values []float64)
	// Variance is that of each value, for the tests.
	Variance func(dims []int) float64
	Examples []string
}

// Fans returns how many inputs and outputs a weight of this shape connects: the rows and columns of a matrix
// W in X * W, leading sizes being those of an array of matrices. A vector of n connects n inputs to n
// outputs, and a number one to one.
func Fans(dims []int) (in, out float64) {
	switch n := len(dims); n {
	case 0:
		return 1, 1
	case 1:
		return float64(dims[0]), float64(dims[0])
	default:
		return float64(dims[n-2]), float64(dims[n-1])
	}
}
