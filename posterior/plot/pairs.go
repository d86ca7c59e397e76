package plot

import (
	"fmt"
	"math"
)

func pairsKind() Kind {
	return Kind{Name: "pairs",
		Doc: "each parameter against each other, divergent transitions marked, with correlations", most: 8,
		least: 2, first: 5, one: true, make: pairs}
}

// mostPoints is the largest number of draws in a panel of pairs.
const mostPoints = 1000

// A pairing says which draws a scatter shows.
type pairing struct{ draws, divergent [][2]int } // chain and draw

// pairing takes draws at even distances, and of divergent transitions too.
func (in input) pairing() pairing {
	var all, bad [][2]int
	d := in.runs[0].Draws
	for c := range d.Chains() {
		for i := range d.Len(c) {
			if d.Transitions != nil && d.Transitions[c][i].Divergent {
				bad = append(bad, [2]int{c, i})
			} else {
				all = append(all, [2]int{c, i})
			}
		}
	}
	return pairing{evenly(all), evenly(bad)}
}

// evenly keeps at most so many as a panel shows.
func evenly(all [][2]int) [][2]int {
	if len(all) <= mostPoints {
		return all
	}
	out := make([][2]int, mostPoints)
	for i := range out {
		out[i] = all[i*len(all)/mostPoints]
	}
	return out
}

func pick(chains [][]float64, at [][2]int) []float64 {
	out := make([]float64, len(at))
	for i, k := range at {
		out[i] = chains[k[0]][k[1]]
	}
	return out
}

func pairs(in input) (*Figure, error) {
	n, shown := len(in.scalars), in.pairing()
	f := &Figure{title: in.title("Pairs"), across: n, wide: 768 / float64(n), high: max(110, 640/float64(n))}
	for row := range n {
		for column := range n {
			f.panels = append(f.panels, in.pair(row, column, shown))
		}
	}
	total := 0
	for c := range in.runs[0].Draws.Chains() {
		total += in.runs[0].Draws.Len(c)
	}
	f.note = "Numbers: correlations."
	if total > len(shown.draws)+len(shown.divergent) {
		f.note += fmt.Sprintf(" The panels show %d of %d draws.", len(shown.draws)+len(shown.divergent),
			total)
	}
	if len(shown.divergent) > 0 {
		f.legend = []entry{{text: "divergent transition", pen: pen{color: alarm()}, cross: true}}
	}
	return f, nil
}

// pair is a panel: densities on the diagonal, draws below it, correlations above.
func (in input) pair(row, column int, shown pairing) panel {
	n := len(in.scalars)
	a, b := in.scalars[column], in.scalars[row]
	p := panel{x: axis{bare: row < n-1}, y: axis{bare: column > 0}}
	if row == n-1 {
		p.x.label = a.label
	}
	if column == 0 {
		p.y.label = b.label
	}
	p.x.lo, p.x.hi = span(a.draws[0])
	switch {
	case row == column:
		p.y.bare = true
		if xs, ys := kernelDensity(numbers(a.draws[0])); xs != nil {
			p.marks = []mark{area{xs, ys, nil, hues()[0], 0.25}, curve{xs, ys, penOf(0)}}
		} else {
			p.marks = []mark{remark{"constant"}}
		}
	case row > column:
		p.y.lo, p.y.hi = span(b.draws[0])
		p.marks = []mark{scatter{pick(a.draws[0], shown.draws), pick(b.draws[0], shown.draws), 1.4, hues()[0],
			0.35, false},
			scatter{pick(a.draws[0], shown.divergent), pick(b.draws[0], shown.divergent), 3, alarm(), 0.9,
				true}}
	default:
		return telling(correlationText(a.draws[0], b.draws[0]))
	}
	return p
}

// span is the range of the finite draws, with room at both ends.
func span(chains [][]float64) (lo, hi float64) {
	lo, hi, _ = extent(chains)
	return wider(lo, hi, 0.03)
}

func correlationText(a, b [][]float64) string {
	r := correlation(a, b)
	if math.IsNaN(r) {
		return "–"
	}
	return number(r, 2, 1)
}

// correlation is that of the draws that are finite in both, over all chains; NaN if one is constant.
func correlation(a, b [][]float64) float64 {
	var n, ma, mb, aa, bb, ab float64
	for c := range a {
		for i, v := range a[c] {
			w := b[c][i]
			if !finite(v) || !finite(w) {
				continue
			}
			n++
			da, db := v-ma, w-mb // Welford
			ma += da / n
			mb += db / n
			aa += float64(da * (v - ma))
			bb += float64(db * (w - mb))
			ab += float64(da * (w - mb))
		}
	}
	if aa == 0 || bb == 0 {
		return math.NaN()
	}
	return ab / math.Sqrt(aa*bb)
}
