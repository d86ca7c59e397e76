package lower

import (
	"math"
	"testing"
)

// The condition number of two standardised columns of correlation r is √((1 + |r|)/(1 − |r|)), whatever their
// means and scales, and both have the same share of the direction that is least determined.
func TestConditionOfTwoColumns(t *testing.T) {
	a := []float64{1, 2, 4, 7, 11, 12}
	for _, noise := range []float64{1, 0.1, 1e-4} {
		b := make([]float64, len(a))
		for i, v := range a {
			b[i] = 1000 - 3*(v+noise*math.Sin(float64(5*i)))
		}
		var sa, sb, saa, sbb, sab float64
		for i := range a {
			sa, sb = sa+a[i]/6, sb+b[i]/6
		}
		for i := range a {
			saa, sbb = saa+(a[i]-sa)*(a[i]-sa), sbb+(b[i]-sb)*(b[i]-sb)
			sab += (a[i] - sa) * (b[i] - sb)
		}
		r := math.Abs(sab) / math.Sqrt(saa*sbb)
		want := math.Sqrt((1 + r) / (1 - r))
		got, loadings := conditionOf([]covariate{{values: a}, {values: b}})
		if !(math.Abs(got/want-1) < 1e-6) {
			t.Errorf("noise %g: condition number %v, not %v", noise, got, want)
		}
		for _, l := range loadings {
			if !(math.Abs(math.Abs(l)-1) < 1e-6) {
				t.Errorf("noise %g: loadings %v", noise, loadings)
			}
		}
	}
	if got, _ := conditionOf([]covariate{{values: a}, {values: a}}); got != 0 {
		t.Errorf("equal columns have the condition number %v", got)
	}
}
