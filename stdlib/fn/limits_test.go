package fn

import (
	"math"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// grid covers the real line over all magnitudes.
func grid() []float64 {
	x := []float64{0}
	for e := -12.0; e <= 12; e += 0.01 {
		x = append(x, math.Pow(10, e), -math.Pow(10, e))
	}
	return x
}

// big is a quantity that grows where v tends to the limit: its size, or the reciprocal of its distance from a
// finite one.
func big(v, limit float64) float64 {
	if math.IsInf(limit, 0) {
		return v * math.Copysign(1, limit)
	}
	return 1 / math.Abs(v-limit)
}

// approach gives arguments near X, for a big argument of 30, 300 and 600: the distance from a finite one is
// taken on a side where f is defined.
func approach(f def.Func, x, size float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return math.Copysign(size, x)
	case math.IsNaN(value(f, x+1/size)):
		return x - 1/size
	}
	return x + 1/size
}

// A function tends to the limits in its descriptor at the rate given there: the quotient of the two
// quantities that the rate compares converges.
func TestLimitsAreReached(t *testing.T) {
	for _, f := range Elementwise() {
		for _, l := range f.Limits {
			quotient := func(size float64) float64 {
				y := big(value(f, approach(f, l.X, size)), l.Y)
				switch l.Rate {
				case def.Linear:
					return y / size
				case def.PowerLaw:
					return math.Log(y) / math.Log(size)
				case def.Exponentially:
					return math.Log(y) / size
				}
				return y / math.Log(size)
			}
			a, b := quotient(300), quotient(600)
			if !(a > 0.1 && b > 0.1 && math.Abs(a/b-1) < 0.02) {
				t.Errorf("%s towards %v: the quotients are %v and %v, want a number", f.Name, l.X, a, b)
			}
			if l.Rate == def.PowerLaw && math.Abs(a-1) < 0.1 {
				t.Errorf("%s towards %v is linear", f.Name, l.X)
			}
		}
	}
}

// Where a function has limits in its descriptor, it is near 0, and large, nowhere else.
func TestLimitsAreComplete(t *testing.T) {
	for _, f := range Elementwise() {
		for _, x := range grid() {
			y := value(f, x)
			if f.NonNegative && y < 0 {
				t.Errorf("%s(%v) is %v", f.Name, x, y)
			}
			if f.Limits == nil || math.Abs(y) > 1e-6 && math.Abs(y) < 1e6 || math.IsNaN(y) {
				continue
			}
			known := false
			for _, l := range f.Limits {
				towards := big(x, l.X) > 10
				same := l.Y == 0 && math.Abs(y) < 1 || math.IsInf(l.Y, 1) && y > 1 || math.IsInf(l.Y, -1) &&
					y < -1
				known = known || towards && same
			}
			if !known {
				t.Errorf("%s(%v) is %v, and no limit has that", f.Name, x, y)
			}
		}
	}
}
