package portable

import "math"

// A dual is a number with its derivatives in two parameters, a and b.
type dual struct{ v, a, b float64 }

// least stands for 0 in a denominator of Lentz's method.
const least = 1e-300

func (x dual) plus(y dual) dual { return dual{x.v + y.v, x.a + y.a, x.b + y.b} }

func (x dual) times(y dual) dual {
	return dual{float64(x.v * y.v), float64(x.a*y.v) + float64(x.v*y.a), float64(x.b*y.v) + float64(x.v*y.b)}
}

// inverse is 1/x.
func (x dual) inverse() dual {
	if math.Abs(x.v) < least {
		x.v = least
	}
	r := 1 / x.v
	return dual{r, float64(-x.a * r * r), float64(-x.b * r * r)}
}

// isOne reports whether a factor changes a product, and its derivatives, by no more than rounding.
func (x dual) isOne() bool {
	return math.Abs(x.v-1) < 3e-16 && math.Abs(x.a) < 1e-15 && math.Abs(x.b) < 1e-15
}
