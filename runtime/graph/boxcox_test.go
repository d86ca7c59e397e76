package graph

import (
	"math"
	"testing"
)

// TestBoxCox: the slope in xi is that of differences of second order where these have digits, -z²/2 where xi
// is 0, and does not depend, bit for bit, on how many are computed together.
func TestBoxCox(t *testing.T) {
	var z, xi []float64
	for v := -3.0; v < 4; v += 0.11 {
		for _, shape := range []float64{-0.24, -0.1, -1e-5, 0, 1e-9, 0.07, 0.3, 2} {
			if v*shape > -1 {
				z, xi = append(z, v), append(xi, shape)
			}
		}
	}
	n := len(z)
	slopes := func(together int) []float64 {
		w, p, y, d := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range z {
			w[i] = z[i] * xi[i]
			p[i], y[i] = w[i]+1, boxCoxOf(z[i], xi[i])
		}
		for from := 0; from < n; from += together {
			m := min(together, n-from)
			boxCoxSlope(m, d[from:], z[from:], xi[from:], w[from:], p[from:], y[from:])
		}
		return d
	}
	want := slopes(n)
	for _, together := range []int{1, 5, 17, 64, 65} {
		for i, d := range slopes(together) {
			if !same(d, want[i]) {
				t.Fatalf("%v, %v, %d together: %v, want %v", z[i], xi[i], together, d, want[i])
			}
		}
	}
	for i, d := range want {
		const h = 1e-4
		by := (boxCoxOf(z[i], xi[i]+h) - boxCoxOf(z[i], xi[i]-h)) / (2 * h)
		if size := 1 + math.Abs(z[i]*z[i]*z[i]); z[i]*(xi[i]+h) > -0.9 && z[i]*(xi[i]-h) > -0.9 &&
			!(math.Abs(d-by) < 1e-5*size) {
			t.Errorf("z = %v, xi = %v: slope %v, difference %v", z[i], xi[i], d, by)
		}
		if xi[i] == 0 && d != -z[i]*z[i]/2 {
			t.Errorf("z = %v: slope %v at 0", z[i], d)
		}
	}
}

func boxCoxOf(z, xi float64) float64 {
	if xi == 0 {
		return z
	}
	return math.Log1p(xi*z) / xi
}
