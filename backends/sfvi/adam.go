package sfvi

import vec "github.com/vflc/vflc/runtime/vector"

// Decay rates and the floor of the denominator, as in Kingma and Ba (2015).
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// An adam is the optimiser's state for some variational parameters.
type adam struct {
	first, second []float64 // moments of the gradient, undivided as vec.Adam has them
	decay1        float64   // beta1 to the number of steps
	decay2        float64
	safe          []float64 // phi and both moments before a step that may be taken back
	old1, old2    float64   // and the decays
}

func newAdam(n int) adam {
	v := make([]float64, 2*n)
	return adam{first: v[:n], second: v[n:], decay1: 1, decay2: 1}
}

// A step is one of the optimiser that is to be made: see vec.Adam.
type step struct {
	*adam
	slope        []float64
	scale, least float64
}

// next is the next step, of the given rate along the slope, which the caller makes: of all parameters, once
// each.
func (a *adam) next(slope []float64, rate float64) step {
	a.decay1 = float64(a.decay1 * beta1)
	a.decay2 = float64(a.decay2 * beta2)
	k := rate * (1 - beta1) / (1 - a.decay1)
	return step{a, slope, (1 - beta2) / (1 - a.decay2) / (k * k), epsilon / k * (epsilon / k)}
}

// move moves n parameters of phi from number i on.
func (s *step) move(n int, phi []float64, i int) {
	vec.Adam(n, phi[i:], s.first[i:], s.second[i:], s.slope[i:], s.scale, s.least, beta1, beta2)
}

// keep copies phi and the state of the optimiser.
func (a *adam) keep(phi []float64) {
	n := len(phi)
	copy(a.safe, phi)
	copy(a.safe[n:], a.first)
	copy(a.safe[2*n:], a.second)
	a.old1, a.old2 = a.decay1, a.decay2
}

// restore sets both to what keep has copied.
func (a *adam) restore(phi []float64) {
	n := len(phi)
	copy(phi, a.safe)
	copy(a.first, a.safe[n:])
	copy(a.second, a.safe[2*n:])
	a.decay1, a.decay2 = a.old1, a.old2
}
