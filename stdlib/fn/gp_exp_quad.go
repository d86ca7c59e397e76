package fn

import "github.com/vflc/vflc/stdlib/def"

// GPExpQuad is the exponentiated quadratic covariance function.
func GPExpQuad() def.Structural {
	return covarianceFunction("gp_exp_quad",
		"The exponentiated quadratic covariance of a Gaussian process: element i, j of `gp_exp_quad(x, "+
			"alpha, l)` is alpha² exp(-r²/(2 l²)), with r the distance between points i and j. x is a "+
			"vector, or a matrix with a row for each point. Add a small number to the diagonal, as the "+
			"matrix is nearly singular.")
}
