package fn

import "github.com/vflc/vflc/stdlib/def"

// GPMatern52 is the Matérn covariance function with smoothness 5/2.
func GPMatern52() def.Structural {
	return covarianceFunction("gp_matern52",
		"The Matérn 5/2 covariance of a Gaussian process: element i, j of `gp_matern52(x, alpha, l)` is "+
			"alpha² (1 + √5 r/l + 5 r²/(3 l²)) exp(-√5 r/l), with r the distance between points i and j. x "+
			"is a vector, or a matrix with a row for each point.")
}
