package bijector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// bounds are the bounds that each bijector is tested with.
var bounds = map[string][][2]float64{
	"identity": {{math.Inf(-1), math.Inf(1)}},
	"lower":    {{0, math.Inf(1)}, {-3, math.Inf(1)}, {1000, math.Inf(1)}},
	"upper":    {{math.Inf(-1), 0}, {math.Inf(-1), 2.5}, {math.Inf(-1), -1000}},
	"interval": {{0, 1}, {-1, 1}, {2, 2.5}, {-1e3, 5e4}},
}

// each runs f for every bijector and its bounds.
func each(t *testing.T, f func(t *testing.T, b def.Bijector, lower, upper float64)) {
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			if b.Doc == "" || len(bounds[b.Name]) == 0 {
				t.Fatal("no documentation or no bounds to test with")
			}
			for _, c := range bounds[b.Name] {
				f(t, b, c[0], c[1])
			}
		})
	}
}

func points(n int, scale float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * r.NormFloat64()
	}
	return x
}

func near(got, want, rel float64) bool {
	return math.Abs(got-want) <= rel*math.Max(1, math.Abs(want))
}

func TestInverse(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		x := points(200, 2)
		y, back := make([]float64, len(x)), make([]float64, len(x))
		b.Forward(y, x, lower, upper)
		b.Inverse(back, y, lower, upper)
		for i := range x {
			if !(lower < y[i] && y[i] < upper) {
				t.Errorf("f(%v) = %v is not inside (%v, %v)", x[i], y[i], lower, upper)
			}
			if !near(back[i], x[i], 1e-9) {
				t.Errorf("bounds (%v, %v): inverse(f(%v)) = %v", lower, upper, x[i], back[i])
			}
		}
	})
}

func TestLogJacobian(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		const h = 1e-4
		y := make([]float64, 4)
		for _, u := range points(50, 2) {
			b.Forward(y, []float64{u - 2*h, u - h, u + h, u + 2*h}, lower, upper)
			slope := (y[0] - 8*y[1] + 8*y[2] - y[3]) / (12 * h)
			got := b.Forward(y[:1], []float64{u}, lower, upper)
			// The slope has the rounding error of y over h.
			tol := 1e-8 + 1e-15*math.Abs(y[0])/h/math.Abs(slope)*4
			if want := math.Log(math.Abs(slope)); math.Abs(got-want) > tol {
				t.Errorf("bounds (%v, %v) at %v: log-Jacobian %v, from differences %v", lower, upper, u, got,
					want)
			}
		}
	})
}

func TestLogJacobianIsASum(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		x := points(37, 3)
		y := make([]float64, len(x))
		want := 0.0
		for _, u := range x {
			want += b.Forward(y[:1], []float64{u}, lower, upper)
		}
		if got := b.Forward(y, x, lower, upper); !near(got, want, 1e-13) {
			t.Errorf("bounds (%v, %v): %v together, %v one by one", lower, upper, got, want)
		}
	})
}

// Backward is the gradient of Σ dy·y + log-Jacobian, added to what was there.
func TestBackward(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		x, dy := points(20, 1.5), points(20, 1)
		y, dx := make([]float64, len(x)), make([]float64, len(x))
		for i := range dx {
			dx[i] = 7
		}
		b.Forward(y, x, lower, upper)
		b.Backward(dx, dy, x, y, lower, upper)
		one := make([]float64, 1)
		for i, u := range x {
			at := func(u float64) float64 {
				logdet := b.Forward(one, []float64{u}, lower, upper)
				return dy[i]*one[0] + logdet
			}
			const h = 1e-3
			want := (at(u-2*h) - 8*at(u-h) + 8*at(u+h) - at(u+2*h)) / (12 * h)
			if got := dx[i] - 7; !near(got, want, 1e-8) {
				t.Errorf("bounds (%v, %v) at %v: gradient %v, from differences %v", lower, upper, u, got,
					want)
			}
		}
	})
}

// Far out, values stay inside the bounds, and the log-Jacobian and gradients stay finite and true.
func TestTails(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		for _, u := range []float64{-700, -300, -40, 40, 300, 700} {
			y, dx := []float64{0}, []float64{0}
			logdet := b.Forward(y, []float64{u}, lower, upper)
			if !(lower < y[0] && y[0] < upper) {
				t.Errorf("f(%v) = %v is not inside (%v, %v)", u, y[0], lower, upper)
			}
			want := map[string]float64{"identity": 0, "lower": u, "upper": u,
				"interval": math.Log(upper-lower) - math.Abs(u)}[b.Name]
			if !near(logdet, want, 1e-15) {
				t.Errorf("bounds (%v, %v) at %v: log-Jacobian %v, want %v", lower, upper, u, logdet, want)
			}
			b.Backward(dx, []float64{0}, []float64{u}, y, lower, upper)
			slope := map[string]float64{"identity": 0, "lower": 1, "upper": 1,
				"interval": -math.Copysign(1, u)}[b.Name]
			if !near(dx[0], slope, 1e-15) {
				t.Errorf("bounds (%v, %v) at %v: gradient of the log-Jacobian %v, want %v", lower, upper, u,
					dx[0], slope)
			}
			b.Backward(dx, []float64{1}, []float64{u}, y, lower, upper)
			if math.IsNaN(dx[0]) || math.IsInf(dx[0], 0) {
				t.Errorf("bounds (%v, %v) at %v: gradient %v", lower, upper, u, dx[0])
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		x, dy := points(64, 1), points(64, 1)
		y, dx := make([]float64, 64), make([]float64, 64)
		if n := testing.AllocsPerRun(20, func() {
			b.Forward(y, x, lower, upper)
			b.Backward(dx, dy, x, y, lower, upper)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// The bijector that is marked as the identity is, and no other.
func TestIdentity(t *testing.T) {
	each(t, func(t *testing.T, b def.Bijector, lower, upper float64) {
		x := points(20, 1)
		y := make([]float64, len(x))
		jac := b.Forward(y, x, lower, upper)
		if same := slices.Equal(x, y) && jac == 0; same != b.Identity {
			t.Errorf("y = x: %v, marked: %v", same, b.Identity)
		}
	})
}
