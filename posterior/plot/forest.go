package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

func forestKind() Kind {
	return Kind{Name: "forest", Doc: "an interval for each parameter on one axis, runs below one another",
		most: 500, first: 500, make: forest}
}

// levels are the quantiles of an interval: the ends of its thin line, the ends of its thick line, and its
// dot.
func levels() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// quantiles returns the quantiles of the finite draws, nil if there are none.
func quantiles(chains [][]float64, at []float64) []float64 {
	sorted := numbers(chains)
	if len(sorted) == 0 {
		return nil
	}
	slices.Sort(sorted)
	out := make([]float64, len(at))
	for i, p := range at {
		out[i] = posterior.Quantile(sorted, p)
	}
	return out
}

// forest draws the first parameter at the top.
func forest(in input) (*Figure, error) {
	f := &Figure{title: in.title("Posterior intervals"), legend: in.runLegend(), across: 1, wide: 760,
		note: "Thin line: 5 % to 95 % quantile; thick line: 25 % to 75 %; dot: median."}
	n, lines := len(in.scalars), max(1, float64(len(in.runs)))
	p := panel{x: axis{label: "value"}, y: axis{lo: -0.6, hi: float64(n) - 0.4}}
	p.marks = append(p.marks, segment{0, p.y.lo, 0, p.y.hi, pen{grey, 1, 1, true}, true})
	for k := range in.scalars {
		s, row := in.scalars[n-1-k], float64(k)
		p.y.names = append(p.y.names, s.label)
		for r := range in.runs {
			shift := (float64(float64(len(in.runs)-1)/2) - float64(r)) * 0.8 / lines
			p.marks = append(p.marks, intervalMarks(s.draws[r], row+shift, r)...)
		}
	}
	f.high = 60 + float64(float64(n)*max(22, 8+float64(12*lines)))
	f.panels, f.text = []panel{p}, in.forestText
	return f, nil
}

// intervalMarks is the line of one parameter of one run.
func intervalMarks(chains [][]float64, y float64, run int) []mark {
	q := quantiles(chains, levels())
	if q == nil {
		return nil
	}
	thin, thick := penOf(run), penOf(run)
	thin.width, thick.width, thin.dashed, thick.dashed = 1.5, 4.5, false, false
	out := []mark{segment{q[0], y, q[4], y, thin, false}, segment{q[1], y, q[3], y, thick, false}}
	return append(out, scatter{xs: q[2:3], ys: []float64{y}, radius: 4.5, color: white, alpha: 1},
		scatter{xs: q[2:3], ys: []float64{y}, radius: 3.5, color: thin.color, alpha: 1})
}

func (in input) forestText(s Canvas) string {
	var names []string
	var columns [][][]float64
	in.named(func(_ int, name string, chains [][]float64) {
		names, columns = append(names, name), append(columns, chains)
	})
	return intervals(names, columns, s)
}

// intervals plots an interval for each of some scalars on one axis: a thin line from the 5 % to the 95 %
// quantile, a thick one from 25 % to 75 %, and the median. Names take at most half of the width; longer ones
// are cut.
func intervals(names []string, columns [][][]float64, s Canvas) string {
	all, lo, hi := make([][]float64, len(columns)), math.Inf(1), math.Inf(-1)
	for k, chains := range columns {
		if all[k] = quantiles(chains, levels()); all[k] != nil {
			lo, hi = min(lo, all[k][0]), max(hi, all[k][4])
		}
	}
	if !(lo <= hi) {
		return "no finite draws\n"
	}
	var b strings.Builder
	names, wide := aligned(names, max(shortName, s.Width/2))
	room := max(20, s.Width-wide-2)
	for k, q := range all {
		b.WriteString(names[k] + "  " + strings.TrimRight(interval(q, lo, hi, room), " ") + "\n")
	}
	digits := int(decimals(lo, hi))
	left, right := fmt.Sprintf("%.*f", digits, lo), fmt.Sprintf("%.*f", digits, hi)
	fmt.Fprintf(&b, "%*s%s%*s\n", wide+2, "", left, room-len(left), right)
	return b.String()
}

// aligned fills names with blanks to the same width, and cuts those that are wider than most.
func aligned(names []string, most int) (out []string, wide int) {
	for _, name := range names {
		wide = min(most, max(wide, posterior.Width(name)))
	}
	for _, name := range names {
		name = posterior.Cut(name, wide)
		out = append(out, name+strings.Repeat(" ", wide-posterior.Width(name)))
	}
	return out, wide
}

// interval is one line of a forest. A dotted line marks 0 if the axis includes it.
func interval(q []float64, lo, hi float64, room int) string {
	if q == nil {
		return "no finite draws"
	}
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
	for i := at(q[0]); i <= at(q[4]); i++ {
		line[i] = '─'
	}
	for i := at(q[1]); i <= at(q[3]); i++ {
		line[i] = '━'
	}
	line[at(q[2])] = '●'
	return string(line)
}
