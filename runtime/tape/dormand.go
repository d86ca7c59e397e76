package tape

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
)

// Control says how exact a solution is. The error of a step, by the difference of the formulas of order 5 and
// 4, is at most Absolute + Relative·|y| in each component, the derivatives among them.
type Control struct {
	Relative, Absolute float64
	Steps              int // that are tried at most, from the start to the last time
}

// A Failure says why a system has no solution.
type Failure uint8

// The failures.
const (
	Solved       Failure = iota
	TooManySteps         // Control.Steps were not enough: the system is stiff, or moves fast
	NotFinite            // a value or a derivative is not finite, however short the step
)

// A Solver has the memory of one solution. It is not safe for concurrent use.
type Solver struct {
	*Equations
	Control
	v        []float64    // of the tape
	y, next  []float64    // states, then the derivatives of each state in turn
	k        [7][]float64 // the slopes at the stages of a step
	t, h     float64
	previous float64 // the error of the step before
}

// NewSolver returns a Solver of a system.
func (e *Equations) NewSolver(c Control) *Solver {
	m := e.States() * (1 + e.wanted)
	s := &Solver{Equations: e, Control: c, v: slices.Clone(e.registers), y: make([]float64, m),
		next: make([]float64, m)}
	for stage := range s.k {
		s.k[stage] = make([]float64, m)
	}
	return s
}

// Solve sets out to the solution at times, which do not decrease and begin at t0 or later: state j at time i
// is out[j·rows + i], rows being the number of times; behind the states stand the derivatives of each
// state in turn. Where it fails, out is NaN from there on. The method is that of Dormand and Prince of
// order 5(4) with a continuous extension of order 4, and proportional-integral control of the step (Hairer,
// Nørsett, Wanner: Solving Ordinary Differential Equations I, sections II.4 to II.6).
func (s *Solver) Solve(out, arguments, times []float64) Failure {
	for i := range out {
		out[i] = math.NaN()
	}
	s.begin(arguments)
	rows, done := len(times), 0
	for ; done < rows && times[done] == s.t; done++ {
		for j, v := range s.y {
			out[j*rows+done] = v
		}
	}
	if done == rows {
		return Solved
	}
	s.slopes(0, s.t, s.y)
	s.first(times[rows-1])
	for tried, rejected := 0, false; done < rows; tried++ {
		last := s.t+float64(1.01*s.h) >= times[rows-1]
		if last {
			s.h = times[rows-1] - s.t
		}
		if tried == s.Steps {
			return TooManySteps
		}
		if !last && !(s.h > math.Abs(s.t)*0x1p-52) {
			return NotFinite
		}
		factor, accepted := s.factor(s.step())
		if !accepted {
			s.h, rejected = s.h/factor, true
			continue
		}
		for ; done < rows && (last || times[done] <= s.t+s.h); done++ {
			s.between(out, (times[done]-s.t)/s.h, done, rows)
		}
		s.advance()
		if !rejected || factor > 1 {
			s.h /= factor
		}
		rejected = false
	}
	return Solved
}

// begin sets the initial state and its derivatives.
func (s *Solver) begin(arguments []float64) {
	n := s.States()
	copy(s.v[1+n:1+n+s.arguments], arguments)
	s.once.Run(s.v)
	s.t, s.previous = s.v[s.t0], 1e-4
	clear(s.y)
	for j, at := range s.start {
		s.y[j] = s.v[at]
	}
	for _, e := range s.inStart {
		s.y[n+int(e.row)*s.wanted+int(e.column)] = s.v[e.register]
	}
}

// slopes sets the slopes of a stage: f, and for the derivatives ∂f/∂y times those of the states, plus
// ∂f/∂argument.
func (s *Solver) slopes(stage int, t float64, y []float64) {
	n, p, v, k := len(s.value), s.wanted, s.v, s.k[stage]
	v[0] = t
	copy(v[1:1+n], y)
	s.each.Run(v)
	for j, at := range s.value {
		k[j] = v[at]
	}
	clear(k[n:])
	for _, e := range s.inStates {
		slope, from := v[e.register], y[n+int(e.column)*p:][:p]
		to := k[n+int(e.row)*p:][:p]
		for i, x := range from {
			to[i] += float64(slope * x)
		}
	}
	for _, e := range s.inWanted {
		k[n+int(e.row)*p+int(e.column)] += v[e.register]
	}
}

