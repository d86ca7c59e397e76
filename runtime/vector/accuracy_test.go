package vector

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/portable"
)

// A value is an argument x and the exact value of a function there, as the sum of two numbers.
type value struct{ x, high, low float64 }

// values reads testdata/functions.txt, which functions.py beside it writes.
func values(t *testing.T) map[string][]value {
	file, err := os.Open("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[string][]value{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(f[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		out[f[0]] = append(out[f[0]], value{v[0], v[1], v[2]})
	}
	return out
}

// ulps is the distance of y from v in units in the last place of v.
func ulps(y float64, v value) float64 {
	if math.IsInf(v.high, 0) || math.IsNaN(y) {
		return portable.Where(y == v.high, 0, math.Inf(1))
	}
	unit := math.Abs(v.high)
	unit = math.Nextafter(unit, math.Inf(1)) - unit
	return math.Abs((y-v.high)-v.low) / unit
}

func TestFunctionsAreAccurate(t *testing.T) {
	all := values(t)
	for _, f := range functions() {
		points := all[f.name]
		if len(points) == 0 {
			continue
		}
		delete(all, f.name)
		a, y := make([]float64, len(points)), make([]float64, len(points))
		for i, p := range points {
			a[i] = p.x
		}
		most := 2.0
		if strings.HasPrefix(f.name, "logPhi") { // by a quotient whose numerator and argument are rounded
			most = 5
		}
		for _, set := range Sets() {
			f.on(set, len(a), y, a)
			worst := 0.0
			for i, p := range points {
				u := ulps(y[i], p)
				worst = max(worst, u)
				if u > most {
					t.Errorf("%s(%v) on %v is %v, want %v: %.3g units", f.name, p.x, set, y[i], p.high, u)
				}
			}
			t.Logf("%s on %v: at most %.2f units", f.name, set, worst)
		}
	}
	for name := range all {
		t.Errorf("no function is called %s", name)
	}
}

// TestSpecialValues checks the functions at arguments where no polynomial applies.
func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	want := map[string][][2]float64{
		"exp":   {{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {1e300, inf}, {-1e300, 0}},
		"expm1": {{0, 0}, {zero, zero}, {inf, inf}, {-inf, -1}, {nan, nan}, {-5e-324, -5e-324}},
		"log": {{0, -inf}, {zero, -inf}, {1, 0}, {inf, inf}, {-inf, nan}, {-1, nan}, {-5e-324, nan},
			{nan, nan}},
		"log1p": {{0, 0}, {zero, zero}, {-1, -inf}, {inf, inf}, {-inf, nan}, {-1.5, nan}, {nan, nan},
			{5e-324, 5e-324}},
		"sigmoid":     {{0, 0.5}, {zero, 0.5}, {inf, 1}, {-inf, 0}, {nan, nan}},
		"tanh":        {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {5e-324, 5e-324}},
		"log1pExp":    {{inf, inf}, {-inf, 0}, {nan, nan}, {800, 800}},
		"log1mExp":    {{0, -inf}, {zero, -inf}, {-inf, 0}, {-800, 0}, {nan, nan}, {5e-324, nan}, {inf, nan}},
		"oddsOfExp":   {{0, inf}, {zero, inf}, {-inf, 0}, {nan, nan}},
		"lgamma":      {{0, inf}, {1, 0}, {2, 0}, {inf, inf}, {nan, nan}, {-1.5, nan}, {1e307, inf}},
		"digamma":     {{0, -inf}, {inf, inf}, {nan, nan}, {-1.5, nan}, {5e-324, -inf}},
		"logPhi":      {{inf, 0}, {-inf, -inf}, {nan, nan}, {1e300, 0}, {-1e300, -inf}},
		"logPhiSlope": {{inf, 0}, {-inf, inf}, {nan, nan}, {1e300, 0}},
		"phi":         {{inf, 1}, {-inf, 0}, {nan, nan}, {1e300, 1}, {-1e300, 0}},
		"sine":        {{0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}, {nan, nan}, {5e-324, 5e-324}},
		"cosine":      {{0, 1}, {zero, 1}, {inf, nan}, {-inf, nan}, {nan, nan}, {5e-324, 1}},
		"sqrt":        {{0, 0}, {zero, zero}, {inf, inf}, {-1, nan}, {nan, nan}, {4, 2}},
		"relu":        {{0, 0}, {-3, 0}, {3, 3}, {inf, inf}, {-inf, 0}, {nan, nan}},
	}
	for _, f := range functions() {
		for _, p := range want[f.name] {
			for _, set := range Sets() {
				y := []float64{0}
				if f.on(set, 1, y, p[:1]); !same(y[0], p[1]) {
					t.Errorf("%s(%v) on %v is %v, want %v", f.name, p[0], set, y[0], p[1])
				}
			}
		}
	}
}

// TestFunctionsAgreeWithMath compares many more points with the standard library, which has errors of a unit
// or two of its own.
func TestFunctionsAgreeWithMath(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	library := map[string]func(float64) float64{
		"exp": math.Exp, "expm1": math.Expm1, "log": math.Log, "log1p": math.Log1p, "tanh": math.Tanh,
		"sqrt": math.Sqrt, "sine": math.Sin, "cosine": math.Cos,
	}
	const n = 20000
	a, y := make([]float64, n), make([]float64, n)
	for _, f := range functions() {
		want := library[f.name]
		if want == nil {
			continue
		}
		for i := range a {
			lo, hi := max(f.lo, -700), min(f.hi, 700)
			a[i] = lo + (hi-lo)*math.Pow(r.Float64(), float64(1+i%8))
		}
		f.on(active, n, y, a)
		for i, x := range a {
			if u := ulps(y[i], value{x, want(x), 0}); u > 4 {
				t.Fatalf("%s(%v) is %v, in math %v", f.name, x, y[i], want(x))
			}
		}
	}
}
