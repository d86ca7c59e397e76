// Package def defines the descriptors of the standard library: distributions, functions, bijectors, encoders
// and transforms. Their numerics work on plain []float64.
package def

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
)

// An BlockArg is one argument of a block: V holds one value per element (Step 1) or one value for all (Step
// 0). At(i) is V[i*Step].
type BlockArg struct {
	V    []float64
	Step int
}

// At returns the value for element i.
func (a BlockArg) At(i int) float64 { return a.V[i*a.Step] }

// Scalar returns an argument that is v for every element.
func Scalar(v float64) BlockArg { return BlockArg{V: []float64{v}} }

// Vector returns an argument with one value per element.
func Vector(v []float64) BlockArg { return BlockArg{V: v, Step: 1} }

// A Batch is one call of a log density: N elements, with the outputs that are wanted. DX, DTheta[k] and LP
// are nil where not wanted; else they have length N and are overwritten with, per element, ∂ log p/∂x, ∂ log
// p/∂θ_k and log p; partials in a discrete x and in integral parameters are 0. The callee allocates nothing
// and never reads outside N elements.
type Batch struct {
	N      int
	X      BlockArg
	Theta  []BlockArg
	DX     []float64
	DTheta [][]float64
	LP     []float64

	known [2]known
}

// A known is the value of a function at some numbers, none at first.
type known struct {
	is       bool
	x, y     float64
	function float64
}

// Log is log(v) for a number that often is the one of the last call, such as a scale that is a constant.
func (b *Batch) Log(v float64) float64 {
	k := &b.known[0]
	if v != k.x || !k.is {
		*k = known{is: true, x: v, function: portable.Log(v)}
	}
	return k.function
}

// Known is f(x, y) for numbers that often are those of the last call, such as parameters that are constants.
// A density calls it with one f.
func (b *Batch) Known(f func(x, y float64) float64, x, y float64) float64 {
	k := &b.known[1]
	if x != k.x || y != k.y || !k.is {
		*k = known{is: true, x: x, y: y, function: f(x, y)}
	}
	return k.function
}

// A Param is a parameter of a distribution.
type Param struct {
	Name string // Stan's name: mu, sigma, …
	Doc  string // one phrase
	// the values allowed: RealLine, Positive, NonNegative, UnitInterval, or Naturals where integral
	Domain   Support
	Integral bool // whole numbers only; then it must be data
	Data     bool // it must be data
	NoNoise  bool // no noise may be added to it: a bound
	Optional bool
	Default  float64
	OwnSize  bool // of a vector: its length is its own, and not that of the values; one for all values
	Rank     int  // axes of one value: 0 for a number, 1 for a vector, 2 for a square matrix
	// Differences is set where the density knows the values of all rows up to a number that is added to them,
	// given that the other parameters are estimated; it says why.
	Differences string
	// LinearIn is the function of the value in which the log density is linear as this parameter alone moves;
	// nil: none is known.
	LinearIn *Statistic
}

// A Dist is a distribution with Stan's name and parameterisation.
//
// LogDensity returns the sum over the block of the log density without the carrier; outside the support, or
// with a parameter outside its domain, it returns -Inf (partials are then unspecified, but finite or NaN,
// never a panic). Carrier, where not nil, is the term of the log density that depends on x and on integral
// parameters alone (such as -lgamma(x+1)); the normalised log density is LogDensity + Σ Carrier. It is folded
// once at load, so it needs no partials. It is -Inf outside the support.
//
// Sample, nil for an improper distribution, draws one value; it is NaN for parameters outside their domain.
type Dist struct {
	Name     string
	Doc      string // Markdown: what it is, the density formula and its source
	Params   []Param
	Support  Support
	Discrete bool
	// Atoms are the values of a continuous distribution that have a probability of their own, which the
	// density has there: then a value is data. The density is that beside them elsewhere.
	Atoms []float64
	// Sums reports that the gradient of many values with the same parameters depends on the values by a few
	// sums of functions of them, whatever the parameters, and that no parameter bounds the values: an
	// exponential family, or one of zeros and such. A student_t is none: its gradient as a function of the
	// location tells each value.
	Sums bool
	// Grouped, where set, is the density of many values of data that have the same parameters.
	Grouped *Grouped
	// Periodic reports that the density is a periodic function of its location.
	Periodic bool
	// Declared reports that a model declares it, so that it is none of the library's.
	Declared bool
	Value    string // what a declaration calls the value, "" of one of the library
	Flat     bool   // the density is 1 at every real number: a parameter without a prior
	// LocationAt and ScaleAt are the indices into Params of a location and a scale, -1 where there is none: x
	// = location + scale·u, or x = scale·u, with u the standard member. `noncentered` needs a scale.
	LocationAt, ScaleAt int
	OfLog               *LocationScale // the same for log x, nil where there is none
	// Mean is that of a value, as an expression of the parameters' names; "" where none is written or none
	// exists. Of a category it is the probability of each; where categories are ordered, the probability of
	// one that is no greater, of each but the last.
	Mean string
	Link Link // the parameter that takes a linear predictor
	// the same distribution with a predictor for a parameter: bernoulli_logit of bernoulli
	Predicted    []PredictorForm
	Lower, Upper End // the density towards the ends of the support, of a continuous distribution
	LogDensity   func(b *Batch) float64
	Carrier      func(x float64, theta []float64) float64
	// LogCDF and LogCCDF return the sum over the block of the log probability of a value no greater than x,
	// and of a greater one, as LogDensity does the log density: x may be any number, -Inf and the partials 0
	// where there is no such value; NaN where a parameter is outside its domain. Both are nil for a
	// distribution without them; NoCDF then gives the reason.
	LogCDF, LogCCDF func(b *Batch) float64
	NoCDF           string
	Sample          func(r *rand.Rand, theta []float64) float64
	Examples        []string // statements that check and run, for `vflc doc`

	// Narrow puts ends that parameters give inside those of the support; nil for most. Form says what a
	// distribution is built from, nil where it is listed.
	Narrow func(theta []float64, lower, upper float64) (float64, float64)
	Form   *Composition

	// A density of many rows is computed by Expand, by the loop that Rows names, or else by LogDensity,
	// several times slower. All agree. Slow gives the reason where there is neither Expand nor Rows, and
	// where a row takes more than four times as long as one of bernoulli_logit.
	//
	// Expand writes Σ log p without the carrier into b. It is called with an x inside the support (data,
	// unless that is the real line) and with constants inside their domains; any other parameter must give
	// NaN outside its domain, as log(sigma) does; one that bounds the support takes Least or Most. It returns
	// false, having added nothing, where a parameter is not the constant that it needs.
	//
	// Elements is the same for a density that has a loop over rows, which gives the sum only: it is used
	// where the log density of each row is wanted. It may give NaN where LogDensity has a limit, such as 0·∞.
	Expand   func(b DensityBuilder, x Value, theta []Value) bool
	Elements func(b DensityBuilder, x Value, theta []Value) bool
	// Between writes the log probability of a value above lower and no greater than upper, ends inside the
	// support of which one may be None, by vectors: LogCCDF, LogCDF, or what lies between. It is nil where
	// there is no such form; SlowTails then gives the reason.
	Between   func(b DensityBuilder, lower, upper Value, theta []Value) Value
	SlowTails string
	Rows      RowLoop
	Slow      string
	// Loop gives the reason why LogDensity is written beside a vector form; "" where it follows from that.
	Loop string

	// Event is set for a distribution of vectors or matrices, or with such parameters; LogDensity, Carrier,
	// Sample and the vector forms are then nil.
	Event *Event
}

