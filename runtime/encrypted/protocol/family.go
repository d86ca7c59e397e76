package protocol

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
)

// A family is a likelihood as polynomials of the predictor, which all parties know.
type family struct {
	name   string
	form   *polynomial.Form
	theta  []float64 // parameters that all rows share
	trials float64   // of each row; 1 where there are none
	unit   float64   // the response is encrypted as so many times its statistic
	on     polynomial.Interval

	slope, value, curvature encrypted.Form
	flat                    float64 // curvature that does not depend on the predictor; 0: it does
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
		return refuse("the predictor of "+law.Dist.Name+" enters it through more than one function", "write it with one, such as poisson_log for poisson(exp(…)), or "+other)
	}
	t := polynomial.Term{Dist: *law.Dist, Param: law.Param, Link: polynomial.Link{Func: law.Link}}
	f := &family{name: law.Dist.Name, trials: 1, unit: 1}
	for k, v := range law.Theta {
		value, one := constant(v)
		switch {
		case k == law.Param:
		case v == nil:
			value = math.NaN()
			t.Moves = append(t.Moves, k)
		case !one:
			return refuse(fmt.Sprintf("%s of %s differs by row, and that of encrypted rows is one number", law.Dist.Params[k].Name, law.Dist.Name), other)
		case law.Dist.Params[k].Integral:
			f.trials = value
		}
		t.Theta = append(t.Theta, value)
	}
	f.theta = t.Theta
	var err error
	if f.form, err = polynomial.Of(t); err == nil && (law.Dist.Link.Steepest == 0 || law.Dist.Link.Param != law.Param) {
		return refuse("the derivative of "+f.name+" by its predictor has no bound, and the noise that covers decrypted sums grows with it", other)
	}
	return f, err
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

// halfWidths are the K that are tried, the largest first: a large one costs nothing but the degree.
var halfWidths = []float64{256, 192, 128, 96, 64, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3.5, 3, 2.5, 2}

// Degrees of the term and of a factor that is multiplied with the response, with one product to follow and
// with two.
const (
	sums      = 127
	factors   = 63
	crossings = 63
)

// around makes the polynomials on the widest interval around a predictor that they reach, for sums over
// numbers that fill some ciphertexts.
func (f *family) around(centre float64, rows, ciphertexts int) (err error) {
	at := func(i int) error {
		return f.within(polynomial.Interval{Centre: centre, K: halfWidths[i]}, rows, ciphertexts)
	}
	i := sort.Search(len(halfWidths)-1, func(i int) bool { return at(i) == nil })
	return at(i)
}

// largest bounds a polynomial whose sum over a ciphertext can be decrypted: the modulus has 2^13 for each
// number, of which columns and responses take some.
const largest = 1 << 10

// tooLarge reports whether sums of a polynomial may be.
func tooLarge(p polynomial.Polynomial, ciphertexts int) bool {
	sum := 0.0
	for _, c := range p.Coefficients {
		sum += math.Abs(c)
	}
	return float64(sum*float64(ciphertexts)) > largest
}

func (f *family) within(on polynomial.Interval, rows, ciphertexts int) error {
	goal := polynomial.Goal{Rows: float64(rows) * f.trials, Degree: sums}
	slope, err := f.form.Approximate(polynomial.Slope, on, goal)
	if err != nil {
		return err
	}
	value, err := f.form.Approximate(polynomial.Value, on, goal)
	if err != nil {
		return err
	}
	goal.Degree = crossings
	curvature, err := f.form.Approximate(polynomial.Curvature, on, goal)
	if err != nil {
		return err
	}
	if slope.A.Degree() > factors || value.A.Degree() > factors || tooLarge(slope.B, ciphertexts) || tooLarge(value.B, ciphertexts) {
		return &polynomial.Refusal{Reason: fmt.Sprintf("the log density of %s is too steep or too large on %s for its sums to be decrypted", f.name, on), WayOut: "scale the response, use another family, or another wire"}
	}
	f.on, f.unit = on, 1
	if slope.A.Degree() == 0 {
		f.unit = slope.A.Coefficients[0]
	}
	f.slope = encrypted.Form{Factor: f.text(slope.A, 1/f.unit), Term: f.text(slope.B, f.trials), Interval: on.K, Products: 1}
	f.value = encrypted.Form{Factor: f.text(value.A, 1/f.unit), Term: f.text(value.B, f.trials), Interval: on.K, Products: 1}
	f.curvature = encrypted.Form{Term: f.text(curvature.B, f.trials), Interval: on.K, Products: 2}
	f.flat = 0
	if curvature.B.Degree() == 0 {
		f.flat = f.trials * curvature.B.Coefficients[0]
	}
	return nil
}

// text is a polynomial times a number as coefficients that every machine reads alike.
func (f *family) text(p polynomial.Polynomial, times float64) (out []string) {
	for _, c := range p.Coefficients {
		out = append(out, strconv.FormatFloat(float64(c*times), 'x', -1, 64))
	}
	return out
}
