package def

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// A Range is a set of values between two ends, each of which belongs to it or not; an infinite end does not.
// It is undefined where Lower or Upper is NaN: the value of a function outside its domain. What is computed
// from one that is undefined is undefined.
type Range struct {
	Lower, Upper     float64
	LowerIn, UpperIn bool
}

// Point is the range of one number.
func Point(v float64) Range { return Range{v, v, true, true} }

// Open is the range between two ends that do not belong to it.
func Open(lower, upper float64) Range { return Range{Lower: lower, Upper: upper} }

// Reals is the range of all real numbers.
func Reals() Range { return Open(math.Inf(-1), math.Inf(1)) }

// AtLeast0 is [0, ∞).
func AtLeast0() Range { return Range{Lower: 0, Upper: math.Inf(1), LowerIn: true} }

// undefined is the value of a function outside its domain.
func undefined() Range { return Open(math.NaN(), math.NaN()) }

// Defined reports whether the range is that of a value.
func (x Range) Defined() bool { return !math.IsNaN(x.Lower) && !math.IsNaN(x.Upper) }

// Positive reports whether every value is above 0.
func (x Range) Positive() bool { return x.Lower > 0 || x.Lower == 0 && !x.LowerIn }

// Negative reports whether every value is below 0.
func (x Range) Negative() bool { return x.Neg().Positive() }

// Within reports whether every value belongs to a support that no parameter bounds.
func (x Range) Within(s Support) bool {
	if s == Positive {
		return x.Positive() && x.Defined()
	}
	lower, upper := s.Bounds(nil)
	return x.Lower >= lower && x.Upper <= upper
}

// Neg is the range of -x.
func (x Range) Neg() Range { return Range{-x.Upper, -x.Lower, x.UpperIn, x.LowerIn} }

// Add is the range of x + y.
func (x Range) Add(y Range) Range {
	return Range{x.Lower + y.Lower, x.Upper + y.Upper, x.LowerIn && y.LowerIn, x.UpperIn && y.UpperIn}
}

// Times is the range of x·y.
func (x Range) Times(y Range) Range {
	if !x.Defined() || !y.Defined() {
		return undefined()
	}
	out := Range{Lower: math.Inf(1), Upper: math.Inf(-1)}
	for _, a := range []end{{x.Lower, x.LowerIn}, {x.Upper, x.UpperIn}} {
		for _, b := range []end{{y.Lower, y.LowerIn}, {y.Upper, y.UpperIn}} {
			v, in := a.times(b)
			if v < out.Lower || v == out.Lower && in {
				out.Lower, out.LowerIn = v, in
			}
			if v > out.Upper || v == out.Upper && in {
				out.Upper, out.UpperIn = v, in
			}
		}
	}
	return out
}

type end struct {
	at float64
	in bool
}

// times is the product of two ends, with 0·∞ = 0.
func (a end) times(b end) (v float64, in bool) {
	zero := a.at == 0 && a.in || b.at == 0 && b.in
	if a.at == 0 || b.at == 0 {
		return 0, zero || a.in && b.in
	}
	return a.at * b.at, a.in && b.in
}

// Over is the range of x/y. Where y may have either sign, or be 0, the quotient may be any number.
func (x Range) Over(y Range) Range {
	switch {
	case !x.Defined() || !y.Defined():
		return undefined()
	case y.Lower >= 0 && y.Upper > 0:
		return x.Times(Range{1 / y.Upper, over(y.Lower), y.UpperIn, y.LowerIn && y.Lower > 0})
	case y.Upper <= 0 && y.Lower < 0:
		return x.Neg().Over(y.Neg())
	}
	return Reals()
}

// over is 1/v for v ≥ 0, of either sign of 0.
func over(v float64) float64 { return 1 / math.Abs(v) }

// Total is the range of a sum of one or more such values.
func (x Range) Total() Range {
	if x.Lower < 0 {
		x.Lower, x.LowerIn = math.Inf(-1), false
	}
	if x.Upper > 0 {
		x.Upper, x.UpperIn = math.Inf(1), false
	}
	return x
}

// Join is the least range that holds x and y.
func (x Range) Join(y Range) Range {
	out := Range{Lower: min(x.Lower, y.Lower), Upper: max(x.Upper, y.Upper)}
	out.LowerIn = x.LowerIn && x.Lower == out.Lower || y.LowerIn && y.Lower == out.Lower
	out.UpperIn = x.UpperIn && x.Upper == out.Upper || y.UpperIn && y.Upper == out.Upper
	return out
}

// Power is the range of x to the power y: undefined where x may be negative, unless y is one whole number.
func (x Range) Power(y Range) Range {
	p := y.Lower
	whole := p == y.Upper && p == math.Trunc(p)
	switch {
	case !x.Defined() || !y.Defined():
		return undefined()
	case whole && p == 0:
		return Point(1)
	case whole && p < 0:
		return Point(1).Over(x.Power(Point(-p)))
	case whole && math.Mod(p, 2) == 0 && x.Lower < 0:
		return Range{0, max(portable.Pow(x.Lower, p), portable.Pow(x.Upper, p)), true, x.LowerIn || x.UpperIn}
	case whole || p == y.Upper && p > 0 && x.Lower >= 0:
		return Range{portable.Pow(x.Lower, p), portable.Pow(x.Upper, p), x.LowerIn, x.UpperIn}
	case x.Positive():
		return Open(0, math.Inf(1))
	case x.Lower >= 0:
		return AtLeast0()
	}
	return undefined()
}
