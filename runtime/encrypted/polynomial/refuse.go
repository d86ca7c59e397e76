package polynomial

import (
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/stdlib/dist"
)

// A Refusal says why a likelihood cannot be evaluated on encrypted rows, and what to do instead.
type Refusal struct{ Reason, WayOut string }

// Error is the refusal as a sentence.
func (r *Refusal) Error() string { return r.Reason + "; " + r.WayOut }

// notNumbers refuses a distribution of vectors, or with such parameters.
func notNumbers(t LikelihoodTerm) error {
	reason := t.Dist.Name + " has values or parameters that are vectors, " +
		"and an encrypted row has one number and one predictor"
	if joint := t.Dist.Joint(); joint != "" {
		reason = fmt.Sprintf("encrypted rows stand by themselves, and in %s %s", t.Dist.Name, joint)
	}
	return &Refusal{reason, "write the likelihood with one predictor a row, or use another wire"}
}

func unknown(t LikelihoodTerm, k int) error {
	return &Refusal{
		fmt.Sprintf("%s has the parameter %s, of which the polynomials are made, and its value is not known",
			t.Dist.Name, t.Dist.Params[k].Name),
		"give it a number in the model, or use another wire",
	}
}

func moving(t LikelihoodTerm, k int) error {
	p := t.Dist.Params
	return &Refusal{
		fmt.Sprintf("of a value x of %s, %s is encrypted, once, and %s moves in the fit",
			t.Dist.Name, p[t.Param].LinearIn.Name, p[k].Name),
		fmt.Sprintf("give %s a number in the model, or use another wire", p[k].Name),
	}
}

// formless names the parameters that have a form.
func formless(t LikelihoodTerm) error {
	var have []string
	for _, d := range dist.All() {
		for _, p := range d.Params {
			if p.LinearIn != nil {
				have = append(have, d.Name)
			}
		}
	}
	return &Refusal{
		fmt.Sprintf("the log density of %s with a predictor for %s is not linear in one number of each value",
			t.Dist.Name, t.Dist.Params[t.Param].Name),
		"use another wire, or one of " + strings.Join(have, ", "),
	}
}

// beyond says up to which K a degree within the goal is enough.
func beyond(f *PolynomialForm, q Approximated, on Interval, goal Goal) error {
	reason := fmt.Sprintf("the %s of %s has no polynomial of degree %d or less on %s for %s rows",
		q, f.term.Dist.Name, goal.most(), on, number(goal.Rows))
	k := most(f, q, on, goal)
	if k == 0 {
		return &Refusal{reason, "use another family, or another wire"}
	}
	of := "predictors"
	if f.Residual {
		of = "residuals"
	}
	const others = "with scaled columns or tighter priors, or use another family or another wire"
	return &Refusal{reason, fmt.Sprintf("keep %s within %s of %s, %s", of, number(k), number(on.Centre),
		others)}
}

// most is the largest K below that of an interval, in halves, for which a degree within the goal is enough.
func most(f *PolynomialForm, q Approximated, on Interval, goal Goal) float64 {
	low, high := 0.0, math.Ceil(2*on.K)
	for high-low > 1 {
		half := math.Floor((low + high) / 2)
		if _, ok := f.approximate(q, Interval{on.Centre, half / 2}, goal); ok {
			low = half
		} else {
			high = half
		}
	}
	return low / 2
}
