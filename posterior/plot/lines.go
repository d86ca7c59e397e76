package plot

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/portable"
)

// A Panel is one of a figure of Lines: its title, the label of its y axis, and a line for each entry of the
// legend. One without points keeps its place empty.
type Panel struct {
	Title, Y string
	Lines    []Line
}

// A Line goes through points whose x ascend. Both are positive; where one is not, the line has a gap.
type Line struct{ X, Y []float64 }

// Lines is a figure of tables of numbers, not of draws: lines through points on logarithmic axes, which are
// the same in all panels. The x axis has the label x and a tick at each point.
func Lines(title, note, x string, across int, legend []string, panels []Panel) *Figure {
	f := &Figure{title: title, note: note, across: across, flows: true}
	f.wide, _ = panelSize(across)
	f.high = 200
	for k, text := range legend {
		f.legend = append(f.legend, entry{text: text, pen: penOf(k)})
	}
	all, at := emptyBox(), axis{label: x}
	for _, p := range panels {
		q := panel{title: p.Title, y: axis{label: p.Y}}
		for k, l := range p.Lines {
			xs, ys, pen := logarithms(l.X), logarithms(l.Y), penOf(k)
			all.add(xs, ys)
			for i, v := range xs {
				at.given = append(at.given, tick{v, strconv.FormatFloat(l.X[i], 'g', -1, 64)})
			}
			if len(xs) > 0 {
				q.marks = append(q.marks, curve{xs, ys, pen}, scatter{xs, ys, 2.5, pen.color, 1, false})
			}
		}
		f.panels = append(f.panels, q)
	}
	slices.SortFunc(at.given, func(a, b tick) int { return cmp.Compare(a.at, b.at) })
	at.given = slices.DeleteFunc(slices.Compact(at.given), func(t tick) bool { return !finite(t.at) })
	at.lo, at.hi = wider(all.left, all.right, 0.06)
	lo, hi := wider(all.low, all.high, 0.06)
	for len(decades(lo, hi)) < 2 {
		lo, hi = wider(lo, hi, 0.1)
	}
	for i := range f.panels {
		p := &f.panels[i]
		p.x, p.y = at, axis{label: p.y.label, lo: lo, hi: hi, given: decades(lo, hi)}
	}
	return f
}

// logarithms are those to base 10.
func logarithms(of []float64) []float64 {
	out := make([]float64, len(of))
	for i, v := range of {
		out[i] = portable.Log10(v)
	}
	return out
}

// decades are the ticks of an axis of logarithms: at 1, 2 and 5 times powers of ten, over more than three
// powers at these alone.
func decades(lo, hi float64) (out []tick) {
	for k := math.Floor(lo); k <= hi; k++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * portable.Pow(10, k)
			if at := portable.Log10(v); lo <= at && at <= hi && (m == 1 || hi-lo <= 3) {
				out = append(out, tick{at, number(v, max(0, int(-k)), v)})
			}
		}
	}
	return out
}
