package portable

import (
	"math"
	"testing"
)

// Values from mpmath at 40 digits, in and around the intervals in which Lgamma does not use that of package
// math.
func TestLgamma(t *testing.T) {
	for _, c := range [][2]float64{
		{0.1916, 1.5694441183243044}, {0.2, 1.5240638224307845}, {0.2316, 1.3688609177181226},
		{1.19, -0.08242007447712085}, {1.1917, -0.08293126255507434},
		{1.2, -0.08537409000331583}, {1.22, -0.09090336184430028}, {1.2316, -0.0938826155651742},
		{1.25, -0.09827183642181316}, {2.0001, 4.2281658112919945e-05},
		{0.7, 0.26086724653166654},
	} {
		if got := LogAbsGamma(c[0]); math.Abs(got-c[1]) > 4e-16*math.Abs(c[1]) {
			t.Errorf("Lgamma(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}
