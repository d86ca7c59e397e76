package encrypted

import (
	"fmt"
	"math"
	"strconv"
)

// A PolynomialForm is a function of each row's response y and argument s, the sum of its contributions:
// y·factor(s) + term(s), as the slope, the curvature or the value of a log likelihood is.
//
// Steps leaves these degrees: with one product to follow 255 of the term and 127 of the factor, with two 127
// and 63.
type PolynomialForm struct {
	// Factor and Term are coefficients of Chebyshev polynomials T_0, T_1, … of s/Interval, each the shortest
	// hexadecimal text of a float64 (strconv.FormatFloat with 'x', -1, 64), since decimals would round
	// differently. Without Factor there is no response; a factor of one coefficient is an integer.
	Factor, Term []string
	// Interval is K: arguments are in [-K, K].
	Interval float64
	// Products is how many products with columns follow: 1 for sums of one column, 2 for sums of products of
	// two that are multiplied one after the other, and for sums of one column that may be above 2¹² a row; 3
	// for what is multiplied with itself before.
	Products int
}

// A Circuit is a form with its levels and the bounds of its values and errors, for a number of contributions.
type Circuit struct {
	interval      float64
	factor, term  []float64
	contributions int
	start, end    int // steps left before and after
	factorBound   polynomialBound
	termBound     polynomialBound
}

// A polynomialBound is of a polynomial's absolute value, and of its error.
type polynomialBound struct{ largest, worst float64 }

// Plan prepares the evaluation of a form over the sum of some contributions. A form that takes more than
// Steps products is an error.
func (p *Parameters) Plan(f PolynomialForm, contributions int) (*Circuit, error) {
	factor, err := coefficients(f.Factor)
	if err != nil {
		return nil, err
	}
	term, err := coefficients(f.Term)
	if err != nil {
		return nil, err
	}
	a := &Circuit{interval: f.Interval, factor: factor, term: term, contributions: contributions}
	a.end = f.Products
	if err := a.checkForm(); err != nil {
		return nil, err
	}
	a.start = a.end + depth(len(term)-1)
	if len(factor) > 1 {
		a.start = max(a.start, a.end+1+depth(len(factor)-1))
	}
	if a.start > Steps {
		return nil, fmt.Errorf("encrypted: degrees %d and %d with %d products take %d steps of %d",
			len(factor)-1, len(term)-1, a.end, a.start, Steps)
	}
	fresh := float64(contributions) * p.noise.fresh / p.scale()
	if a.termBound, err = p.boundOf(term, level(a.start), p.ckks.DefaultScale(), fresh); err != nil {
		return nil, err
	}
	a.factorBound, err = p.boundOf(factor, level(a.start), a.factorScale(p), fresh)
	return a, err
}

func (a *Circuit) checkForm() error {
	switch {
	case !(a.interval > 0 && a.interval <= maxMagnitude):
		return fmt.Errorf("encrypted: an interval of ±%g", a.interval)
	case a.end < 1 || a.end > responseSteps:
		return fmt.Errorf("encrypted: %d products with columns, of 1 to %d", a.end, responseSteps)
	case a.contributions < 1:
		return fmt.Errorf("encrypted: an argument without contributions")
	case len(a.factor) == 0 && len(a.term) < 2:
		return fmt.Errorf("encrypted: a form of neither responses nor arguments")
	case len(a.factor) == 1 && (a.factor[0] != math.Trunc(a.factor[0]) || math.Abs(a.factor[0]) > 1<<20):
		return fmt.Errorf("encrypted: a constant factor of %g, and not an integer", a.factor[0])
	}
	return nil
}

// coefficients reads hexadecimal text. A trailing zero is not taken for a coefficient, as it would only cost
// depth.
func coefficients(texts []string) ([]float64, error) {
	if len(texts) > MaxDegree+1 {
		return nil, fmt.Errorf("encrypted: degree %d is beyond %d", len(texts)-1, MaxDegree)
	}
	out := make([]float64, len(texts))
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(math.Abs(v) <= maxMagnitude) || strconv.FormatFloat(v, 'x', -1, 64) != text {
			return nil, fmt.Errorf("encrypted: coefficient %q is not hexadecimal, or too large", text)
		}
		out[i] = v
	}
	if n := len(out); n > 1 && out[n-1] == 0 {
		return nil, fmt.Errorf("encrypted: the last of %d coefficients is 0", n)
	}
	return out, nil
}

// boundOf bounds a polynomial and its error. A constant has none.
func (p *Parameters) boundOf(c []float64, level int, target scale, fresh float64) (polynomialBound, error) {
	if len(c) == 0 {
		return polynomialBound{}, nil
	}
	if len(c) == 1 {
		return polynomialBound{largest: math.Abs(c[0])}, nil
	}
	return p.bounds(c, level, target, fresh)
}
