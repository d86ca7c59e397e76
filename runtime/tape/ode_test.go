package tape

import (
	"math"
	"testing"
)

// oscillator is y” = -w²·y from (1, 0) in the argument w: y = cos(w·t), y' = -w·sin(w·t).
func oscillator() *Equations {
	t := New(4)
	square := t.Apply(Mul, 3, 3)
	f := []Register{2, t.Apply(Neg, t.Apply(Mul, square, 1))}
	return NewEquations(t, f, []Register{t.Const(1), t.Const(0)}, t.Const(0), 1, []int{0})
}

// worst is the largest error of the oscillator with w = 1.3 and of its derivative in w up to t = 20.
func worst(t *testing.T, c Control, times []float64) float64 {
	const w = 1.3
	s := oscillator().NewSolver(c)
	rows := len(times)
	out := make([]float64, 4*rows)
	if f := s.Solve(out, []float64{w}, times); f != Solved {
		t.Fatalf("failure %d", f)
	}
	e := 0.0
	for i, x := range times {
		sin, cos := math.Sincos(w * x)
		for j, want := range []float64{cos, -w * sin, -x * sin, -sin - w*x*cos} {
			e = max(e, math.Abs(out[j*rows+i]-want)/(1+math.Abs(want)))
		}
	}
	return e
}

func grid(n int, step float64) []float64 {
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i) * step
	}
	return times
}

// TestOscillator compares solution and derivative with the closed form over 20 units of time: the error is
// about the tolerance for each, and falls with it.
func TestOscillator(t *testing.T) {
	before := 1.0
	for _, tolerance := range []float64{1e-4, 1e-6, 1e-8, 1e-10} {
		e := worst(t, Control{tolerance, tolerance, 10000}, grid(161, 0.125))
		if e > 50*tolerance || e > before/20 {
			t.Errorf("tolerance %g: error %g, before it %g", tolerance, e, before)
		}
		before = e
	}
}

// TestOrder halves fixed steps: the error of the solution falls by 2⁵, and that inside steps by at least 2⁴.
func TestOrder(t *testing.T) {
	errors := func(h float64) (end, inside float64) {
		s := oscillator().NewSolver(Control{1, 1, 1})
		s.begin([]float64{1.3})
		s.slopes(0, 0, s.y)
		out := make([]float64, 4)
		for s.h = h; s.t < 2-h/2; {
			s.step()
			s.between(out, 0.4, 0, 1)
			inside = max(inside, math.Abs(out[0]-math.Cos(1.3*(s.t+0.4*h))))
			s.advance()
		}
		return math.Abs(s.y[0] - math.Cos(1.3*s.t)), inside
	}
	end, inside := errors(0.1)
	half, halfInside := errors(0.05)
	if order := math.Log2(end / half); math.Abs(order-5) > 0.3 {
		t.Errorf("order %g, not 5", order)
	}
	if order := math.Log2(inside / halfInside); order < 4 {
		t.Errorf("order inside steps %g", order)
	}
}

// TestTimes asks for other times: what is at a time does not depend on the times before it.
func TestTimes(t *testing.T) {
	solve := func(times ...float64) []float64 {
		out := make([]float64, 4*len(times))
		oscillator().NewSolver(Control{1e-6, 1e-6, 10000}).Solve(out, []float64{1.3}, times)
		return out
	}
	many, few := solve(0, 0, 0.3, 1, 1, 4.25, 7), solve(1, 7)
	for j := range 4 {
		if many[j*7+3] != few[j*2] || many[j*7+4] != few[j*2] || many[j*7+6] != few[j*2+1] ||
			many[j*7] != many[j*7+1] {
			t.Errorf("component %d: %v and %v", j, many[j*7:][:7], few[j*2:][:2])
		}
	}
}

// TestFailures has a system without a solution beyond t = 1, y' = y², a stiff one, and one that is not
// defined.
func TestFailures(t *testing.T) {
	build := func(f func(t *Tape) Register) *Solver {
		p := New(3)
		return NewEquations(p, []Register{f(p)}, []Register{p.Const(1)}, p.Const(0), 1, nil).
			NewSolver(Control{1e-6, 1e-6, 500})
	}
	square := build(func(t *Tape) Register { return t.Apply(Mul, 1, 1) })
	stiff := build(func(t *Tape) Register {
		return t.Apply(Mul, t.Const(-1e6), t.Apply(Sub, 1, 0))
	})
	root := build(func(t *Tape) Register {
		return t.Apply(Pow, t.Apply(Neg, 1), t.Const(0.5))
	})
	for _, c := range []struct {
		name   string
		solver *Solver
		want   Failure
	}{{"square", square, NotFinite}, {"stiff", stiff, TooManySteps}, {"root", root, NotFinite}} {
		out := make([]float64, 2)
		got := c.solver.Solve(out, []float64{1}, []float64{0.5, 3})
		if got != c.want || !math.IsNaN(out[1]) {
			t.Errorf("%s: %d, not %d, with %v", c.name, got, c.want, out)
		}
		if c.name == "square" && math.Abs(out[0]-2) > 1e-5 {
			t.Errorf("1/(1 - t) at 0.5 is %v", out[0])
		}
	}
	if got := square.Solve(make([]float64, 1), []float64{1}, []float64{0.9}); got != Solved {
		t.Errorf("after a failure: %d", got)
	}
}

// TestNoAllocation solves without allocating.
func TestNoAllocation(t *testing.T) {
	s, out := oscillator().NewSolver(Control{1e-6, 1e-6, 10000}), make([]float64, 4)
	w, times := []float64{1.3}, []float64{5}
	if n := testing.AllocsPerRun(5, func() { s.Solve(out, w, times) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
