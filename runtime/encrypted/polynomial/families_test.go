package polynomial

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// A family is a term with the mean and the variance of its statistic given the predictor, written down here a
// second time.
type family struct {
	LikelihoodTerm
	mean, variance func(eta float64) float64
}

// over is a likelihood with the predictor for the parameter of its link; theta has any number in its place.
func over(d def.Dist, theta ...float64) LikelihoodTerm {
	return LikelihoodTerm{Dist: d, Param: d.Link.Param, Theta: theta}
}

// through is a likelihood with a function of the predictor for a parameter.
func through(d def.Dist, param int, link Link, theta ...float64) LikelihoodTerm {
	return LikelihoodTerm{Dist: d, Param: param, Link: link, Theta: theta}
}

func families() []family {
	exp, logit, cloglog, phi := fn.Exp(), fn.InvLogit(), fn.InvCloglog(), fn.Phi()
	square := func(f func(float64) float64, k float64) func(float64) float64 {
		return func(eta float64) float64 { return k * f(eta) * f(eta) }
	}
	fixed := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	identity := func(eta float64) float64 { return eta }
	binary := func(p func(float64) float64) func(float64) float64 {
		return func(eta float64) float64 { return p(eta) * (1 - p(eta)) }
	}
	probit := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	rare := func(x float64) float64 { return -math.Expm1(-math.Exp(x)) }
	odds := func(eta float64) float64 { return math.Exp(-eta) } // of a failure
	weibull := func(eta float64) float64 { return math.Exp(1.7 * eta) }
	frechet := func(eta float64) float64 { return math.Exp(-1.7 * eta) }
	beta := func(f func(float64) float64, sign float64) func(float64) float64 {
		return func(eta float64) float64 {
			mu := portable.Sigmoid(eta)
			return f(4*mu) + sign*f(4-4*mu)
		}
	}
	return []family{
		{over(dist.BernoulliLogit(), 0), portable.Sigmoid, binary(portable.Sigmoid)},
		{through(dist.Bernoulli(), 0, Link{Func: &logit}, 0), portable.Sigmoid, binary(portable.Sigmoid)},
		{through(dist.Bernoulli(), 0, Link{Func: &phi}, 0), probit, binary(probit)},
		{through(dist.Bernoulli(), 0, Link{Func: &cloglog}, 0), rare, binary(rare)},
		{over(dist.BernoulliProbit(), 0), probit, binary(probit)},
		{over(dist.BinomialLogit(), math.NaN(), 0), portable.Sigmoid, binary(portable.Sigmoid)},
		{through(dist.Binomial(), 1, Link{Func: &phi}, 0, 0), probit, binary(probit)},
		{through(dist.Geometric(), 0, Link{Func: &logit}, 0), odds,
			func(eta float64) float64 { return odds(eta) * (1 + odds(eta)) }},
		{over(dist.PoissonLog(), 0), math.Exp, math.Exp},
		{through(dist.Poisson(), 0, Link{Func: &exp, Factor: 3}, 0),
			func(eta float64) float64 { return 3 * math.Exp(eta) },
			func(eta float64) float64 { return 3 * math.Exp(eta) }},
		{over(dist.NegBinomial2Log(), 0, 2), math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{through(dist.NegBinomial2(), 0, Link{Func: &exp}, 0, 2), math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{through(dist.NegBinomial(), 1, Link{Func: &exp, Factor: 2, Falling: true}, 2, 0), math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{over(dist.Normal(), 0, 0.5), identity, fixed(0.25)},
		{over(dist.LogNormal(), 0, 0.5), identity, fixed(0.25)},
		{over(dist.LogitNormal(), 0, 0.5), identity, fixed(0.25)},
		{through(dist.Gamma(), 1, Link{Func: &exp, Factor: 3, Falling: true}, 3, 0), math.Exp,
			square(math.Exp, 1.0/3)},
		{through(dist.Exponential(), 0, Link{Func: &exp, Falling: true}, 0), math.Exp, square(math.Exp, 1)},
		{through(dist.InvGamma(), 1, Link{Func: &exp}, 3, 0),
			func(eta float64) float64 { return 3 * math.Exp(-eta) },
			func(eta float64) float64 { return 3 * math.Exp(-2*eta) }},
		{through(dist.Weibull(), 1, Link{Func: &exp}, 1.7, 0), weibull, square(weibull, 1)},
		{through(dist.Frechet(), 1, Link{Func: &exp}, 1.7, 0), frechet, square(frechet, 1)},
		{through(dist.BetaProportion(), 0, Link{Func: &logit}, 0, 4), beta(portable.Digamma, -1),
			beta(portable.Trigamma, 1)},
	}
}

// information is the expected curvature: (d mean/d eta)²/variance.
func (f family) information(eta float64) float64 {
	const h = 1e-3
	slope := (8*(f.mean(eta+h)-f.mean(eta-h)) - (f.mean(eta+2*h) - f.mean(eta-2*h))) / (12 * h)
	return slope * slope / f.variance(eta)
}

// residuals are likelihoods of a location.
func residuals() []LikelihoodTerm {
	return []LikelihoodTerm{
		over(dist.StudentT(), 4, 0, 0.8),
		over(dist.Logistic(), 0, 0.5),
		over(dist.Gumbel(), 0, 1.5),
		over(dist.Cauchy(), 0, 1),
		over(dist.SkewNormal(), 0, 1, 2),
	}
}

// density is the log density of a row, and its derivative by the predictor by differences.
func (t LikelihoodTerm) density(x, eta float64, trials float64) (lp, slope float64) {
	at := func(eta float64) float64 {
		v, _ := t.Link.at(eta)
		theta := make([]def.BlockArg, len(t.Theta))
		for k, p := range t.Dist.Params {
			switch {
			case k == t.Param:
				theta[k] = def.Scalar(v)
			case p.Integral:
				theta[k] = def.Scalar(trials)
			default:
				theta[k] = def.Scalar(t.Theta[k])
			}
		}
		return t.Dist.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: theta})
	}
	const h = 1e-3
	return at(eta), (8*(at(eta+h)-at(eta-h)) - (at(eta+2*h) - at(eta-2*h))) / (12 * h)
}
