package fn

import "github.com/vflc/vflc/stdlib/def"

// GPMatern32 is the Matérn covariance function with smoothness 3/2.
func GPMatern32() def.Structural {
	return covarianceFunction("gp_matern32",
		"The Matérn 3/2 covariance of a Gaussian process: element i, j of `gp_matern32(x, alpha, l)` is "+
			"alpha² (1 + √3 r/l) exp(-√3 r/l), with r the distance between points i and j. x is a vector, "+
			"or a matrix with a row for each point.")
}
