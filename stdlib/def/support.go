package def

import (
	"fmt"
	"math"
	"strings"
)

// A Support is the set of values that a distribution gives positive density.
type Support int

// The supports.
const (
	RealLine     Support = iota
	Positive             // (0, ∞), or [0, ∞) for the half distributions
	UnitInterval         // (0, 1)
	NonNegative          // [0, ∞)
	Interval             // [θ_0, θ_1] with θ_0 < θ_1: uniform's own bounds
	FromFirst            // [θ_0, ∞)
	Circle               // [-π, π]
	ZeroOne              // {0, 1}
	Naturals             // {0, 1, 2, …}
	UpToN                // {0, …, θ_0}
)

// Bounds returns the ends of the support.
func (s Support) Bounds(theta []float64) (lower, upper float64) {
	switch s {
	case Positive, NonNegative, Naturals:
		return 0, math.Inf(1)
	case UnitInterval, ZeroOne:
		return 0, 1
	case Interval:
		return theta[0], theta[1]
	case UpToN:
		return 0, theta[0]
	case FromFirst:
		return theta[0], math.Inf(1)
	case Circle:
		return -math.Pi, math.Pi
	}
	return math.Inf(-1), math.Inf(1)
}

// Words describes the support in a sentence: "positive", "between alpha and beta". params are the names of the parameters.
func (s Support) Words(params []string) string {
	switch s {
	case RealLine:
		return "any real number"
	case Positive:
		return "positive"
	case NonNegative:
		return "0 or positive"
	case UnitInterval:
		return "between 0 and 1"
	case Interval:
		return "between " + strings.Join(params, " and ")
	case FromFirst:
		return params[0] + " or more"
	case Circle:
		return "between -π and π"
	case ZeroOne:
		return "0 or 1"
	case Naturals:
		return "0, 1, 2, …"
	case UpToN:
		return "0, 1, …, " + params[0]
	}
	panic(fmt.Sprintf("def: unknown support %d", s))
}

// Words describes the domain in a sentence.
func (p *Param) Words() string {
	words := p.Domain.Words(nil)
	if p.Integral {
		return words + ", from the data"
	}
	return words
}

// Inside reports whether x is finite and between the ends of the support, or on an end where the density is positive and finite. A parameter
// that the support depends on may be NaN: then nothing is inside.
func (d *Dist) Inside(x float64, theta []float64) bool {
	lower, upper := d.Bounds(theta)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case d.Discrete:
		return x == math.Floor(x) && lower <= x && x <= upper
	case x == lower:
		return d.Lower.included(theta)
	case x == upper:
		return d.Upper.included(theta)
	}
	return lower < x && x < upper
}

// Allows reports whether a parameter may have the value v, a finite number inside its domain; the ends of a probability belong to it.
func (p *Param) Allows(v float64) bool {
	lower, upper := p.Domain.Bounds(nil)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case p.Integral:
		return v == math.Floor(v) && v >= lower && v <= upper
	case p.Domain == Positive:
		return v > 0
	}
	return lower <= v && v <= upper
}
