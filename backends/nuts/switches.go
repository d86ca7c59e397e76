package nuts

import "math"

// The constants of nutpie's schedule (nuts-rs 0.18), but for earlyPart: windows that are always as short
// never show the correlations of more coordinates than they have draws.
const (
	earlyShare  = 0.3  // of the warm-up, in which old draws are forgotten fast
	finalShare  = 0.15 // of the warm-up, in which the metric is frozen
	earlyWindow = 10
	earlyPart   = 4 // of the transitions so far, of which an early window has one at least
	mainWindow  = 80
	growth      = 1.5
)

// switches is the schedule of a metric that is estimated at every transition: when the estimate in use
// (foreground) is replaced by one that began later (background), which begins anew. It depends on counts
// alone.
type switches struct {
	early, final int
	window       int
}

// newSwitches plans a warm-up of some transitions.
func newSwitches(warmup int) switches {
	return switches{
		early:  int(earlyShare * float64(warmup)),
		final:  warmup - int(finalShare*float64(warmup)),
		window: mainWindow,
	}
}

// Early reports whether transition t (from 0) is in the first part of the warm-up, in which old draws are
// forgotten fast.
func (u *switches) Early(t int) bool { return t < u.early }

// Frozen reports whether transition t (from 0) is in the final phase, in which the metric stays as it is.
func (u *switches) Frozen(t int) bool { return t >= u.final }

// Next is called when the draw of transition t (from 0) has been added to the estimates, background draws
// being in the later one. It reports whether the background replaces the foreground now, and whether no
// further window fits before the final phase.
func (u *switches) Next(t, background int) (replace, late bool) {
	if t == u.early {
		u.window = max(u.window, background)
	}
	size := max(earlyWindow, t/earlyPart)
	next := size
	if t >= u.early {
		size, next = u.window, max(u.window+1, int(math.Round(growth*float64(u.window))))
	}
	late = t+next > u.final
	replace = background >= size && !late
	if replace && t >= u.early {
		u.window = next
	}
	return replace, late
}

// State returns what a checkpoint has to keep: the length of the window.
func (u *switches) State() *int { return &u.window }
