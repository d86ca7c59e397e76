// Package plot plots posteriors: in characters, and as SVG. A kind of plot is one file and one line
// in Kinds. It prepares numbers; how a figure looks on any canvas is in layout.go, and a canvas draws lines,
// areas, dots and texts.
package plot

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/portable"
)

// A Canvas is the size of a plot in characters. Color allows escape sequences for colours.
type Canvas struct {
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
	return uint(min(8, max(0, math.Ceil(-portable.Log10((hi-lo)/50)))))
}

// shortName is how many characters of a name a forest shows, whatever its width.
const shortName = 16
