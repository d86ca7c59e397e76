package def

// A Structured maps unconstrained coordinates to values whose elements depend on each other: an ordered
// vector, a simplex, a correlation matrix. Its name is that of the type in the language.
//
// A value has size k: it is a vector of k elements, or a k×k matrix, by columns. All functions work on one
// value in contiguous memory and allocate nothing.
type Structured struct {
	Name    string
	Doc     string // Markdown: the set, the map and its source
	Support Support
	Rank    int             // axes of a value: 1 for a vector, 2 for a square matrix
	Least   int             // the smallest size
	Free    func(k int) int // the number of unconstrained coordinates of a value of size k
	Work    func(k int) int // the length of the work array of Forward and Backward; nil: none

	// Forward sets y to the value at x and returns the logarithm of the Jacobian determinant of the map from
	// x to the free elements of y.
	Forward func(y, x, work []float64, k int) float64
	// Backward adds dy·∂y/∂x to dx, and the gradient of the log-Jacobian where that is wanted; y is the value
	// at x. It may overwrite dy, which is all zero where only the log-Jacobian is wanted.
	Backward func(dx, dy, x, y, work []float64, k int, jacobian bool)
	// Inverse sets x to coordinates of y, a value that Contains accepts.
	Inverse func(x, y []float64, k int)
	// Fixed reports whether element i of a value of size k is the same number in all values, or a copy of
	// another element; nil: none is.
	Fixed func(i, k int) bool
	// Contains reports whether y lies in the set, with sums and symmetry up to rounding.
	Contains func(y []float64, k int) bool
}

// Len is the number of elements of a value of size k.
func (s *Structured) Len(k int) int {
	if s.Rank == 2 {
		return k * k
	}
	return k
}

// Room is the length of the work array.
func (s *Structured) Room(k int) int {
	if s.Work == nil {
		return 0
	}
	return s.Work(k)
}
