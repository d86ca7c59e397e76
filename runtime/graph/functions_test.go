package graph

import (
	"math"
	"testing"

	"github.com/vflc/vflc/stdlib/fn"
)

// TestVectorFunctions compares the vector form of every function with the function of the standard library:
// values to 4 units in the last place, derivatives too, plus an absolute error of one rounding of 1, since
// some are computed from the value, such as s·(1-s) from s near 1. Special values are equal.
func TestVectorFunctions(t *testing.T) {
	for _, f := range fn.Elementwise() {
		k := vectorFuncs[f.Vector]
		if k == nil {
			continue
		}
		x := functionPoints(f.Name)
		n := len(x)
		y, want := make([]float64, n), make([]float64, n)
		k.forward(n, y, x)
		f.Forward(want, x)
		compare(t, f.Name, x, y, want, 0)
		dy, d, dwant := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range dy {
			dy[i] = 1.25
		}
		k.back(n, d, make([]float64, n), dy, x, want)
		f.Backward(dwant, dy, x, want)
		compare(t, f.Name+"'", x, d, dwant, 0x1p-52)
	}
}

// functionPoints covers a function's domain over all magnitudes, end points included.
func functionPoints(name string) []float64 {
	x := []float64{0, 1, 0.5, math.Inf(1)}
	for e := -300.0; e <= 300; e += 1.7 {
		x = append(x, math.Pow(10, e))
	}
	for v := 0.003; v < 700; v *= 1.07 {
		x = append(x, v)
	}
	if name == "log" || name == "sqrt" {
		return x
	}
	for _, v := range x {
		if name != "log1p" || v < 1 {
			x = append(x, -v)
		}
	}
	return x
}

func compare(t *testing.T, name string, x, got, want []float64, absolute float64) {
	t.Helper()
	for i := range x {
		if math.IsNaN(want[i]) && math.IsNaN(got[i]) || got[i] == want[i] {
			continue
		}
		ulp := math.Nextafter(math.Abs(want[i]), math.Inf(1)) - math.Abs(want[i])
		if !(math.Abs(got[i]-want[i]) <= 4*ulp+absolute) {
			t.Errorf("%s at %v is %v, want %v (%.3g units)", name, x[i], got[i], want[i],
				math.Abs(got[i]-want[i])/ulp)
			return
		}
	}
}
