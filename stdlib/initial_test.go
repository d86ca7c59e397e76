package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// Values have mean 0 (or the constant), the variance that their kind gives, and for uniform kinds its bounds;
// the same stream gives the same values.
func TestMoments(t *testing.T) {
	for _, k := range initials() {
		for _, dims := range [][]int{nil, {3}, {4, 8}, {2, 16, 3}} {
			const n = 40000
			x, again := make([]float64, n), make([]float64, n)
			k.Fill(dims, rand.New(rand.NewPCG(1, 2)), x)
			k.Fill(dims, rand.New(rand.NewPCG(1, 2)), again)
			sum, square, most := 0.0, 0.0, 0.0
			for i, v := range x {
				if v != again[i] {
					t.Fatalf("%s: a second time %v, not %v", k.Name, again[i], v)
				}
				sum, square, most = sum+v, square+v*v, math.Max(most, math.Abs(v))
			}
			mean, variance := sum/n, square/n-sum/n*sum/n
			want := k.Variance(dims)
			if want == 0 {
				if variance > 1e-12 || mean != x[0] {
					t.Errorf("%s %v: constants with mean %v and variance %v", k.Name, dims, mean, variance)
				}
				continue
			}
			// Five standard errors: sd/√n of the mean, √2 variance/√n at most of the variance.
			if math.Abs(mean) > 5*math.Sqrt(want/n) || math.Abs(variance/want-1) > 5*math.Sqrt(2.0/n) {
				t.Errorf("%s %v: mean %v, variance %v, want %v", k.Name, dims, mean, variance, want)
			}
			if half := math.Sqrt(3 * want); most < half && most < 0.999*half || most > 5.5*math.Sqrt(want) {
				t.Errorf("%s %v: the largest is %v with sd %v", k.Name, dims, most, math.Sqrt(want))
			}
		}
	}
}

// The spreads of the literature for a layer of 4 inputs and 8 outputs, written out.
func TestVariances(t *testing.T) {
	for name, want := range map[string]float64{
		"zeros": 0, "ones": 0, "uniform": 0.0025 / 3, "normal": 0.0025, "glorot_uniform": 2.0 / 12,
		"glorot_normal": 2.0 / 12,
		"he_uniform":    0.5, "he_normal": 0.5, "lecun_uniform": 0.25, "lecun_normal": 0.25,
	} {
		found := false
		for _, k := range initials() {
			if k.Name == name {
				found = true
				if got := k.Variance([]int{4, 8}); math.Abs(got-want) > 1e-15 {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			}
		}
		if !found {
			t.Errorf("there is no %s", name)
		}
	}
	for rank, want := range []string{"zeros", "zeros", "glorot_uniform", "glorot_uniform"} {
		if got := New().DefaultInitial(rank).Name; got != want {
			t.Errorf("a weight of %d dimensions begins as %s, want %s", rank, got, want)
		}
	}
}

func TestFans(t *testing.T) {
	for _, c := range []struct {
		dims    []int
		in, out float64
	}{{nil, 1, 1}, {[]int{5}, 5, 5}, {[]int{4, 8}, 4, 8}, {[]int{3, 4, 8}, 4, 8}} {
		if in, out := def.Fans(c.dims); in != c.in || out != c.out {
			t.Errorf("%v: %v and %v", c.dims, in, out)
		}
	}
}
