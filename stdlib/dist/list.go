// Package dist holds the distributions, one file each: log density with partials, sampler, documentation, examples and test vectors.
// A new one is one file and one line in All.
package dist

import "github.com/vflc/vflc/stdlib/def"

// All returns the distributions in the order of the documentation.
func All() []def.Dist {
	return []def.Dist{
		Normal(),
		HalfNormal(),
		StudentT(),
		HalfStudentT(),
		Cauchy(),
		HalfCauchy(),
		Laplace(),
		LogNormal(),
		Exponential(),
		Gamma(),
		InvGamma(),
		Beta(),
		Uniform(),
		Flat(),
		HalfFlat(),
		Bernoulli(),
		BernoulliLogit(),
		BinomialLogit(),
		Poisson(),
		PoissonLog(),
		NegBinomial2Log(),
	}
}
