// Command polynomials prints the degrees of the polynomials that stand for likelihoods on encrypted rows, by
// family, interval and rows: of the factor of the response and of the rest, and how many multiplications
// follow each other.
//
//	go run ./bench/polynomials
package main

import (
	"fmt"

	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// A family is a likelihood with the intervals that it is tried on.
type family struct {
	name string
	term polynomial.LikelihoodTerm
	on   []polynomial.Interval
}

type link = polynomial.Link

func about0(k ...float64) (on []polynomial.Interval) {
	for _, k := range k {
		on = append(on, polynomial.Interval{K: k})
	}
	return on
}

func families() []family {
	exp, logit, cloglog := fn.Exp(), fn.InvLogit(), fn.InvCloglog()
	rate := func(shape float64) link { return link{Func: &exp, Factor: shape, Falling: true} }
	return []family{
		{"bernoulli_logit, binomial_logit", over(dist.BernoulliLogit(), 0),
			append(about0(5, 8, 10, 15, 20, 25), polynomial.Interval{Centre: -3, K: 7})},
		{"bernoulli_probit", over(dist.BernoulliProbit(), 0), about0(3, 5, 8, 10)},
		{"bernoulli(inv_cloglog)", through(dist.Bernoulli(), 0, link{Func: &cloglog}, 0),
			[]polynomial.Interval{{Centre: -1, K: 3}, {Centre: -2, K: 4}}},
		{"geometric(inv_logit)", through(dist.Geometric(), 0, link{Func: &logit}, 0),
			about0(5, 8)},
		{"poisson_log", over(dist.PoissonLog(), 0), about0(3, 5, 8, 10, 15)},
		{"neg_binomial_2_log, phi 2", over(dist.NegBinomial2Log(), 0, 2), about0(3, 5, 8, 10)},
		{"gamma by log link, shape 3", through(dist.Gamma(), 1, rate(3), 3, 0),
			about0(3, 5, 8)},
		{"exponential by log link", through(dist.Exponential(), 0, rate(1), 0), about0(3, 5, 8)},
		{"weibull by log link, shape 1.5", through(dist.Weibull(), 1, link{Func: &exp}, 1.5, 0),
			about0(3, 5)},
		{"beta_proportion(inv_logit), kappa 10", through(dist.BetaProportion(), 0, link{Func: &logit}, 0, 10),
			about0(3, 5, 8)},
		{"normal, lognormal", over(dist.Normal(), 0, 0.5), about0(10, 100)},
		{"student_t, nu 4, sigma 1: residuals", over(dist.StudentT(), 4, 0, 1),
			about0(5, 8, 10, 20)},
		{"logistic, sigma 1: residuals", over(dist.Logistic(), 0, 1), about0(10, 20)},
	}
}

// over is a likelihood with the predictor for the parameter of its link; theta has any number in its place.
func over(d def.Dist, theta ...float64) polynomial.LikelihoodTerm {
	return polynomial.LikelihoodTerm{Dist: d, Param: d.Link.Param, Theta: theta}
}

// through is a likelihood with a function of the predictor for a parameter.
func through(d def.Dist, param int, by link, theta ...float64) polynomial.LikelihoodTerm {
	return polynomial.LikelihoodTerm{Dist: d, Param: param, Link: by, Theta: theta}
}

func main() {
	fmt.Println("| family | interval | rows | value | slope | curvature |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	for _, c := range families() {
		form, err := polynomial.Of(c.term)
		if err != nil {
			fmt.Printf("| %s | | | %v | | |\n", c.name, err)
			continue
		}
		for _, on := range c.on {
			for _, rows := range []float64{10_000, 100_000} {
				fmt.Printf("| %s | %s | %.0f |", c.name, on, rows)
				for _, q := range []polynomial.Approximated{polynomial.Value, polynomial.Slope,
					polynomial.Curvature} {
					fmt.Printf(" %s |", cell(form.Approximate(q, on, polynomial.Goal{Rows: rows})))
				}
				fmt.Println()
			}
		}
	}
}

// cell is the degrees of A and B, and the depth.
func cell(p polynomial.Pair, err error) string {
	switch {
	case err != nil:
		return "refused"
	case p.A.Degree() <= 0:
		return fmt.Sprintf("%d (%d)", p.Degree(), p.B.Depth())
	}
	return fmt.Sprintf("%d, %d (%d)", p.A.Degree(), p.B.Degree(), max(p.A.Depth(), p.B.Depth()))
}
