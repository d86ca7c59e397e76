package portable_test

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

func one(f func(float64) float64) func(x, _ float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// functions are those that package vector does not test, with those of math, and the largest error in units
// in the last place.
var functions = map[string]struct {
	of, math func(x, y float64) float64
	most     float64
}{
	"sin":   {one(portable.Sin), one(math.Sin), 1},
	"cos":   {one(portable.Cos), one(math.Cos), 1},
	"tan":   {one(portable.Tan), one(math.Tan), 3},
	"atan":  {one(portable.Atan), one(math.Atan), 2},
	"asin":  {one(portable.Asin), one(math.Asin), 3},
	"acos":  {one(portable.Acos), one(math.Acos), 3},
	"sinh":  {one(portable.Sinh), one(math.Sinh), 3},
	"cosh":  {one(portable.Cosh), one(math.Cosh), 3},
	"asinh": {one(portable.Asinh), one(math.Asinh), 3},
	"erf":   {one(portable.Erf), one(math.Erf), 2},
	"erfc":  {one(portable.Erfc), one(math.Erfc), 4},
	"log2":  {one(portable.Log2), one(math.Log2), 2},
	"log10": {one(portable.Log10), one(math.Log10), 1},
	"pow":   {portable.Pow, math.Pow, 4},
	"atan2": {portable.Atan2, math.Atan2, 2},
	"hypot": {portable.Hypot, math.Hypot, 2},
}

func TestFunctionsAreAccurate(t *testing.T) {
	file, err := os.Open("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	worst := map[string]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(words[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		f := functions[words[0]]
		got := f.of(v[0], v[1])
		unit := math.Nextafter(math.Abs(v[2]), math.Inf(1)) - math.Abs(v[2])
		u := math.Abs((got-v[2])-v[3]) / unit
		if got == v[2] {
			u = math.Abs(v[3]) / unit
		}
		if !(u <= f.most) {
			t.Errorf("%s(%v, %v) is %v, want %v: %.3g units", words[0], v[0], v[1], got, v[2], u)
		}
		worst[words[0]] = max(worst[words[0]], u)
	}
	for name := range functions {
		t.Logf("%s: at most %.2f units", name, worst[name])
		if worst[name] == 0 {
			t.Errorf("no values of %s", name)
		}
	}
}

// The special values, and signs of zeros, are those of package math, and so are ordinary ones to a few digits
// less than all; below the normal numbers math.Log10 and math.Atan2 are wrong on some processors.
func TestSpecialValuesAreThoseOfMath(t *testing.T) {
	inf := math.Inf(1)
	points := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, -2.5, inf, -inf,
		math.NaN(), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, 0x1p53, 0x1p53 + 2, -0x1p60, 1e-300,
		800, -800}
	for name, f := range functions {
		for _, x := range points {
			for _, y := range points {
				got, want := f.of(x, y), f.math(x, y)
				switch {
				case got != got && want != want:
				case got == want && math.Signbit(got) == math.Signbit(want):
				case name == "log10" && x == 5e-324, name == "atan2" && x == -5e-324:
				case !(math.Abs(got-want) <= 1e-14*math.Abs(want)):
					t.Errorf("%s(%v, %v) is %v, in math %v", name, x, y, got, want)
				}
			}
		}
	}
}

// The random numbers are those of math/rand/v2, whose decisions differ on processors only where a number is
// within rounding of a bound.
func TestRandomNumbersAreThoseOfMathRand(t *testing.T) {
	for name, pair := range map[string][2]func(*rand.Rand) float64{
		"normal":      {portable.Normal, (*rand.Rand).NormFloat64},
		"exponential": {portable.Exponential, (*rand.Rand).ExpFloat64},
	} {
		a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for i := range 3_000_000 {
			got, want := pair[0](a), pair[1](b)
			if !(math.Abs(got-want) <= 4e-16*math.Abs(want)) {
				t.Fatalf("%s number %d is %v, in math/rand/v2 %v", name, i, got, want)
			}
		}
	}
}
