package def

// A Value is a number or an array in an expression of a Builder. It is valid for that builder only.
type Value int32

// A Builder builds a log density from operations that have vector functions and share common subexpressions with the rest of a model. Values
// broadcast over trailing axes; each broadcasts to the shape of the left side of the density. An unknown function panics.
type Builder interface {
	Number(v float64) Value
	Add(a, b Value) Value
	Sub(a, b Value) Value
	Mul(a, b Value) Value
	Div(a, b Value) Value
	Func(name string, x Value) Value    // an elementwise function of the standard library
	MulLog(x, a Value) Value            // x·log(a) for data x ≥ 0: 0 where both are 0, NaN where a < 0
	Const(x Value) (v float64, ok bool) // the value, where it is one number that is known
	Sum(x Value, k float64)             // adds k·x for every element of the left side
	Each(v float64)                     // adds v for every element of the left side
	// Density adds the log density of another distribution, carrier included, at x, which has the shape of the left side.
	Density(d Dist, x Value, theta ...Value)
}
