package stdlib

import "github.com/vflc/vflc/stdlib/def"

// What a likelihood with a formula has where it names no prior, as text of the language. They are for
// columns, and with an identity link a response, that are standardised.
const (
	// DefaultIntercept and DefaultCoefficient are rstanarm's, whose scale is that of the Cauchy
	// distributions of Gelman, Jakulin, Pittau and Su (2008), A weakly informative default prior
	// distribution for logistic and other regression models, Annals of Applied Statistics 2.
	DefaultIntercept   = "normal(0, 2.5)"
	DefaultCoefficient = "normal(0, 2.5)"
	// DefaultSD, of the effects of groups, is that of rstanarm's decov with a shape and a scale of 1.
	DefaultSD = "exponential(1)"
	// DefaultCorrelation is that of the Stan User's Guide, "Multivariate priors for hierarchical models".
	DefaultCorrelation = "lkj_corr_cholesky(2)"
)

// Effects is the distribution of the effects of groups, and EffectVectors that of several of a group that
// are correlated; Coefficients is what a vector of coefficients is called.
const (
	Effects       = "normal"
	EffectVectors = "multi_normal_cholesky"
	Coefficients  = "beta"
)

// The families of a response that is 0 or 1, a count, or any number, where none is named.
const (
	OfBinary = "bernoulli_logit"
	OfCount  = "poisson_log"
	OfReal   = "normal"
)

// DefaultPrior is that of a parameter of a family beside its predictor; "" where it is data, or nothing is
// said of it.
func DefaultPrior(p def.Param) string {
	switch {
	case p.Data || p.Integral || p.NoNoise:
		return ""
	case p.Domain == def.Ordered: // brms
		return "student_t(3, 0, 2.5)"
	case p.Rank > 0:
		return ""
	case p.Name == "nu": // Juárez and Steel (2010), Journal of Business and Economic Statistics 28
		return "gamma(2, 0.1)"
	case p.Domain == def.Positive || p.Domain == def.NonNegative: // rstanarm's prior_aux
		return "exponential(1)"
	case p.Domain == def.UnitInterval:
		return "beta(1, 1)"
	case p.Domain == def.RealLine: // brms, of the skewness
		return "normal(0, 4)"
	}
	return ""
}
