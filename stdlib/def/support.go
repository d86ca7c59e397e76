package def

import (
	"fmt"
	"math"
	"strings"
)

// A Support is the set of values that a distribution gives positive density.
type Support int

// The supports.
const (
	RealLine      Support = iota
	Positive              // (0, ∞), or [0, ∞) for the half distributions
	UnitInterval          // (0, 1)
	NonNegative           // [0, ∞)
	Interval              // [θ_0, θ_1] with θ_0 < θ_1: uniform's own bounds
	FromFirst             // [θ_0, ∞)
	Circle                // [-π, π]
	ZeroOne               // {0, 1}
	Naturals              // {0, 1, 2, …}
	UpToN                 // {0, …, θ_0}
	WholeInterval         // {θ_0, …, θ_1}
	Codes                 // {1, …, K}: the categories of a level

	// Sets of vectors and of matrices.
	Counts          // vectors of whole numbers, 0 or more
	Simplex         // vectors of K numbers above 0 that sum to 1
	Ordered         // vectors that increase
	PositiveOrdered // vectors of positive numbers that increase
	UnitVector      // vectors of length 1
	CorrCholesky    // lower triangular matrices whose rows have length 1, with a positive diagonal
	CorrMatrix      // correlation matrices
	CovMatrix       // symmetric positive definite matrices
	CholeskyFactor  // lower triangular matrices with a positive diagonal
	ZeroSum         // vectors that sum to 0
)

// OfWholes reports whether the support is a set of vectors or matrices that is not the product of sets of
// numbers: whether a value lies in it is decided by all elements together.
func (s Support) OfWholes() bool { return s >= Simplex }

// PositiveDiagonal reports whether the diagonal of every matrix of the support is positive.
func (s Support) PositiveDiagonal() bool {
	return s == CorrCholesky || s == CorrMatrix || s == CovMatrix || s == CholeskyFactor
}

// Holds reports whether every value of a set of vectors or matrices lies in another such set.
func (s Support) Holds(of Support) bool {
	return of == s || s == Ordered && of == PositiveOrdered || s == CovMatrix && of == CorrMatrix ||
		s == CholeskyFactor && of == CorrCholesky
}

// Bounds returns the ends of the support; of a set of vectors or matrices, those of its elements.
func (s Support) Bounds(theta []float64) (lower, upper float64) {
	switch s {
	case Positive, NonNegative, Naturals:
		return 0, math.Inf(1)
	case UnitInterval, ZeroOne:
		return 0, 1
	case Interval, WholeInterval:
		return theta[0], theta[1]
	case UpToN:
		return 0, theta[0]
	case FromFirst:
		return theta[0], math.Inf(1)
	case Circle:
		return -math.Pi, math.Pi
	case Codes:
		return 1, math.Inf(1)
	case Counts, PositiveOrdered:
		return 0, math.Inf(1)
	case Simplex:
		return 0, 1
	case UnitVector, CorrCholesky, CorrMatrix:
		return -1, 1
	}
	return math.Inf(-1), math.Inf(1)
}

// Words describes the support in a sentence: "positive", "between alpha and beta". params are the names of
// the parameters.
func (s Support) Words(params []string) string {
	switch s {
	case RealLine:
		return "any real number"
	case Positive:
		return "positive"
	case NonNegative:
		return "0 or positive"
	case UnitInterval:
		return "between 0 and 1"
	case Interval:
		return "between " + strings.Join(params, " and ")
	case FromFirst:
		return params[0] + " or more"
	case Circle:
		return "between -π and π"
	case ZeroOne:
		return "0 or 1"
	case Naturals:
		return "0, 1, 2, …"
	case UpToN:
		return "0, 1, …, " + params[0]
	case WholeInterval:
		return "a whole number from " + strings.Join(params, " to ")
	case Codes:
		return "a category, 1, 2, …"
	case Counts:
		return "a vector of 0, 1, 2, …"
	case Simplex:
		return "a vector of probabilities that sum to 1"
	case Ordered:
		return "a vector that increases"
	case PositiveOrdered:
		return "a vector of positive numbers that increases"
	case UnitVector:
		return "a vector of length 1"
	case CorrCholesky:
		return "the Cholesky factor of a correlation matrix"
	case CorrMatrix:
		return "a correlation matrix"
	case CovMatrix:
		return "a covariance matrix: symmetric and positive definite"
	case CholeskyFactor:
		return "a Cholesky factor: lower triangular, with a positive diagonal"
	case ZeroSum:
		return "a vector that sums to 0"
	}
	panic(fmt.Sprintf("def: unknown support %d", s))
}

// Words describes the domain in a sentence.
func (p *Param) Words() string {
	words := p.Domain.Words(nil)
	if p.Integral && p.Domain == RealLine {
		words = "a whole number"
	}
	if p.Integral {
		return words + ", from the data"
	}
	return words
}

// Inside reports whether x is finite and between the ends of the support, or on an end where the density is
// positive and finite. A parameter that the support depends on may be NaN: then nothing is inside.
func (d *Dist) Inside(x float64, theta []float64) bool {
	lower, upper := d.Bounds(theta)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case d.Discrete:
		return x == math.Floor(x) && lower <= x && x <= upper
	case x == lower:
		return d.Lower.included(theta)
	case x == upper:
		return d.Upper.included(theta)
	}
	return lower < x && x < upper
}

// FixedBounds returns the ends of the support where no parameter moves them.
func (d *Dist) FixedBounds() (lower, upper float64, fixed bool) {
	if d.Narrow != nil && !d.Declared {
		return 0, 0, false
	}
	switch d.Support {
	case Interval, WholeInterval, UpToN, FromFirst:
		return 0, 0, false
	}
	lower, upper = d.Bounds(nil)
	return lower, upper, true
}

// MayHold is Inside where a bound of the support that is a parameter may be unknown, NaN: such a bound holds
// every value that it may have itself.
func (d *Dist) MayHold(x float64, theta []float64) bool {
	if d.Support != Interval && d.Support != FromFirst {
		return d.Inside(x, theta)
	}
	lower, upper := d.Bounds(theta)
	first := Param{Domain: d.Params[0].Domain} // what is above a positive number is positive
	return first.Allows(x) && !(x < lower) && !(x > upper)
}

// Allows reports whether a parameter may have the value v, a finite number inside its domain; the ends of a
// probability belong to it.
func (p *Param) Allows(v float64) bool {
	lower, upper := p.Domain.Bounds(nil)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case p.Integral:
		return v == math.Floor(v) && v >= lower && v <= upper
	case p.Domain == Positive:
		return v > 0
	}
	return lower <= v && v <= upper
}
