package protocol

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
)

// A family is a likelihood as polynomials of the predictor, which all parties know.
type family struct {
	name   string
	form   *polynomial.PolynomialForm
	theta  []float64 // parameters that all rows share
	trials float64   // of each row; 1 where there are none
	scale  int       // the parameter that is a standard deviation and moves; -1: none does
	term   polynomial.LikelihoodTerm

	// From the first evaluation on:
	rows    int
	centre  float64
	centred bool
	unit    float64 // the response is encrypted as so many times its statistic
	bend    float64 // curvature of a row at the centre
	// slopes are encrypted so many times, a power of 2 of which they are about 1: noise is not in their units
	size float64
	wide bool // sums of slopes may be too large for the modulus that one product leaves
	made map[request]made
}

// A request is for a polynomial of a quantity on an interval of a half width.
type request struct {
	of   polynomial.Approximated
	k    float64
	wide bool
}

// made is what a request gave: that there is none takes as long to find.
type made struct {
	form encrypted.PolynomialForm
	err  error
}

// describe returns the likelihood of a law. The error is a *polynomial.Refusal where it has none.
func describe(law *graph.Law) (*family, error) {
	refuse := func(reason, out string) (*family, error) {
		return nil, &polynomial.Refusal{Reason: reason, WayOut: out}
	}
	const other = "use another wire"
	switch {
	case !law.Plain:
		return refuse("rows of "+law.Dist.Name+" have weights, and those of encrypted rows count once", other)
	case !law.Linked:
		return refuse("the predictor of "+law.Dist.Name+" enters it through more than one function",
			"write it with one, such as poisson_log for poisson(exp(…)), or "+other)
	}
	t := polynomial.LikelihoodTerm{Dist: *law.Dist, Param: law.Param,
		Link: polynomial.Link{Func: law.Link, Factor: law.Factor, Falling: law.Falling}}
	f := &family{name: law.Dist.Name, trials: 1, scale: -1, made: map[request]made{}}
	for k, v := range law.Theta {
		value, one := constant(v)
		switch {
		case k == law.Param:
		case v == nil:
			value = math.NaN()
			t.Moves = append(t.Moves, k)
		case !one:
			return refuse(fmt.Sprintf("%s of %s differs by row, and that of encrypted rows is one number",
				law.Dist.Params[k].Name, law.Dist.Name), other)
		case law.Dist.Params[k].Integral:
			f.trials = value
		}
		t.Theta = append(t.Theta, value)
	}
	f.theta, f.term = t.Theta, t
	if len(t.Moves) == 1 && t.Scaled(t.Moves[0]) {
		f.scale = t.Moves[0]
		return f, f.of(1)
	}
	var err error
	f.form, err = polynomial.Of(t)
	return f, err
}

// of makes the form with a value for the parameter that moves.
func (f *family) of(scale float64) (err error) {
	f.theta[f.scale] = scale
	f.form, err = polynomial.Of(f.term)
	return err
}

// constant is the number that values are all equal to.
func constant(values []float64) (v float64, ok bool) {
	if len(values) == 0 {
		return math.NaN(), false
	}
	for _, x := range values {
		if x != values[0] {
			return math.NaN(), false
		}
	}
	return values[0], true
}

// statistics are those of a response.
func (f *family) statistics(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f.form.Statistic.Of(v, f.theta)
	}
	return out
}

// Degrees of the term and of a factor that is multiplied with the response, with one product to follow and
// with two.
const (
	sums        = 255
	factors     = 127
	crossings   = 127
	wideFactors = 63
)

// around sets the predictor of an ordinary row, and what follows from it.
func (f *family) around(centre float64, rows int) error {
	f.centre, f.rows, f.unit = centre, rows, 1
	near := polynomial.Interval{Centre: centre, K: 1}
	slope, err := f.form.Approximate(polynomial.Slope, near, f.goal(sums))
	if err != nil {
		return err
	}
	curvature, err := f.form.Approximate(polynomial.Curvature, near, f.goal(crossings))
	if err != nil {
		return err
	}
	f.bend, f.centred = float64(f.trials*curvature.B.At(centre)), true
	_, power := math.Frexp(math.Sqrt(f.bend))
	f.size = math.Ldexp(1, 1-power)
	if slope.A.Degree() == 0 {
		f.unit = float64(f.size * slope.A.Coefficients[0])
	}
	return nil
}

func (f *family) goal(degree int) polynomial.Goal {
	return polynomial.Goal{Rows: float64(f.rows) * f.trials, Degree: degree}
}

// on is a quantity as polynomials around the centre. The error is a *polynomial.Refusal where none are near
// enough.
func (f *family) on(q polynomial.Approximated, k float64) (encrypted.PolynomialForm, error) {
	r := request{q, k, f.wide && q == polynomial.Slope}
	out, ok := f.made[r]
	if !ok {
		out.form, out.err = f.make(q, k, r.wide)
		f.made[r] = out
	}
	return out.form, out.err
}

func (f *family) make(q polynomial.Approximated, k float64, wide bool) (out encrypted.PolynomialForm,
	err error) {
	within, degree, factor := polynomial.Interval{Centre: f.centre, K: k}, sums, factors
	if wide {
		degree, factor = crossings, wideFactors
	}
	p, err := f.form.Approximate(q, within, f.goal(degree))
	if err != nil {
		return out, err
	}
	size := 1.0
	if q == polynomial.Slope {
		size = f.size
	}
	out = encrypted.PolynomialForm{Term: f.text(p.B, f.trials*size), Interval: k, Products: 1}
	if wide || q == polynomial.Curvature && p.B.Degree() <= crossings {
		out.Products = 2
	}
	switch {
	case q == polynomial.Curvature:
	case p.A.Degree() > factor:
		return out, &polynomial.Refusal{Reason: fmt.Sprintf("the %s of %s is too steep on %s", q, f.name,
			within), WayOut: "scale the columns, narrow the priors, or use another wire"}
	// but for rounding
	case p.A.Degree() == 0 && math.Abs(float64(size*p.A.Coefficients[0])-f.unit) <= 1e-9*math.Abs(f.unit):
		out.Factor = f.text(polynomial.Polynomial{Coefficients: []float64{1}}, 1)
	default:
		out.Factor = f.text(p.A, size/f.unit)
	}
	return out, nil
}

// flat is the curvature of a row where that does not depend on the predictor, by its form; 0: it does.
func flat(curvature encrypted.PolynomialForm) float64 {
	if len(curvature.Term) > 1 {
		return 0
	}
	v, _ := strconv.ParseFloat(curvature.Term[0], 64) // which text made
	return v
}

// text is a polynomial times a number as coefficients that every machine reads alike.
func (f *family) text(p polynomial.Polynomial, times float64) (out []string) {
	for _, c := range p.Coefficients {
		out = append(out, strconv.FormatFloat(float64(c*times), 'x', -1, 64))
	}
	return out
}
