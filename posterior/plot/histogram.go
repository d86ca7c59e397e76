package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

func histogramKind() Kind {
	return Kind{Name: "histogram", Doc: "the share of draws in bins", most: mostFrames, first: 12,
		make: histogram}
}

// histogramBins is the number of bins of a histogram.
const histogramBins = 40

func histogram(in input) (*Figure, error) {
	f := in.grid(func(r int, s scalar) panel {
		values := numbers(s.draws[r])
		lo, hi, _ := extent([][]float64{values})
		lo, hi = wider(lo, hi, 0)
		heights := make([]float64, histogramBins)
		for _, v := range values {
			heights[binOf(v, lo, hi, histogramBins)] += 100 / float64(len(values))
		}
		xs, ys := stairs(heights, lo, hi)
		line := penOf(0)
		line.width = 1
		return panel{x: axis{label: "value"}, y: axis{label: "draws (%)"},
			marks: []mark{area{xs, ys, nil, line.color, 0.35}, curve{xs, ys, line}}}
	})
	f.title, f.text = in.title("Histograms"), in.framed(bars)
	return f, nil
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

// bars plots the distribution of one scalar over all chains: one bar per bin, with the share of draws in it.
func bars(name string, chains [][]float64, s Size) string {
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
		fmt.Fprintf(&b, "%12.*f ┤%s %.1f%%\n", digits, from, bar(room*float64(n)/float64(top)),
			100*float64(n)/float64(total))
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