// Spread returns the indices of the location and of the scale of x, or of log x where only that has any; -1
// where there is none. Where the scale goes to 0, the density grows without bound at the location.
func (d *Dist) Spread() (location, scale int) {
	if d.OfLog != nil {
		return d.OfLog.Location, d.OfLog.Scale
	}
	return d.LocationAt, d.ScaleAt
}

// PredictorForm names another form of a distribution: where its parameter Param is Func of a predictor, Form
// takes the predictor in its place. It has the same density, computed faster and without rounding the
// parameter.
type PredictorForm struct {
	Param int
	Func  string // an increasing function of one number, or softmax
	Form  func() Dist
}

// PredictedAt returns the first form with a predictor for parameter k.
func (d *Dist) PredictedAt(k int) (PredictorForm, bool) {
	for _, p := range d.Predicted {
		if p.Param == k {
			return p, true
		}
	}
	return PredictorForm{}, false
}

// A Func is an elementwise function of one real argument with its derivative, over vectors of equal length.
// Forward sets y = f(x). Backward adds dy·f'(x) to dx, given y = f(x).
type Func struct {
	Name     string
	Doc      string
	Forward  func(y, x []float64)
	Backward func(dx, dy, x, y []float64)
	Examples []string // expressions with value, as "exp(0) = 1"
	Domain   string   // such as "x > 0"; "" for all reals
	Vector   FuncLoop // the vector loop that computes it faster, if any
	Slow     string   // why there is none
	Light    bool     // it is a comparison or so, which takes no longer element by element
	// After has the function that is this one of another, by the name of that: log_inv_logit for log after
	// inv_logit. It has the same values, without loss where the other one rounds to a limit.
	After map[string]string

	// Monotone says how the value moves with the argument, and EachSide that it moves in one direction on
	// each side of 0. The range of the values follows from these, and else from NonNegative.
	Monotone Monotone
	EachSide bool
	// TakesFactor names the function g with f(x)·y = f(x + g(y)) for y > 0: log for exp. "" where there is
	// none.
	TakesFactor string
	Undoes      string // the function g with f(g(x)) = x for every x: exp for log. "" where there is none.
	Linear      bool   // f(a·x + b·y) = a·f(x) + b·f(y)

	// NonNegative reports that no value is below 0. Limits lists where the function tends to 0, to ∞ and to
	// -∞; nil where they are not of this form.
	NonNegative bool
	Limits      []Limit
}

// A Bijector maps an unconstrained x to the support, elementwise, with bounds where it has them. Forward sets
// y = f(x) and returns Σ log |f'(x)|. Backward adds dy·f'(x) + d log |f'(x)|/dx to dx. Inverse is for initial
// values and tests.
type Bijector struct {
	Name     string
	Doc      string
	Forward  func(y, x []float64, lower, upper float64) float64
	Backward func(dx, dy, x, y []float64, lower, upper float64)
	Inverse  func(x, y []float64, lower, upper float64)
	Identity bool // y = x, with a log-Jacobian of 0
	// Func names the elementwise function that the map is for these bounds, "" where there is none; nil:
	// never.
	Func func(lower, upper float64) string
}

// An Arity is the least and the greatest number of arguments of a call; a negative greatest is any number.
type Arity struct{ Min, Max int }

// Allows reports whether a call may have n arguments.
func (a Arity) Allows(n int) bool { return a.Min <= n && (a.Max < 0 || n <= a.Max) }
