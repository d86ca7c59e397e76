package graph_test

import (
	"math"
	"slices"

	"github.com/vflc/vflc/runtime/graph"
)

// groupCases are functions by groups, some of which have no row where the value of those is defined.
func groupCases() []opCase {
	var cs []opCase
	largest := func(v []float64) float64 { return slices.Max(v) }
	smallest := func(v []float64) float64 { return slices.Min(v) }
	for _, s := range []shape{{1, 3}, {5, 1}, {130, 4}} {
		for axis, of := range []string{"row_", "col_"} {
			cs = append(cs, opCase{op: of + "max", shapes: []shape{s}, apart: true, want: along(axis, largest)},
				opCase{op: of + "min", shapes: []shape{s}, apart: true, want: along(axis, smallest)})
		}
	}
	mean := func(v []float64) float64 { return total(v) / float64(len(v)) }
	for _, n := range []int{12, 130, 600} {
		one, two := make([]float64, n), make([]float64, n)
		for i := range one {
			one[i], two[i] = float64(1+(i+i/7)%4), float64(1+i%3)
		}
		for _, c := range []struct {
			groups shape
			index  [][]float64
		}{{shape{5}, [][]float64{one}}, {shape{4}, [][]float64{one}}, {shape{4, 3}, [][]float64{one, two}}} {
			for _, from := range []shape{{n}, {n, 2}} {
				add := func(name string, of func(v []float64) float64) {
					cs = append(cs, opCase{op: name, attr: graph.Attr{Shape: c.groups},
						shapes: []shape{from}, index: c.index, want: byGroups(c.groups, c.index, of),
						apart: name == "max by" || name == "min by"})
				}
				add("sum by", total)
				if c.groups[0] == 5 || len(c.groups) > 1 && n < 100 { // groups without rows
					continue
				}
				add("mean by", mean)
				add("max by", largest)
				add("min by", smallest)
				add("log_sum_exp by", func(v []float64) float64 {
					s := 0.0
					for _, x := range v {
						s += math.Exp(x)
					}
					return math.Log(s)
				})
			}
		}
	}
	return cs
}

// along is a function of each row of a matrix, or of each column, which is the axis that remains.
func along(axis int, of func(v []float64) float64) func(in []array) array {
	return func(in []array) array {
		out, parts := newArray(in[0].shape[axis]), make([][]float64, in[0].shape[axis])
		for at := range indices(in[0].shape) {
			parts[at[axis]] = append(parts[at[axis]], *in[0].at(at...))
		}
		for k := range parts {
			out.v[k] = of(parts[k])
		}
		return out
	}
}

// byGroups is a function of the rows of each group.
func byGroups(groups shape, index [][]float64, of func(v []float64) float64) func(in []array) array {
	return func(in []array) array {
		out := newArray(append(slices.Clone(groups), in[0].shape[1:]...)...)
		rows := make([][]float64, len(out.v))
		for at := range indices(in[0].shape) {
			place, stride := 0, 1
			for k, levels := range index {
				place, stride = place+stride*(int(levels[at[0]])-1), stride*groups[k]
			}
			if len(at) > 1 {
				place += stride * at[1]
			}
			rows[place] = append(rows[place], *in[0].at(at...))
		}
		for k := range rows {
			out.v[k] = of(rows[k])
		}
		return out
	}
}
