// Package polynomial approximates likelihoods on an interval by polynomials, which is all that can be
// computed of encrypted numbers. It knows descriptors and numbers, and nothing of encryption.
package polynomial

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A LikelihoodTerm is a likelihood of rows, each of which has a predictor eta.
type LikelihoodTerm struct {
	Dist  def.Dist
	Param int  // the index of the parameter that the predictor gives
	Link  Link // the parameter as a function of the predictor
	// Theta are the parameters that all rows share, NaN where one is not known. Those of the predictor, and
	// integral ones, which a row has for itself, are not read.
	Theta []float64
	Moves []int // parameters in Theta that get other values while the responses stay encrypted
}

// A Link is the map from a predictor eta to Factor·Func(±eta). The zero value is the identity.
type Link struct {
	Func    *def.Func // nil: the identity
	Factor  float64   // 0: 1
	Falling bool      // the sign is -
}

// at returns the parameter at a predictor, and its derivative.
func (l Link) at(eta float64) (v, slope float64) {
	factor := l.Factor
	if factor == 0 {
		factor = 1
	}
	if l.Falling {
		eta = -eta
	}
	v, slope = eta, 1
	if l.Func != nil {
		in, out, d := []float64{eta}, []float64{0}, []float64{0}
		l.Func.Forward(out, in)
		l.Func.Backward(d, []float64{1}, in, out)
		v, slope = out[0], d[0]
	}
	if l.Falling {
		slope = -slope
	}
	return float64(factor * v), float64(factor * slope)
}

// A PolynomialForm is a likelihood whose log density at a value y with predictor eta is
//
//	T(y)·A(eta) + m·B(eta) + what the predictor does not enter
//
// with m the integral parameter of the row, such as its number of trials, or 1; or, where Residual is set,
// B(eta - y).
type PolynomialForm struct {
	Statistic *def.Statistic // T; nil where Residual is set
	Trials    int            // the index of the parameter m; -1: there is none
	Residual  bool           // A is 0, and B is a function of eta - y

	term LikelihoodTerm
	x, t [2]float64 // two values, and T at them: the log density there gives A and B
}

// Of returns the form of a likelihood. The error is a *Refusal where it has none.
func Of(t LikelihoodTerm) (*PolynomialForm, error) {
	t = withPredictor(t)
	f := &PolynomialForm{term: t, Trials: -1}
	if t.Dist.Event != nil {
		return nil, notNumbers(t)
	}
	for k, p := range t.Dist.Params {
		switch {
		case k == t.Param:
		case p.Integral:
			f.Trials = k
		case math.IsNaN(t.Theta[k]):
			return nil, unknown(t, k)
		}
	}
	f.term.Theta = make([]float64, len(t.Dist.Params))
	copy(f.term.Theta, t.Theta)
	if f.Trials >= 0 {
		f.term.Theta[f.Trials] = 1
	}
	link := t.Dist.Link
	switch f.Statistic = t.Dist.Params[t.Param].LinearIn; {
	case f.Statistic != nil:
		for _, k := range f.Statistic.Fixed {
			for _, moves := range t.Moves {
				if k == moves {
					return nil, moving(t, k)
				}
			}
		}
		f.x = twoValues(t.Dist.Support)
		for i, x := range f.x {
			f.t[i] = f.Statistic.Of(x, f.term.Theta)
		}
	case link.Scale == def.IdentityLink && link.Param == t.Param && t.Link == Link{}:
		f.Residual = true
	default:
		return nil, formless(t)
	}
	return f, nil
}

// Scaled reports whether parameter k is a standard deviation σ of residuals: the log density is -(T(y) -
// eta)²/2σ² but for what the predictor does not enter.
func (t LikelihoodTerm) Scaled(k int) bool {
	for _, sigma := range []float64{1, 2} {
		t.Theta = append([]float64(nil), t.Theta...)
		t.Theta[k] = sigma
		f, err := Of(t)
		if err != nil || f.Residual {
			return false
		}
		for _, eta := range []float64{-2, 0, 0.75} {
			d, square := f.slope(eta), sigma*sigma
			if math.Abs(float64(square*d.a)-1) > 1e-9 || math.Abs(float64(square*d.b)+eta) > 1e-9 {
				return false
			}
		}
	}
	return true
}

// withPredictor is the same term with the predictor for its parameter, where the distribution has such a
// form: it does not round the parameter.
func withPredictor(t LikelihoodTerm) LikelihoodTerm {
	if t.Link.Func == nil || t.Link.Falling || t.Link.Factor != 0 && t.Link.Factor != 1 {
		return t
	}
	for _, p := range t.Dist.Predicted {
		if p.Param == t.Param && p.Func == t.Link.Func.Name {
			t.Dist, t.Link = p.Form(), Link{}
			return t
		}
	}
	return t
}

// twoValues are inside a support, and inside that with one trial. They are far apart where they may be, so
// that in the difference of their log densities little is lost of what is linear in the value.
func twoValues(s def.Support) [2]float64 {
	switch s {
	case def.Naturals:
		return [2]float64{0, 1024}
	case def.Positive:
		return [2]float64{1.0 / 1024, 1024}
	case def.UnitInterval:
		return [2]float64{0.5, 0.75}
	}
	return [2]float64{0, 1}
}

// density is the log density at a value, without what depends on the value alone, and its derivative by the
// predictor.
func (f *PolynomialForm) density(x, eta float64) (lp, slope float64) {
	v, by := f.term.Link.at(eta)
	b := def.Batch{N: 1, X: def.Scalar(x), DTheta: make([][]float64, len(f.term.Theta))}
	for k, theta := range f.term.Theta {
		if k == f.term.Param {
			theta = v
		}
		b.Theta = append(b.Theta, def.Scalar(theta))
	}
	d := []float64{0}
	b.DTheta[f.term.Param] = d
	lp = f.term.Dist.LogDensity(&b)
	return lp, float64(d[0] * by)
}

// A parts is A and B, or their derivatives, at a predictor.
type parts struct{ a, b float64 }

// at returns A and B at eta, and their derivatives.
func (f *PolynomialForm) at(eta float64) (value, slope parts) {
	l0, d0 := f.density(f.x[0], eta)
	if f.Residual {
		return parts{b: l0}, parts{b: d0}
	}
	l1, d1 := f.density(f.x[1], eta)
	return f.solve(l0, l1), f.solve(d0, d1)
}

// solve returns a and b with T·a + b as given at the two values.
func (f *PolynomialForm) solve(at0, at1 float64) parts {
	a := (at1 - at0) / (f.t[1] - f.t[0])
	return parts{a, at0 - float64(f.t[0]*a)}
}

// relative is the form's value less that at a centre, so that terms without the predictor are gone.
func (f *PolynomialForm) relative(centre float64) func(eta float64) parts {
	at, _ := f.at(centre)
	return func(eta float64) parts {
		v, _ := f.at(eta)
		return parts{v.a - at.a, v.b - at.b}
	}
}

func (f *PolynomialForm) slope(eta float64) parts {
	_, d := f.at(eta)
	return d
}

// information is the expected square of the slope of a row with residuals, over those in an interval.
func (f *PolynomialForm) information(on Interval) float64 {
	const points = 1 << 12
	sum := 0.0
	for j := range points {
		theta := math.Pi * (float64(j) + 0.5) / points
		lp, slope := f.density(0, on.Centre+float64(on.K*portable.Cos(theta)))
		sum += float64(slope * slope * portable.Exp(lp) * portable.Sin(theta))
	}
	return sum * on.K * math.Pi / points
}
