package nuts

import "math"

const (
	calmTransitions = 3 // in a row, after which a chain has arrived
	// a rise of the log density by so much for each coordinate is one of a chain under way
	steep  = 10
	relief = 4 // how many times as large an inverse mass may become at a transition before
)

// An arrival tells when a chain has come from its starting point to where the posterior is. On the way draws
// hardly move while gradients fall by orders of magnitude, and an inverse mass from their ratio can be so
// small that the chain never gets there.
//
// What the log density gains in a transition is kinetic energy, which the next momentum replaces. A chain
// that has arrived gains what it lost before, less than the number of coordinates as a rule; one under way
// gains many times that. The number is twice the kinetic energy of a new momentum, in the mean, and so is
// known to every party from the sums of a leapfrog.
type arrival struct {
	calm int // transitions in a row that were not steep
	done bool
}

// note counts a transition that began with a kinetic energy and raised the log density. It reports whether
// the transition was calm.
func (a *arrival) note(rise, kinetic float64) bool {
	calm := rise < steep*2*kinetic
	if calm {
		a.calm++
	} else {
		a.calm = 0
	}
	a.done = a.calm == calmTransitions
	return calm
}

// fromGradient sets the metric of a chain that starts: the inverse mass 1/√(a·|gradient|), a the mean of the
// party's |gradients|, between that of one scale for all and 1/|gradient|, about the variance of each. With
// the latter effects are as fast as loadings and scales, fit these where they began, and keep them there. The
// metric of a chain under way follows the gradient as it falls (before is true), but not at once, since a
// gradient can be near 0 by chance.
func (m *metric) fromGradient(g []float64, before bool) {
	mean := 0.0
	for _, x := range g {
		mean += math.Abs(x) / float64(len(g))
	}
	for i, x := range g {
		inverse := 1 / math.Sqrt(mean) / math.Sqrt(math.Abs(x)) // the product of both can overflow
		if before {
			inverse = math.Min(inverse, relief*m.inverse[i])
		}
		if !finite(inverse) {
			inverse = 1
		}
		m.set(i, inverse)
	}
	m.diagonal()
}
