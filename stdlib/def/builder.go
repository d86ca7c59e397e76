package def

import "math"

// A Value is a number or an array in an expression of a Builder. It is valid for that builder only.
type Value int32

// None is no value: an interval without an end on that side.
const None Value = -1

// A DensityBuilder builds a log density from operations that have vector functions and share common
// subexpressions with the rest of a model. Values broadcast over trailing axes; each broadcasts to the shape
// of the left side of the density. An unknown function panics.
type DensityBuilder interface {
	Number(v float64) Value
	Add(a, b Value) Value
	Sub(a, b Value) Value
	Mul(a, b Value) Value
	Div(a, b Value) Value
	Func(name string, x Value) Value // an elementwise function of the standard library
	// a function of the distribution's own, whose name no other function has
	Apply(f *Func, x Value) Value
	// Call is an operation that the language has on numbers, by its name there: pow, where, log_sum_exp, min,
	// max, a comparison as lt, or a connective as and. What where does not choose has no gradient.
	Call(name string, in ...Value) Value
	MulLog(x, a Value) Value            // x·log(a) for data x ≥ 0: 0 where both are 0, NaN where a < 0
	Times(x, a Value) Value             // x·a for data x ≥ 0: 0 where x is 0, even where a is infinite
	Rising(a, x Value) Value            // log Γ(a+x)/Γ(a) for data x ≥ 0
	Hazards(from, to Value) Value       // log(exp(-exp(from)) - exp(-exp(to)))
	BoxCox(z, xi Value) Value           // log(1 + xi·z)/xi, z where xi is 0, and 0 where xi·z ≤ -1
	Const(x Value) (v float64, ok bool) // the value, where all elements are one number that is known
	Fill(v float64) Value               // data that are v for every element of the left side
	// Argument is m where x is known to be the function of m, elementwise: the predictor behind a
	// probability.
	Argument(function string, x Value) (m Value, ok bool)
	Sum(x Value, k float64) // adds k·x for every element of the left side
	Each(v float64)         // adds v for every element of the left side
	Least(x, bound Value)   // -Inf where the left side x is below a bound somewhere
	Most(x, bound Value)    // -Inf where it is above
	// Split divides the rows of the left side in two: yes writes those where is holds of the values of by,
	// which are data, and no the others; of gives the values in these rows. It returns false, and nothing is
	// written, where by is no data, the left side has more than one axis, or the density of each row is
	// wanted.
	Split(by []Value, is func(by []float64) bool, yes, no func(b DensityBuilder, of func(Value) Value)) bool
	// Gather is table[index] for a vector table and data index, codes counted from 1.
	Gather(table, index Value) Value
	// Between is a vector with a number before and one after; of a matrix it is the vector of its columns,
	// one after another, with a column of the number before and one after.
	Between(first float64, x Value, last float64) Value
	Dims(x Value) []int // the lengths of its axes
	// Head and Tail are a vector without its last, and without its first n elements.
	Head(x Value, n int) Value
	Tail(x Value, n int) Value
	// Rows is a table, and the row of it that each row of m is, counted from 1: what m is looked up in, or m
	// itself. A vector is the one row that all have, and its table.
	Rows(m Value) (table, row Value)
	// LogSumExp is log Σ exp along the last axis of a matrix, and Pick its element in each row whose code,
	// counted from 1, is index.
	LogSumExp(m Value) Value
	Pick(m, index Value) Value
	// Probability is the log probability of a value above lower and no greater than upper, of which one may
	// be None. It returns false where both are ends and d.Between cannot serve them.
	Probability(d *Dist, lower, upper Value, theta ...Value) (Value, bool)
	// Density adds the log density of another distribution, carrier included, at x, which has the shape of
	// the left side.
	Density(d Dist, x Value, theta ...Value)
	// Elements is what Density would add, for each element.
	Elements(d Dist, x Value, theta ...Value) Value
}

// InsideBound is the log density of a value that far inside a bound: 0, and -Inf where it is beyond it.
var InsideBound = &Func{
	Name: "inside_bound", Light: true,
	Forward: func(y, x []float64) {
		for i, v := range x {
			y[i] = 0
			if !(v >= 0) {
				y[i] = math.Inf(-1)
			}
		}
	},
	Backward: func(_, _, _, _ []float64) {},
}
