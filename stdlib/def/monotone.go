package def

import "math"

// A Monotone says how a function of one real argument moves with it.
type Monotone int

// The kinds. The zero value is that of a function that rises in one place and falls in another.
const (
	NotMonotone Monotone = iota
	Increasing
	Nondecreasing // nowhere decreasing, and constant in some places
	Decreasing
)

// Moves reports whether the value is monotone in the argument, for arguments in x.
func (f *Func) Moves(x Range) bool {
	return f.Monotone != NotMonotone || f.EachSide && (x.Lower >= 0 || x.Upper <= 0)
}

// Image is the range of the values for arguments in x; undefined where an end of x is outside the domain.
func (f *Func) Image(x Range) Range {
	switch {
	case !x.Defined():
		return undefined()
	case !f.Moves(x) && f.NonNegative:
		return AtLeast0()
	case !f.Moves(x):
		return Reals()
	}
	y := make([]float64, 2)
	f.Forward(y, []float64{x.Lower, x.Upper})
	if f.EachSide && x.Upper == 0 {
		f.Forward(y[1:], []float64{math.Copysign(0, -1)}) // a pole is approached from below
	}
	out := Range{y[0], y[1], x.LowerIn, x.UpperIn}
	if out.Upper < out.Lower {
		out = Range{y[1], y[0], x.UpperIn, x.LowerIn}
	}
	if f.Monotone == Nondecreasing {
		out.LowerIn, out.UpperIn = true, true // it may be constant towards an end
	}
	out.LowerIn, out.UpperIn = out.LowerIn && !math.IsInf(out.Lower, 0), out.UpperIn &&
		!math.IsInf(out.Upper, 0)
	return out
}

// An Operator is a binary operator of the language on numbers, element by element.
type Operator struct {
	Symbol string
	// Range is the range of the values for operands in x and y.
	Range func(x, y Range) Range
	// Monotone reports whether the value is monotone in an operand, or affine in it, where the other one is
	// fixed; x and y hold the operands.
	Monotone func(x, y Range) (left, right bool)
}