// The coefficients of Dormand and Prince: stage i at stages[i] with weights[i] of the slopes before it. The
// last row is the solution of order 5, whose slope begins the next step.
var (
	stages  = [...]float64{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1}
	weights = [...][6]float64{
		{},
		{1.0 / 5},
		{3.0 / 40, 9.0 / 40},
		{44.0 / 45, -56.0 / 15, 32.0 / 9},
		{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
		{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
		{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
	}
	// less the weights of order 4
	differences = [...]float64{71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
		-1.0 / 40}
	// of the continuous extension
	dense = [...]float64{-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799,
		-10690763975.0 / 1880347072, 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
		69997945.0 / 29380423}
)

// step computes the stages of a step, with the state at its end in next, and returns the largest error of a
// component over what is allowed.
func (s *Solver) step() float64 {
	for stage := 1; stage <= 6; stage++ {
		s.stage(stage)
		s.slopes(stage, s.t+float64(stages[stage]*s.h), s.next)
	}
	worst, y, next, k := 0.0, s.y, s.next[:len(s.y)], &s.k
	for j, from := range y {
		e := float64(differences[0]*k[0][j]) + float64(differences[2]*k[2][j]) +
			float64(differences[3]*k[3][j]) + float64(differences[4]*k[4][j]) +
			float64(differences[5]*k[5][j]) + float64(differences[6]*k[6][j])
		allowed := s.Absolute + float64(s.Relative*max(math.Abs(from), math.Abs(next[j])))
		if e = math.Abs(s.h*e) / allowed; !(e <= worst) {
			if worst = e; e != e {
				break
			}
		}
	}
	return worst
}

// stage sets next to the state at a stage.
func (s *Solver) stage(stage int) {
	w, h, y, n := weights[stage], s.h, s.y, len(s.y)
	next, a, b, c, d, e := s.next[:n], s.k[0][:n], s.k[1][:n], s.k[2][:n], s.k[3][:n], s.k[4][:n]
	switch stage {
	case 1:
		for j, v := range y {
			next[j] = v + float64(h*float64(w[0]*a[j]))
		}
	case 2:
		for j, v := range y {
			next[j] = v + float64(h*(float64(w[0]*a[j])+float64(w[1]*b[j])))
		}
	case 3:
		for j, v := range y {
			next[j] = v + float64(h*(float64(w[0]*a[j])+float64(w[1]*b[j])+float64(w[2]*c[j])))
		}
	case 4:
		for j, v := range y {
			next[j] = v + float64(h*(float64(w[0]*a[j])+float64(w[1]*b[j])+float64(w[2]*c[j])+
				float64(w[3]*d[j])))
		}
	case 5:
		for j, v := range y {
			next[j] = v + float64(h*(float64(w[0]*a[j])+float64(w[1]*b[j])+float64(w[2]*c[j])+
				float64(w[3]*d[j])+float64(w[4]*e[j])))
		}
	case 6:
		f := s.k[5][:n]
		for j, v := range y {
			next[j] = v + float64(h*(float64(w[0]*a[j])+float64(w[2]*c[j])+float64(w[3]*d[j])+
				float64(w[4]*e[j])+float64(w[5]*f[j])))
		}
	}
}

// factor returns by what the step is divided, and whether it is accepted.
func (s *Solver) factor(err float64) (factor float64, accepted bool) {
	const (
		safe     = 0.9
		integral = 0.04
	)
	if !(err <= math.MaxFloat64) {
		return 5, false
	}
	f := portable.Pow(err, 0.2-0.75*integral)
	if !(err <= 1) {
		return min(5, f/safe), false
	}
	f = min(5, max(0.1, f/portable.Pow(s.previous, integral)/safe))
	s.previous = max(err, 1e-4)
	return f, true
}

// advance makes the end of a step the start of the next.
func (s *Solver) advance() {
	s.t += s.h
	s.y, s.next = s.next, s.y
	s.k[0], s.k[6] = s.k[6], s.k[0]
}

// between writes the state at a part of the step.
func (s *Solver) between(out []float64, part float64, row, rows int) {
	rest, k := 1-part, &s.k
	for j, y := range s.y {
		d := s.next[j] - y
		r3 := float64(s.h*k[0][j]) - d
		r4 := d - float64(s.h*k[6][j]) - r3
		r5 := s.h * (float64(dense[0]*k[0][j]) + float64(dense[2]*k[2][j]) + float64(dense[3]*k[3][j]) +
			float64(dense[4]*k[4][j]) + float64(dense[5]*k[5][j]) + float64(dense[6]*k[6][j]))
		out[j*rows+row] = y + float64(part*(d+float64(rest*(r3+float64(part*(r4+float64(rest*r5)))))))
	}
}

// first chooses the first step, whose slopes at the start are known: an Euler step shows the second
// derivative.
func (s *Solver) first(end float64) {
	longest := end - s.t
	size, speed := 0.0, 0.0
	for j, y := range s.y {
		allowed := s.Absolute + float64(s.Relative*math.Abs(y))
		size, speed = max(size, math.Abs(y)/allowed), max(speed, math.Abs(s.k[0][j])/allowed)
	}
	s.h = 1e-6
	if size > 1e-5 && speed > 1e-5 {
		s.h = 0.01 * (size / speed)
	}
	s.h = min(s.h, longest)
	for j, y := range s.y {
		s.next[j] = y + float64(s.h*s.k[0][j])
	}
	s.slopes(1, s.t+s.h, s.next)
	curvature := 0.0
	for j, y := range s.y {
		allowed := s.Absolute + float64(s.Relative*math.Abs(y))
		curvature = max(curvature, math.Abs(s.k[1][j]-s.k[0][j])/allowed)
	}
	h := max(1e-6, float64(s.h*1e-3))
	if most := max(curvature/s.h, speed); most > 1e-15 {
		h = portable.Pow(0.01/most, 0.2)
	}
	s.h = min(float64(100*s.h), h, longest)
	if !(s.h > 0) { // a slope is not finite
		s.h = min(1e-6, longest)
	}
}
