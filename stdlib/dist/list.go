// Package dist holds the distributions, one file each: log density, sampler, documentation and examples. A
// new one is one file and one line in All, or in Events.
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
		AsymmetricLaplace(),
		Logistic(),
		Gumbel(),
		GenExtremeValue(),
		SkewNormal(),
		ExpModNormal(),
		VonMises(),
		LogNormal(),
		Exponential(),
		Gamma(),
		InvGamma(),
		InverseGaussian(),
		ChiSquare(),
		InvChiSquare(),
		ScaledInvChiSquare(),
		Weibull(),
		Frechet(),
		LogLogistic(),
		Pareto(),
		GenPareto(),
		Beta(),
		BetaProportion(),
		ZeroOneInflatedBeta(),
		LogitNormal(),
		Uniform(),
		Flat(),
		HalfFlat(),
		Bernoulli(),
		BernoulliLogit(),
		BernoulliProbit(),
		Binomial(),
		BinomialLogit(),
		BetaBinomial(),
		Hypergeometric(),
		DiscreteRange(),
		Geometric(),
		Poisson(),
		PoissonLog(),
		Skellam(),
		NegBinomial(),
		NegBinomial2(),
		NegBinomial2Log(),
		ZeroInflatedPoissonLog(),
		ZeroInflatedNegBinomial2Log(),
		HurdlePoissonLog(),
		HurdleNegBinomial2Log(),
	}
}

// Events returns the distributions of vectors and matrices, and those of numbers whose parameters are, in the
// order of the documentation.
func Events() []def.Dist {
	return []def.Dist{
		Categorical(),
		CategoricalLogit(),
		OrderedLogistic(),
		OrderedProbit(),
		SratioLogit(),
		AcatLogit(),
		Dirichlet(),
		Multinomial(),
		DirichletMultinomial(),
		MultiNormal(),
		MultiNormalPrec(),
		MultiNormalCholesky(),
		MultiStudentT(),
		LKJCorr(),
		LKJCorrCholesky(),
		Wishart(),
		InvWishart(),
		Cox(),
		GaussianRandomWalk(),
		ICAR(),
		ZeroSumNormal(),
	}
}
