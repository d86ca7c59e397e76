package adapt

// Stan's buffers and first window, in transitions (Stan reference manual, "Automatic parameter tuning").
const (
	firstBuffer = 75 // finds the typical set
	lastBuffer  = 50 // settles the step size
	firstWindow = 25
	shortest    = 20 // a warm-up below this adapts the step size alone
)

// Windows are the spans of a warm-up over which Stan estimates the metric: window k is from the end of the
// one before (the first from Start) to Ends[k], exclusive. Each is twice as long as the one before; one of
// size w is taken only if 3w transitions remain before the last buffer, else it is stretched over all that
// remain.
type Windows struct {
	Start int
	Ends  []int
}

// NewWindows plans a warm-up. One too short for the buffers is divided 15 %, 75 %, 10 %, with one window.
func NewWindows(warmup int) Windows {
	if warmup < shortest {
		return Windows{Start: warmup}
	}
	start, stop, size := firstBuffer, warmup-lastBuffer, firstWindow
	if firstBuffer+firstWindow+lastBuffer > warmup {
		start = int(0.15 * float64(warmup))
		stop = warmup - int(0.1*float64(warmup))
		size = stop - start
	}
	w := Windows{Start: start}
	for at := start; at < stop; size *= 2 {
		if at += size; at+2*size > stop {
			at = stop
		}
		w.Ends = append(w.Ends, at)
	}
	return w
}
