package polynomial

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
	"github.com/vflc/vflc/stdlib/special"
)

// A family is a term with the mean and the variance of its statistic given the predictor, written down here a second time.
type family struct {
	Term
	mean, variance func(eta float64) float64
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
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	rare := func(x float64) float64 { return -math.Expm1(-math.Exp(x)) }
	odds := func(eta float64) float64 { return math.Exp(-eta) } // of a failure
	weibull := func(eta float64) float64 { return math.Exp(1.7 * eta) }
	frechet := func(eta float64) float64 { return math.Exp(-1.7 * eta) }
	beta := func(f func(float64) float64, sign float64) func(float64) float64 {
		return func(eta float64) float64 {
			mu := special.InvLogit(eta)
			return f(4*mu) + sign*f(4-4*mu)
		}
	}
	return []family{
		{Term{Dist: dist.BernoulliLogit(), Theta: []float64{0}}, special.InvLogit, binary(special.InvLogit)},
		{Term{Dist: dist.Bernoulli(), Link: Link{Func: &logit}, Theta: []float64{0}}, special.InvLogit, binary(special.InvLogit)},
		{Term{Dist: dist.Bernoulli(), Link: Link{Func: &phi}, Theta: []float64{0}}, normal, binary(normal)},
		{Term{Dist: dist.Bernoulli(), Link: Link{Func: &cloglog}, Theta: []float64{0}}, rare, binary(rare)},
		{Term{Dist: dist.BernoulliProbit(), Theta: []float64{0}}, normal, binary(normal)},
		{Term{Dist: dist.BinomialLogit(), Param: 1, Theta: []float64{math.NaN(), 0}}, special.InvLogit, binary(special.InvLogit)},
		{Term{Dist: dist.Binomial(), Param: 1, Link: Link{Func: &phi}, Theta: []float64{0, 0}}, normal, binary(normal)},
		{Term{Dist: dist.Geometric(), Link: Link{Func: &logit}, Theta: []float64{0}}, odds,
			func(eta float64) float64 { return odds(eta) * (1 + odds(eta)) }},
		{Term{Dist: dist.PoissonLog(), Theta: []float64{0}}, math.Exp, math.Exp},
		{Term{Dist: dist.Poisson(), Link: Link{Func: &exp, Factor: 3}, Theta: []float64{0}},
			func(eta float64) float64 { return 3 * math.Exp(eta) }, func(eta float64) float64 { return 3 * math.Exp(eta) }},
		{Term{Dist: dist.NegBinomial2Log(), Theta: []float64{0, 2}}, math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{Term{Dist: dist.NegBinomial2(), Link: Link{Func: &exp}, Theta: []float64{0, 2}}, math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{Term{Dist: dist.NegBinomial(), Param: 1, Link: Link{Func: &exp, Factor: 2, Falling: true}, Theta: []float64{2, 0}}, math.Exp,
			func(eta float64) float64 { return math.Exp(eta) + math.Exp(2*eta)/2 }},
		{Term{Dist: dist.Normal(), Theta: []float64{0, 0.5}}, identity, fixed(0.25)},
		{Term{Dist: dist.LogNormal(), Theta: []float64{0, 0.5}}, identity, fixed(0.25)},
		{Term{Dist: dist.LogitNormal(), Theta: []float64{0, 0.5}}, identity, fixed(0.25)},
		{Term{Dist: dist.Gamma(), Param: 1, Link: Link{Func: &exp, Factor: 3, Falling: true}, Theta: []float64{3, 0}}, math.Exp, square(math.Exp, 1.0/3)},
		{Term{Dist: dist.Exponential(), Link: Link{Func: &exp, Falling: true}, Theta: []float64{0}}, math.Exp, square(math.Exp, 1)},
		{Term{Dist: dist.InvGamma(), Param: 1, Link: Link{Func: &exp}, Theta: []float64{3, 0}},
			func(eta float64) float64 { return 3 * math.Exp(-eta) }, func(eta float64) float64 { return 3 * math.Exp(-2*eta) }},
		{Term{Dist: dist.Weibull(), Param: 1, Link: Link{Func: &exp}, Theta: []float64{1.7, 0}}, weibull, square(weibull, 1)},
		{Term{Dist: dist.Frechet(), Param: 1, Link: Link{Func: &exp}, Theta: []float64{1.7, 0}}, frechet, square(frechet, 1)},
		{Term{Dist: dist.BetaProportion(), Link: Link{Func: &logit}, Theta: []float64{0, 4}}, beta(special.Digamma, -1), beta(special.Trigamma, 1)},
	}
}

// information is the expected curvature: (d mean/d eta)²/variance.
func (f family) information(eta float64) float64 {
	const h = 1e-3
	slope := (8*(f.mean(eta+h)-f.mean(eta-h)) - (f.mean(eta+2*h) - f.mean(eta-2*h))) / (12 * h)
	return slope * slope / f.variance(eta)
}

// residuals are likelihoods of a location.
func residuals() []Term {
	return []Term{
		{Dist: dist.StudentT(), Param: 1, Theta: []float64{4, 0, 0.8}},
		{Dist: dist.Logistic(), Theta: []float64{0, 0.5}},
		{Dist: dist.Gumbel(), Theta: []float64{0, 1.5}},
		{Dist: dist.Cauchy(), Theta: []float64{0, 1}},
		{Dist: dist.SkewNormal(), Theta: []float64{0, 1, 2}},
	}
}

// density is the log density of a row, and its derivative by the predictor by differences.
func (t Term) density(x, eta float64, trials float64) (lp, slope float64) {
	at := func(eta float64) float64 {
		v, _ := t.Link.at(eta)
		theta := make([]def.Arg, len(t.Theta))
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
		return t.Dist.LogDensity(&def.Block{N: 1, X: def.Scalar(x), Theta: theta})
	}
	const h = 1e-3
	return at(eta), (8*(at(eta+h)-at(eta-h)) - (at(eta+2*h) - at(eta-2*h))) / (12 * h)
}
