package report

import (
	"fmt"
	"math"
	"time"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// roundTrip is that of two places a few hundred kilometres apart.
const roundTrip = 20 * time.Millisecond

// A costsSection says what the run took, and what it would take with the parties apart.
type costsSection struct {
	Facts []fact
	Apart string
}

func (r *Report) costs() (any, error) {
	t, w := r.run.Document.Timing, r.run.Document.Work
	var out costsSection
	add := func(name, value string) { out.Facts = append(out.Facts, fact{name, value}) }
	seconds := func(name string, v posterior.Number) {
		if !math.IsNaN(float64(v)) {
			add(name, duration(float64(v)))
		}
	}
	seconds("Loading", t.LoadS)
	seconds("Warm-up", t.WarmupS)
	seconds("Sampling", t.SamplingS)
	seconds("In all", t.TotalS)
	seconds("One gradient", t.GradientUS/1e6)
	add("Gradients", grouped.Digits(w.Gradients))
	add("Iterations", grouped.Digits(w.Iterations))
	add("Rounds of messages", grouped.Digits(w.Rounds))
	add("Of these one after another", grouped.Digits(w.SequentialRounds))
	add("Bytes that crossed", bytesText(w.Bytes))
	switch {
	case r.transform.Pooled:
		out.Apart = "All data were in one process, so that nothing crossed."
	case w.Rounds == 0:
		out.Apart = "Nothing crosses, so that it would cost the same with the parties apart."
	default:
		out.Apart = fmt.Sprintf("All parties were simulated in one process. With the parties apart and %d ms for a round trip, %s rounds one after another wait %s for messages, in addition to the time of computation.",
			roundTrip.Milliseconds(), grouped.Digits(w.SequentialRounds), duration(float64(w.SequentialRounds)*roundTrip.Seconds()))
	}
	return out, nil
}

// duration writes a time in seconds with the units that a person would choose.
func duration(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*s)
	case s < 1:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	case s < 120:
		return fmt.Sprintf("%.3g s", s)
	case s < 7200:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %d min", int(s)/3600, int(s)/60%60)
}

func bytesText(n int64) string {
	text := grouped.Digits(n)
	for _, unit := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v := float64(n) / unit.size; v >= 1 {
			return fmt.Sprintf("%.3g %s (%s)", v, unit.name, text)
		}
	}
	return text
}
