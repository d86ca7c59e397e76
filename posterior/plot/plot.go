// Package plot plots posteriors: in characters, and as SVG and PNG. A kind of plot is one file and one line in Kinds. It prepares numbers; how a figure looks on any canvas is
// in layout.go, and a canvas draws lines, areas, dots and texts.
package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// A Size is the size of a plot in characters. Color allows escape sequences for colours.
type Size struct {
	Width, Height int
	Color         bool
}

// extent returns the range of the finite values, and the number of those that are not finite.
func extent(chains [][]float64) (lo, hi float64, bad int) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		for _, v := range c {
			if !finite(v) {
				bad++
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, bad
}

func missing(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (draws not finite: %d)", n)
}

// decimals returns the number of digits after the point that show 1/50 of a range.
func decimals(lo, hi float64) uint {
	if hi <= lo {
		return 2
	}
	return uint(min(8, max(0, math.Ceil(-math.Log10((hi-lo)/50)))))
}

// eighths are blocks of one eighth to eight eighths of a character's width.
var eighths = []rune("▏▎▍▌▋▊▉█")

// bar is a bar of a length in characters, to the nearest eighth.
func bar(length float64) string {
	n := int(math.Round(length * 8))
	if n <= 0 {
		return ""
	}
	text := strings.Repeat("█", n/8)
	if n%8 > 0 {
		text += string(eighths[n%8-1])
	}
	return text
}

// Histogram plots the distribution of one scalar over all chains: one bar per bin, with the share of draws in it.
func Histogram(name string, chains [][]float64, s Size) string {
	lo, hi, bad := extent(chains)
	head := posterior.Cut(name, max(shortName, s.Width)) + missing(bad)
	if !(lo <= hi) {
		return head + ": no finite draws\n"
	}
	bins := max(4, s.Height)
	counts, total := make([]int, bins), 0
	for _, v := range slices.Concat(chains...) {
		if v >= lo && v <= hi {
			counts[binOf(v, lo, hi, bins)]++
			total++
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, head)
	top, digits := slices.Max(counts), int(decimals(lo, hi))
	room := float64(max(8, s.Width-24))
	for k, n := range counts {
		from := lo + (hi-lo)*float64(k)/float64(bins)
		fmt.Fprintf(&b, "%12.*f ┤%s %.1f%%\n", digits, from, bar(room*float64(n)/float64(top)), 100*float64(n)/float64(total))
	}
	fmt.Fprintf(&b, "%12.*f ┘\n", digits, hi)
	return b.String()
}

// binOf returns the bin of a value; the last bin includes the largest value.
func binOf(v, lo, hi float64, bins int) int {
	if hi <= lo {
		return 0
	}
	return min(bins-1, int((v-lo)/(hi-lo)*float64(bins)))
}

// shortName is how many characters of a name a forest shows, whatever its width.
const shortName = 16

// Forest plots an interval for each of some scalars on one axis: a thin line from the 5 % to the 95 % quantile, a thick one from 25 % to
// 75 %, and the median. Names take at most half of the width; longer ones are cut.
func Forest(names []string, columns [][][]float64, s Size) string {
	levels := []float64{0.05, 0.25, 0.5, 0.75, 0.95}
	quantiles := make([][]float64, len(columns))
	lo, hi, wide := math.Inf(1), math.Inf(-1), 0
	for k, chains := range columns {
		sorted := numbers(chains)
		slices.Sort(sorted)
		for _, p := range levels {
			quantiles[k] = append(quantiles[k], posterior.Quantile(sorted, p))
		}
		if len(sorted) > 0 {
			lo, hi = min(lo, quantiles[k][0]), max(hi, quantiles[k][4])
		}
		wide = max(wide, posterior.Width(names[k]))
	}
	wide = min(wide, max(shortName, s.Width/2))
	shortened := make([]string, len(names))
	for k, name := range names {
		shortened[k] = posterior.Cut(name, wide)
	}
	if !(lo <= hi) {
		return "no finite draws\n"
	}
	var b strings.Builder
	room := max(20, s.Width-wide-2)
	for k, q := range quantiles {
		pad := strings.Repeat(" ", wide-posterior.Width(shortened[k]))
		b.WriteString(shortened[k] + pad + "  " + strings.TrimRight(interval(q, lo, hi, room), " ") + "\n")
	}
	digits := int(decimals(lo, hi))
	left, right := fmt.Sprintf("%.*f", digits, lo), fmt.Sprintf("%.*f", digits, hi)
	fmt.Fprintf(&b, "%*s%s%*s\n", wide+2, "", left, room-len(left), right)
	return b.String()
}

// interval is one line of a forest. A dotted line marks 0 if the axis includes it.
func interval(q []float64, lo, hi float64, room int) string {
	at := func(v float64) int {
		if hi <= lo {
			return 0
		}
		return int(math.Round((v - lo) / (hi - lo) * float64(room-1)))
	}
	line := []rune(strings.Repeat(" ", room))
	if lo < 0 && hi > 0 {
		line[at(0)] = '┊'
	}
	if math.IsNaN(q[2]) {
		return "no finite draws"
	}
	for i := at(q[0]); i <= at(q[4]); i++ {
		line[i] = '─'
	}
	for i := at(q[1]); i <= at(q[3]); i++ {
		line[i] = '━'
	}
	line[at(q[2])] = '●'
	return string(line)
}
