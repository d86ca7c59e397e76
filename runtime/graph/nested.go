package graph

import (
	"cmp"
	"slices"
)

// Nested sums. log Σ exp of columns 1 to k of a matrix, and of columns k to the last, are wanted for several
// k where choices are made one after the other: each is that of fewer columns and of those that are new.

// fewColumns is how many columns may be new in a sum that is made of another.
const fewColumns = 8

// A span is log Σ exp of the columns lo ≤ j < hi of each row of a matrix.
type span struct {
	id     ID
	lo, hi int
}

func (s span) length() int { return s.hi - s.lo }

// rewriteNested writes log_sum_exp of columns as that of a part of them, which is wanted too, and of the
// rest.
func (g *Graph) rewriteNested() {
	for g.nest() {
		g.compact()
	}
}

// spanOf returns the columns of which a node is log Σ exp.
func (g *Graph) spanOf(id ID) (matrix ID, s span, ok bool) {
	n := &g.nodes[id]
	if n.op != opLogSumRows || n.width != 1 || n.attr.Shape[0] == 0 {
		return NoID, s, false
	}
	from := &g.nodes[n.in[0]]
	cut := from.attr.Slices
	if from.op == opSlice && from.kind == rowwise && len(cut) == 2 && !cut[1].Drop {
		return from.in[0], span{id, cut[1].Lo, cut[1].Hi}, true
	}
	return n.in[0], span{id, 0, from.shape[1]}, true
}

// nest makes each span of a matrix from the longest that has the same end or the same beginning. It reports
// false where there are none of which one is part of another.
func (g *Graph) nest() bool {
	of := map[ID][]span{}
	for id := range ID(len(g.nodes)) {
		if matrix, s, ok := g.spanOf(id); ok {
			of[matrix] = append(of[matrix], s)
		}
	}
	for id := range ID(len(g.nodes)) {
		spans := of[id]
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.length(), b.length()) })
		if part, found := partsOf(spans); found {
			g.chain(id, spans, part)
			return true
		}
	}
	return false
}

// partsOf lists, for spans by length, the longest that is part of each, if few columns are new; -1 for none,
// and -2 for one that is no part of another either.
func partsOf(spans []span) (part []int, found bool) {
	for range spans {
		part = append(part, -2)
	}
	for k, s := range spans {
		for j := k - 1; j >= 0 && part[k] < 0; j-- {
			p := spans[j]
			if few := s.length()-p.length() <= fewColumns; few && (p.hi == s.hi && p.lo > s.lo ||
				p.lo == s.lo && p.hi < s.hi) {
				part[k], part[j], found = j, max(part[j], -1), true
			}
		}
	}
	return part, found
}

// chain computes spans of a matrix from their parts. New nodes are inserted before the first of the spans.
func (g *Graph) chain(matrix ID, spans []span, part []int) {
	first := slices.MinFunc(spans, func(a, b span) int { return cmp.Compare(a.id, b.id) }).id
	b := &Builder{nodes: slices.Clone(g.nodes[:first])}
	add := func(o *op, attr Attr, in ...ID) ID {
		n := node{op: o, attr: attr, in: in}
		if err := o.infer(b, &n); err != nil {
			panic("graph: " + err.Error())
		}
		b.finish(&n)
		return b.push(n)
	}
	rows := Slice{Hi: b.nodes[matrix].shape[0]}
	columns := slices.Clone(b.vectorsOf(matrix))
	for j := len(columns); j < b.nodes[matrix].shape[1]; j++ {
		columns = append(columns, add(opSlice, Attr{Slices: []Slice{rows, {j, j + 1, true}}}, matrix))
	}
	made := make([]ID, len(spans))
	for k, s := range spans {
		in := slices.Clone(columns[s.lo:s.hi])
		if j := part[k]; j >= 0 {
			p := spans[j]
			in = slices.Concat(columns[s.lo:p.lo], made[j:j+1], columns[p.hi:s.hi])
		}
		switch {
		case part[k] == -2:
		case len(in) == 1:
			made[k] = in[0]
		case part[k] < 0 && len(in) > fewColumns:
			made[k] = add(opLogSumExp, Attr{}, add(opSlice, Attr{Slices: []Slice{rows, {s.lo, s.hi, false}}},
				matrix))
		default:
			made[k] = add(opLogSumExp, Attr{}, in...)
		}
	}
	shift := ID(len(b.nodes)) - first
	g.insert(first, b.nodes[first:])
	for k, s := range spans {
		if part[k] != -2 {
			g.replace(s.id+shift, made[k])
		}
	}
}

// replace makes all that reads a node read another.
func (g *Graph) replace(id, by ID) {
	lists := g.roots()
	for k := range g.nodes {
		lists = append(lists, &g.nodes[k].in)
	}
	for _, list := range lists {
		*list = slices.Clone(*list)
		for i, p := range *list {
			if p == id {
				(*list)[i] = by
			}
		}
	}
}
