package density

// Levelled is a Block with parameters that are added to whole sums of contributions which it receives, as an intercept is. Data that determine the predictor's level well determine only such a
// parameter and the mean of the contributions together: a ridge that no party's own coordinates follow. The density can be one of
//
//	θ'_i = θ_i + share · mean of the contributions
//
// in place of θ_i, of which the block evaluates θ_i when it has received them. The logarithm of that map's Jacobian is 0. The derivatives by what the block receives are then those at a fixed θ'.
type Levelled interface {
	// Levels lists such coordinates of θ, in ascending order; there may be none.
	Levels() []int
	// Follow sets the share of each, in the evaluations to come: 0 at first.
	Follow(shares []float64)
	// Means sets to to the means of the contributions in the last evaluation of the density.
	Means(to []float64)
	// Shares sets to to the shares at which θ'_i and a common change of the contributions do not interact in the density, by its curvature where it was last evaluated: the likelihood's part of the
	// curvature by θ_i, the prior's being the rest. It is 1 where that is not a number, and between 0 and 1.
	Shares(to []float64)
}
