package graph

import (
	"math"
	"testing"

	"github.com/vflc/vflc/portable"
)

// TestLogBessel compares the vector form of log I0 and its slope with the functions of one number, over all
// magnitudes and on both sides of where one series gives way to another; what is not positive has none.
func TestLogBessel(t *testing.T) {
	var x []float64
	for v := 1e-9; v < 1e9; v *= 1.03 {
		x = append(x, v)
	}
	for _, edge := range []float64{besselNear, besselMiddle} {
		x = append(x, math.Nextafter(edge, 0), edge, math.Nextafter(edge, 100))
	}
	n := len(x)
	y, want, d, slope := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	logBesselI0(n, y, x)
	logBesselI0Back(n, d, nil, constantOf(n, 1), x, nil)
	for i, v := range x {
		want[i], slope[i] = portable.LogBesselI0(v), portable.BesselRatio(v)
	}
	compare(t, "log I0", x, y, want, 0x1p-50)
	compare(t, "I1/I0", x, d, slope, 0x1p-50)
	for _, v := range []float64{0, -1, math.NaN()} {
		if logBesselI0(1, y, []float64{v}); !math.IsNaN(y[0]) {
			t.Errorf("log I0 at %v is %v", v, y[0])
		}
	}
}
