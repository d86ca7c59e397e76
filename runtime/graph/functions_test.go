package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
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
		if k.forward == nil {
			f.Forward(y, x)
		} else {
			k.forward(n, y, x)
		}
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

// TestVectorFunctionsAlone: a value or derivative does not depend, bit for bit, on how many are computed with
// it.
func TestVectorFunctionsAlone(t *testing.T) {
	x := append(functionPoints(""), -1, math.NaN(), math.Inf(-1))
	for v := -0.99; v < 2; v += 0.007 {
		x = append(x, v)
	}
	n := len(x)
	dy := make([]float64, n)
	for i := range dy {
		dy[i] = math.Cos(float64(i))
	}
	run := func(k *vectorFunc, together int) (y, d []float64) {
		y, d = make([]float64, n), make([]float64, n)
		for from := 0; from < n; from += together {
			m := min(together, n-from)
			if k.forward != nil {
				k.forward(m, y[from:], x[from:])
			}
			k.back(m, d[from:], make([]float64, m), dy[from:], x[from:], y[from:])
		}
		return y, d
	}
	for loop, k := range vectorFuncs {
		if k == nil {
			continue
		}
		want, slopes := run(k, n)
		for _, together := range []int{1, 3, 8, 10, 17, 32, 33, 64, 70} {
			y, d := run(k, together)
			for i := range x {
				if !same(y[i], want[i]) || !same(d[i], slopes[i]) {
					t.Fatalf("function %d at %v, %d together: %v with slope %v, want %v with slope %v", loop, x[i],
						together, y[i], d[i], want[i], slopes[i])
				}
			}
		}
	}
}

// The distribution functions of the Cauchy distribution and of its absolute value, on the log scale, have all
// their digits from one end to the other; the slopes are those of the log density minus the value.
func TestLogCauchy(t *testing.T) {
	x := append(functionPoints(""), math.Inf(-1))
	half := slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return v < 0 })
	for _, c := range []struct {
		name string
		loop def.FuncLoop
		x    []float64
		want func(z float64) float64
		beta float64
	}{
		{"cauchy", def.CauchyLoop, x, func(z float64) float64 {
			if z > 1 {
				return portable.Log1p(-portable.Atan2(1, z) / math.Pi)
			}
			return portable.Log(portable.Atan2(1, -z) / math.Pi)
		}, 1},
		{"half_cauchy", def.HalfCauchyLoop, half, func(z float64) float64 {
			if z > 1 {
				return portable.Log1p(-2 * portable.Atan2(1, z) / math.Pi)
			}
			return portable.Log(2 * portable.Atan(z) / math.Pi)
		}, 2},
	} {
		n, k := len(c.x), vectorFuncs[c.loop]
		y, want, d, slope := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		one := constantOf(n, 1)
		k.forward(n, y, c.x)
		k.back(n, d, make([]float64, n), one, c.x, y)
		for i, z := range c.x {
			want[i] = c.want(z)
			slope[i] = c.beta / math.Pi / (1 + z*z) * math.Exp(-want[i])
		}
		compare(t, c.name, c.x, y, want, 0)
		for i, s := range slope {
			if z := c.x[i]; z == 0 && c.beta == 2 || math.Abs(z) > 1e150 {
				continue // ∞, and a density that has no size
			}
			// exp of minus the value has its relative error, times the value
			if !(math.Abs(d[i]-s) <= s*0x1p-52*(4+2*math.Abs(want[i])) || d[i] == s) {
				t.Errorf("%s at %v: slope %v, want %v", c.name, c.x[i], d[i], s)
			}
		}
		for i := range 40 { // differences of second order
			z, h := 0.1+float64(i)/7, 1e-5
			u, v := []float64{z + h, z - h, z}, make([]float64, 3)
			k.forward(3, v, u)
			k.back(3, d, make([]float64, 3), one, u, v)
			if by := (v[0] - v[1]) / (2 * h); !(math.Abs(by-d[2]) < 1e-8*(1+math.Abs(by))) {
				t.Errorf("%s at %v: slope %v, difference %v", c.name, z, d[2], by)
			}
		}
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
