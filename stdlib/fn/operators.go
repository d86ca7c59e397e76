package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Operators returns the binary operators of arithmetic.
func Operators() []def.Operator {
	return []def.Operator{
		{Symbol: "+", Range: def.Range.Add, Monotone: affine},
		{Symbol: "-", Range: func(x, y def.Range) def.Range { return x.Add(y.Neg()) }, Monotone: affine},
		{Symbol: "*", Range: def.Range.Times, Monotone: affine},
		{Symbol: ".*", Range: def.Range.Times, Monotone: affine},
		{Symbol: "/", Range: def.Range.Over, Monotone: quotient},
		{Symbol: "./", Range: def.Range.Over, Monotone: quotient},
		{Symbol: "^", Range: def.Range.Power, Monotone: power},
	}
}

// affine: the value is affine in each operand.
func affine(_, _ def.Range) (left, right bool) { return true, true }

// quotient: x/y is affine in x, and monotone in y on one side of 0.
func quotient(_, y def.Range) (left, right bool) { return true, y.Positive() || y.Negative() }

// power: x^y is monotone in x where no x is negative, or y is an odd number above 0; and in y where x is
// positive.
func power(x, y def.Range) (left, right bool) {
	odd := y.Lower == y.Upper && math.Mod(y.Lower, 2) == 1
	return x.Lower >= 0 || odd, x.Positive()
}
