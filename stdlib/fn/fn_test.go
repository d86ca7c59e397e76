package fn

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// domains gives each way to write a domain a range to draw test points from.
var domains = map[string][2]float64{
	"":             {-6, 6},
	"x > 0":        {1e-3, 20},
	"x >= 0":       {1e-3, 20},
	"x > -1":       {-0.999, 20},
	"x < 0":        {-20, -1e-3},
	"x < 1":        {-20, 0.999},
	"0 < x < 1":    {1e-3, 0.999},
	"-1 <= x <= 1": {-0.999, 0.999},
}

func each(t *testing.T, f func(t *testing.T, fn def.Func)) {
	for _, fn := range Elementwise() {
		t.Run(fn.Name, func(t *testing.T) { f(t, fn) })
	}
}

func value(fn def.Func, x float64) float64 {
	y := []float64{0}
	fn.Forward(y, []float64{x})
	return y[0]
}

func derivative(fn def.Func, x float64) float64 {
	dx := []float64{0}
	fn.Backward(dx, []float64{1}, []float64{x}, []float64{value(fn, x)})
	return dx[0]
}

func TestDocumented(t *testing.T) {
	each(t, func(t *testing.T, fn def.Func) {
		if fn.Doc == "" || len(fn.Examples) < 2 {
			t.Error("documentation and two examples are needed")
		}
		if fn.Vector == def.NoLoop && fn.Slow == "" {
			t.Error("it runs element by element, for no reason that its descriptor gives")
		}
		if _, ok := domains[fn.Domain]; !ok {
			t.Errorf("domain %q has no test range", fn.Domain)
		}
	})
	for _, s := range Structural() {
		if s.Doc == "" || len(s.Examples) == 0 || !strings.Contains(strings.Join(s.Examples, "\n"),
			s.Name+"(") {
			t.Errorf("%s: documentation and an example that calls it are needed", s.Name)
		}
	}
}

// Examples are of the form "f(x) = y".
func TestExamples(t *testing.T) {
	each(t, func(t *testing.T, fn def.Func) {
		for _, example := range fn.Examples {
			call, result, _ := strings.Cut(example, " = ")
			arg := strings.TrimSuffix(strings.TrimPrefix(call, fn.Name+"("), ")")
			x, errX := strconv.ParseFloat(arg, 64)
			want, errY := strconv.ParseFloat(result, 64)
			if errX != nil || errY != nil {
				t.Errorf("%q is not of the form %s(x) = y", example, fn.Name)
				continue
			}
			if got := value(fn, x); math.Abs(got-want) > 1e-15*math.Abs(want) {
				t.Errorf("%s, but it gives %v", example, got)
			}
		}
	})
}

func TestDerivative(t *testing.T) {
	each(t, func(t *testing.T, fn def.Func) {
		r := rand.New(rand.NewPCG(3, 4))
		between := domains[fn.Domain]
		for range 200 {
			x := between[0] + (between[1]-between[0])*r.Float64()
			// inside the domain, and on one side of a kink at 0
			h := 1e-3 * min(math.Abs(x), x-between[0]+1e-6, between[1]-x+1e-6, 1)
			want := (value(fn, x-2*h) - 8*value(fn, x-h) + 8*value(fn, x+h) - value(fn, x+2*h)) / (12 * h)
			tol := 1e-7*math.Abs(want) + 1e-15*math.Abs(value(fn, x))/h*4
			if got := derivative(fn, x); math.Abs(got-want) > tol {
				t.Errorf("derivative at %v is %v, from differences %v", x, got, want)
			}
		}
	})
}

// Values and derivatives where naive formulas overflow, cancel or divide by 0.
func TestTails(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		fn          def.Func
		x, y, slope float64
	}{
		{InvLogit(), 800, 1, 0},
		{InvLogit(), 40, 1, 4.248354255291589e-18},
		{InvLogit(), -700, 9.85967654375977e-305, 9.85967654375977e-305},
		{Softplus(), 800, 800, 1},
		{Softplus(), -700, 9.85967654375977e-305, 9.85967654375977e-305},
		{Expm1(), -40, -1, 4.248354255291589e-18},
		{Log1p(), 1e-300, 1e-300, 1},
		{Tanh(), 1000, 1, 0},
		{Tanh(), -1000, -1, 0},
		{Abs(), 0, 0, 0},
		{Abs(), -3, 3, -1},
		{Relu(), 0, 0, 0},
		{Log(), 0, -inf, inf},
		{Sqrt(), 0, 0, inf},
		{Logit(), 1e-300, -690.7755278982137, 1e300},
	} {
		y, slope := value(c.fn, c.x), derivative(c.fn, c.x)
		if !same(y, c.y) || !same(slope, c.slope) {
			t.Errorf("%s(%v) = %v with slope %v, want %v and %v", c.fn.Name, c.x, y, slope, c.y, c.slope)
		}
	}
}

func same(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-14*math.Abs(want)
}

// Backward adds dy·f'(x) to dx, element by element; neither function allocates.
func TestKernels(t *testing.T) {
	each(t, func(t *testing.T, fn def.Func) {
		const n = 33
		r := rand.New(rand.NewPCG(5, 6))
		x, y, dx, dy := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		between := domains[fn.Domain]
		for i := range x {
			x[i] = between[0] + (between[1]-between[0])*r.Float64()
			dx[i], dy[i] = r.NormFloat64(), r.NormFloat64()
		}
		before := append([]float64(nil), dx...)
		fn.Forward(y, x)
		fn.Backward(dx, dy, x, y)
		for i := range x {
			want := before[i] + dy[i]*derivative(fn, x[i])
			if y[i] != value(fn, x[i]) || math.Abs(dx[i]-want) > 1e-14*math.Max(1, math.Abs(want)) {
				t.Errorf("element %d: y = %v, dx = %v; alone %v, %v", i, y[i], dx[i], value(fn, x[i]), want)
			}
		}
		if allocs := testing.AllocsPerRun(20, func() {
			fn.Forward(y, x)
			fn.Backward(dx, dy, x, y)
		}); allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}
