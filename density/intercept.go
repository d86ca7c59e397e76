package density

// Intercepts is a Block with intercepts: coordinates that, moved together by 1, change a predictor by 1 in
// all rows, to which contributions that it receives, and terms of its own, are added. Data that determine the
// sum well determine only the intercept and the mean of the rest together: a ridge that no party's own
// coordinates follow. The density can be one of
//
//	θ'_i = θ_i + share · mean of the rest
//
// for each coordinate of an intercept, of which the block evaluates θ_i when it has received contributions.
// Of its own terms those count that are affine in θ. The logarithm of that map's Jacobian is 0. Derivatives
// by what the block receives are then those at a fixed θ'.
type Intercepts interface {
	// Intercepts lists the coordinates of each; there may be none.
	Intercepts() [][]int
	// Contributed reports whether other parties contribute to the predictors; else all that is added is the
	// block's own.
	Contributed() bool
	// Follow sets the share of each, in the evaluations to come. Before the first call all are 0, and there
	// are no Means.
	Follow(shares []float64)
	// Means sets to to the means of the rest, one for each intercept, in the last evaluation of the density.
	Means(to []float64)
	// Shares sets to to the shares, between 0 and 1, at which an intercept and a common change of the
	// contributions do not interact in the density, by its curvature where it was last evaluated: the
	// likelihood's part of the curvature by the intercept, its prior's being the rest. It is 1 where the
	// curvature is not positive, or where the block does not receive the contributions.
	Shares(to []float64)
}
