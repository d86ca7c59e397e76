package adapt

import "math"

// The constants of nutpie's schedule (nuts-rs 0.18).
const (
	earlyShare  = 0.3  // of the warm-up, in which old draws are forgotten fast
	finalShare  = 0.15 // of the warm-up, in which the metric is frozen
	earlyWindow = 10
	mainWindow  = 80
	growth      = 1.5
)

// Turns is when a metric that is estimated at every transition forgets: the estimate in use (foreground) is replaced by one that began later
// (background), which begins anew. It is driven by counts alone.
type Turns struct {
	early, final int
	window       int
}

// NewTurns plans a warm-up of some transitions.
func NewTurns(warmup int) Turns {
	return Turns{
		early:  int(earlyShare * float64(warmup)),
		final:  warmup - int(finalShare*float64(warmup)),
		window: mainWindow,
	}
}

// Frozen says that transition t (from 0) is in the final phase.
func (u *Turns) Frozen(t int) bool { return t >= u.final }

// Next is asked after transition t has entered the estimates, background of which are in the later one. It says whether that takes over now, and
// whether no further window fits before the final phase.
func (u *Turns) Next(t, background int) (turn, late bool) {
	if t == u.early {
		u.window = max(u.window, background)
	}
	size, next := earlyWindow, earlyWindow
	if t >= u.early {
		size, next = u.window, max(u.window+1, int(math.Round(growth*float64(u.window))))
	}
	late = t+next > u.final
	turn = background >= size && !late
	if turn && t >= u.early {
		u.window = next
	}
	return turn, late
}

// State is what a checkpoint has to keep.
func (u *Turns) State() *int { return &u.window }
