package manual

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Elision stands in a page for lines of an output that it leaves out.
const Elision = "…"

var (
	number  = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?`)
	timing  = regexp.MustCompile(`\d+(?:\.\d+)? (?:µs|ms|s)\b`)
	digest  = regexp.MustCompile(`sha256:\S+`)
	drawing = regexp.MustCompile(`[─━●┊│ ]+`)
	paths   = regexp.MustCompile(`(?:/[^/\s]+)+/`)
)

// Missing returns the first line of want that got does not show after the lines before; "" where it shows
// all. Times and digests may differ, and numbers by as much as Tolerance allows; lines of got that want
// leaves out are allowed at an Elision, before the first line and after the last.
func Missing(want, got string) string {
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	at, free := 0, true
	for line := range strings.Lines(want) {
		line = strings.TrimRight(line, "\n")
		if strings.TrimSpace(line) == Elision {
			free = true
			continue
		}
		for free && at < len(lines) && !Same(line, lines[at]) {
			at++
		}
		if at >= len(lines) || !Same(line, lines[at]) {
			return line
		}
		at, free = at+1, false
	}
	return ""
}

// Same reports whether a line that is printed is the one that a page shows, but for times, digests, the
// lengths of drawn lines and small differences of numbers.
func Same(want, got string) bool {
	want, got = plain(want), plain(got)
	if number.ReplaceAllString(want, "#") != number.ReplaceAllString(got, "#") {
		return false
	}
	a, b := number.FindAllString(want, -1), number.FindAllString(got, -1)
	for i := range a {
		if !near(a[i], b[i]) {
			return false
		}
	}
	return true
}

// plain leaves out of a line what differs between runs of the same command.
func plain(line string) string {
	line = timing.ReplaceAllString(line, "TIME")
	line = digest.ReplaceAllString(line, "DIGEST")
	line = paths.ReplaceAllString(line, "")
	return strings.TrimSpace(drawing.ReplaceAllString(line, " "))
}

// Tolerance: two runs of the same length on other processors differ by Monte Carlo error. That of a mean,
// quantile or elpd is a few units of the last place shown, since the error limits how many are; that of an
// effective sample size some per cent.
const (
	relative  = 0.1
	lastPlace = 10
)

// near reports whether two numbers as they are written differ by Monte Carlo error alone. Whole numbers below
// 20 are counts, which are equal.
func near(want, got string) bool {
	if want == got {
		return true
	}
	a, errA := strconv.ParseFloat(strings.ReplaceAll(want, ",", ""), 64)
	b, errB := strconv.ParseFloat(strings.ReplaceAll(got, ",", ""), 64)
	if errA != nil || errB != nil {
		return false
	}
	unit := 0.0
	if _, places, ok := strings.Cut(want, "."); ok {
		unit = math.Pow(10, -float64(len(places)))
	} else if math.Abs(a) < 20 {
		return false
	}
	return math.Abs(a-b) <= relative*math.Abs(a)+lastPlace*unit
}
