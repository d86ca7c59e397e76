package protocol

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/encrypted"
)

// A scale is the precision τ of residuals T(y) − η, where the log density of a row is that of a normal one,
// −τ(T(y) − η)²/2 but for what the predictor does not enter, and τ moves in the fit as globals of the server
// say. The polynomials are of the precision at first, which all sums are proportional to. The server learns
// one sum more, of squared residuals, which is what the derivatives by its globals follow from.
type scale struct {
	first   float64 // τ of the first evaluation
	times   float64 // τ of the last, in units of it
	phi     []float64
	squares float64 // sum of squared residuals at the last evaluation, at the server
	all     *encrypted.Weights
}

// evaluated are log densities of rows, and derivatives by predictors and globals, at the server.
func (e *EncryptedEnv) evaluated(phi, eta []float64) (lp, slope, by []float64) {
	lp, slope, by = make([]float64, e.rows), make([]float64, e.rows), make([]float64, e.globals)
	e.density.Evaluate(phi, eta, lp, slope, nil, by)
	return lp, slope, by
}

// aside are predictors that differ from the statistic by the same number in all rows.
func (e *EncryptedEnv) aside(by float64) []float64 {
	out := make([]float64, e.rows)
	for i, t := range e.statistics {
		out[i] = t + by
	}
	return out
}

// precisions are those of the rows at globals: the slope a step from the statistic, which is long enough for
// the largest of these to be rounded little.
func (e *EncryptedEnv) precisions(phi []float64) []float64 {
	step := 1.0
	for _, t := range e.statistics {
		step = max(step, math.Abs(t)/(1<<20))
	}
	_, slope, _ := e.evaluated(phi, e.aside(step))
	for i := range slope {
		slope[i] /= -step
	}
	return slope
}

// oneScale checks that all rows have the same precision, but for rounding.
func (e *EncryptedEnv) oneScale(f *family) error {
	phi := make([]float64, e.globals)
	for i := range phi {
		phi[i] = float64(i+1) / 8
	}
	all := e.precisions(phi)
	for _, v := range all {
		if !(math.Abs(v-all[0]) <= 1e-6*all[0]) {
			return fmt.Errorf("%s of %s differs by row, and that of encrypted rows is one number",
				e.law.Dist.Params[f.scale].Name, f.name)
		}
	}
	return nil
}

// precisionCount is how many precisions the server tells of so many points.
func (e *EncryptedEnv) precisionCount(points int) int {
	if e.globals == 0 {
		return 0
	}
	return points
}

// precisionsAt are those at the globals of some points one after another.
func (e *EncryptedEnv) precisionsAt(phi []float64, points int) (out []float64) {
	for i := range e.precisionCount(points) {
		out = append(out, e.precisions(phi[i*e.globals:][:e.globals])[0])
	}
	return out
}

// checkPrecisions is a *RangeError where precisions that the server has told are none.
func checkPrecisions(told []float64) error {
	for _, v := range told {
		if !(v > 0 && v <= math.MaxFloat64) {
			return &RangeError{"the precision of the likelihood is not finite",
				"narrow the prior of its scale"}
		}
	}
	return nil
}

// begin makes the polynomials those of a precision, if there is one.
func (e *EncryptedEnv) begin(precision []float64) error {
	if err := checkPrecisions(precision); err != nil || len(precision) == 0 {
		return err
	}
	e.scale.first = precision[0]
	return e.family.of(1 / math.Sqrt(precision[0]))
}

// scaled takes the globals of an evaluation, at the server, and the precision there.
func (e *EncryptedEnv) scaled(phi, precision []float64) {
	if len(precision) > 0 {
		e.scale.times, e.scale.phi = precision[0]/e.scale.first, append([]float64(nil), phi...)
	}
}

// times is the precision of the last evaluation in units of that of the polynomials.
func (e *EncryptedEnv) times() float64 {
	if e.globals == 0 {
		return 1
	}
	return e.scale.times
}

// timesOf are those of draws.
func (e *EncryptedEnv) timesOf(precisions []float64, draws int) []float64 {
	out := slices.Repeat([]float64{1}, draws)
	for i, v := range precisions {
		out[i] = v / e.scale.first
	}
	return out
}

// square derives the sum of squared residuals, from a form of the value.
func (e *EncryptedEnv) square(form encrypted.PolynomialForm) ([][]*encrypted.EncryptedSum, error) {
	plan, err := e.params.Plan(form, len(e.columns))
	if err != nil {
		return nil, err
	}
	s := &e.scale
	if s.all == nil {
		s.all = encrypted.NewWeights(slices.Repeat([]float64{1}, e.rows))
	}
	sums, err := e.derived(func(_ int, v *view) ([]*encrypted.EncryptedSum, error) {
		rows, err := v.keys.Rows(plan, v.at, v.response)
		if err != nil {
			return nil, err
		}
		sum, err := rows.Weighted(s.all)
		return []*encrypted.EncryptedSum{sum}, err
	})
	return sums, beyond(err)
}

// squared takes that sum, at the server.
func (e *EncryptedEnv) squared(sum float64) {
	s := &e.scale
	s.squares = -2 * sum / s.first
	for _, t := range e.statistics {
		s.squares += float64((t - e.family.centre) * (t - e.family.centre))
	}
}

// byGlobals is the derivative of the log likelihood by globals, with the squares of the last evaluation.
func (e *EncryptedEnv) byGlobals(phi []float64) []float64 {
	_, _, by := e.evaluated(phi, e.aside(math.Sqrt(max(0, e.scale.squares)/float64(e.rows))))
	return by
}

// between is half the distance of globals whose derivatives differ by the second one.
const between = 1e-4

// spread sets gram, of all columns and the globals, from that of columns of data. Of a column and a global it
// has the expectation, which is 0.
func (e *EncryptedEnv) spread(gram, data []float64) {
	g, own, p := e.globals, e.columns[0]-e.globals, 0
	for _, c := range e.columns {
		p += c
	}
	at := func(i int) int {
		if i < own {
			return i
		}
		return i + g
	}
	clear(gram[:p*p])
	for i := range p - g {
		for j := range p - g {
			gram[at(i)*p+at(j)] = data[i*(p-g)+j]
		}
	}
	phi := append([]float64(nil), e.scale.phi...)
	for i := range g {
		phi[i] = e.scale.phi[i] + between
		above := e.byGlobals(phi)
		phi[i] = e.scale.phi[i] - between
		below := e.byGlobals(phi)
		phi[i] = e.scale.phi[i]
		for j := range g {
			gram[(own+i)*p+own+j] = (below[j] - above[j]) / (2 * between)
		}
	}
}
