package plot

import (
	"math"
	"strconv"
	"strings"

	"github.com/vflc/vflc/portable"
)

// An axis is one of the two axes of a panel. With names it has a place for each, from 0; without, numbers
// from lo to hi.
type axis struct {
	label  string
	lo, hi float64
	names  []string
	bare   bool   // without ticks
	whole  bool   // only whole numbers are ticks
	given  []tick // the ticks; nil: round numbers
}

// A tick is a labelled place of an axis.
type tick struct {
	at   float64
	text string
}

// ticks returns those given, or about so many round numbers between the ends of the axis, and at least two if
// there are.
func (a axis) ticks(about int) []tick {
	if a.given != nil {
		return a.given
	}
	for k := max(1, about); ; k++ {
		step := roundStep((a.hi - a.lo) / float64(k))
		if a.whole {
			step = max(1, step)
		}
		if out := a.multiples(step); len(out) > 1 || k > about+3 {
			return out
		}
	}
}

// mostTicks is more than an axis has.
const mostTicks = 100

// multiples are the ticks at the multiples of a step; none where numbers so large have no digits for them.
func (a axis) multiples(step float64) []tick {
	var out []tick
	decimals := max(0, int(-math.Floor(portable.Log10(step)+1e-9)))
	first := math.Ceil(a.lo/step - 1e-9)
	if !(math.Abs(first) < 1e12) {
		return nil
	}
	for k := first; k*step <= a.hi+float64(1e-9*step) && len(out) < mostTicks; k++ {
		out = append(out, tick{k * step, number(k*step, decimals, max(math.Abs(a.lo), math.Abs(a.hi)))})
	}
	return out
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is not less than a step.
func roundStep(least float64) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 1
	}
	power := portable.Pow(10, math.Floor(portable.Log10(least)))
	for _, k := range []float64{1, 2, 5} {
		if k*power >= least*(1-1e-9) {
			return k * power
		}
	}
	return 10 * power
}

// number writes the label of a tick with so many decimals; where the largest number of the axis is huge or
// tiny, with a power of ten.
func number(v float64, decimals int, largest float64) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-") // what rounds to 0 has no sign
	}
	if largest >= 1e6 || largest < 1e-3 || decimals > 6 {
		text = strconv.FormatFloat(v, 'g', 4, 64)
		text = strings.Replace(strings.Replace(text, "e+0", "e", 1), "e-0", "e-", 1)
		text = strings.Replace(text, "e+", "e", 1)
	}
	return strings.ReplaceAll(text, "-", "−")
}

// wider returns the ends of an axis with room at both sides, and of one without extent with some.
func wider(lo, hi, share float64) (float64, float64) {
	if !(lo <= hi) {
		return 0, 1
	}
	room := (hi - lo) * share
	if room == 0 {
		room = max(math.Abs(lo)*0.1, 1e-3)
	}
	return lo - room, hi + room
}

// significant writes a number with up to four digits.
func significant(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 4, 64), "-", "−")
}
