package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/posterior"
)

func ppcKind() Kind {
	return Kind{Name: "ppc", Doc: "each response as observed among draws of it from the model", one: true,
		Responses: true, make: ppc}
}

// shownReplicates is how many replicates have a line each where one panel is in a row, and leastReplicates
// where many are; mostValuesShown is the number of values up to which a response of whole numbers is shown
// value by value.
const (
	shownReplicates = 40
	leastReplicates = 12
	mostValuesShown = 80
)

func ppc(in input) (*Figure, error) {
	run := in.runs[0]
	if len(run.Responses) == 0 {
		return nil, fmt.Errorf("%s has no responses with replicates", run.Name)
	}
	f := &Figure{title: in.title("Posterior predictive check"), across: columnsFor(len(run.Responses)),
		flows: true}
	f.wide, f.high = panelSize(f.across)
	observed, replicated := penOf(1), penOf(0)
	observed.width = 2
	f.legend = []entry{{text: "observed", pen: observed}, {text: "replicated", pen: replicated}}
	bars := false
	for _, r := range run.Responses {
		p := panel{title: r.Name, x: axis{label: "value"}, y: axis{label: "density"}}
		if r.binary() { // the share of ones fits in any model with an intercept
			p = calibrated(r, observed, replicated)
			bars = true
		} else if lo, hi, whole := wholes(r); whole {
			p.x.whole, p.y.label = true, "share"
			f.shades = "Shaded: where 90 % of the replicates lie, value by value."
			p.marks = shares(r, lo, hi, observed, replicated)
			p.fromZero()
		} else {
			var outside float64
			p.marks, outside = smooth(r, observed, replicated, max(leastReplicates, shownReplicates/f.across))
			if outside > 0 {
				p.title += fmt.Sprintf(" (%.2g %% of the replicated values lie further out)", 100*outside)
			}
		}
		f.panels = append(f.panels, p)
	}
	if bars {
		f.note = "Of a binary response: the share of ones among rows of like predicted probability; bars: " +
			"where 90 % of the replicates have it; on the dashed line it is as predicted."
	}
	return f, nil
}

// wholes reports whether a response has few values, all whole, and their range.
func wholes(r Replicated) (lo, hi int, ok bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, y := range append([][]float64{r.Observed}, r.Replicates...) {
		for _, v := range y {
			if v != math.Trunc(v) || !finite(v) {
				return 0, 0, false
			}
			least, most = min(least, v), max(most, v)
		}
	}
	return int(least), int(most), most-least < mostValuesShown
}

// shares are the shares of each value: of the observed ones as a line, and where those of most replicates
// lie.
func shares(r Replicated, lo, hi int, observed, replicated pen) []mark {
	of := func(y []float64) []float64 {
		out := make([]float64, hi-lo+1)
		for _, v := range y {
			out[int(v)-lo] += 1 / float64(len(y))
		}
		return out
	}
	all := make([][]float64, hi-lo+1)
	for _, y := range r.Replicates {
		for k, s := range of(y) {
			all[k] = append(all[k], s)
		}
	}
	var low, high, middle []float64
	for _, s := range all {
		slices.Sort(s)
		low, high, middle = append(low, posterior.Quantile(s, 0.05)),
			append(high, posterior.Quantile(s, 0.95)), append(middle, posterior.Quantile(s, 0.5))
	}
	from, to := float64(lo)-0.5, float64(hi)+0.5
	xs, top := stairs(high, from, to)
	_, bottom := stairs(low, from, to)
	_, mid := stairs(middle, from, to)
	_, ys := stairs(of(r.Observed), from, to)
	return []mark{area{xs, top, bottom, replicated.color, 0.3}, curve{xs, mid, replicated},
		curve{xs, ys, observed}}
}

// smooth are densities: of some replicates, and of the observed values above them. outside is the share of
// replicated values that the window leaves out.
func smooth(r Replicated, observed, replicated pen, lines int) (out []mark, outside float64) {
	thin := replicated
	thin.width = 0.7
	shown := everyNth(r.Replicates, lines)
	w := windowOf(r.Observed, shown)
	for _, y := range shown {
		if xs, ys := w.density(y); xs != nil {
			out = append(out, curve{xs, ys, thin})
		}
	}
	if xs, ys := w.density(r.Observed); xs != nil {
		out = append(out, curve{xs, ys, observed})
	}
	if out == nil {
		return []mark{remark{"all values are equal"}}, 0
	}
	return out, w.outside
}

// everyNth leaves about so many replicates at even distances.
func everyNth(all [][]float64, n int) (out [][]float64) {
	every := max(1, len(all)/n)
	for i := every - 1; i < len(all); i += every {
		out = append(out, all[i])
	}
	return out
}

// A window is the part of the axis that is shown. It is all of it, unless single replicates lie so far out
// that nothing else could be seen.
type window struct {
	lo, hi  float64
	outside float64 // share of replicated values
}

// manyTimes is how many times wider than the middle part all values must be for the window to leave some out;
// edges is the share of replicated values at each side of that part.
const (
	manyTimes = 3
	edges     = 0.01
)

func windowOf(observed []float64, replicates [][]float64) window {
	all := numbers(replicates)
	slices.Sort(all)
	data := numbers([][]float64{observed})
	if len(all) == 0 || len(data) == 0 {
		return window{math.Inf(-1), math.Inf(1), 0}
	}
	w := window{min(slices.Min(data), posterior.Quantile(all, edges)),
		max(slices.Max(data), posterior.Quantile(all, 1-edges)), 0}
	if all[len(all)-1]-all[0] <= manyTimes*(w.hi-w.lo) {
		return window{math.Inf(-1), math.Inf(1), 0}
	}
	for _, v := range all {
		if v < w.lo || v > w.hi {
			w.outside += 1 / float64(len(all))
		}
	}
	return w
}

// density is that of the values in the window, whose integral is their share of all.
func (w window) density(y []float64) (xs, ys []float64) {
	all := numbers([][]float64{y})
	n := float64(len(all))
	inside := slices.DeleteFunc(all, func(v float64) bool { return v < w.lo || v > w.hi })
	xs, ys = kernelDensity(inside)
	for i := range ys {
		ys[i] *= float64(len(inside)) / n
	}
	return xs, ys
}
