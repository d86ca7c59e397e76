package graph

import (
	"slices"
	"sort"

	"github.com/vflc/vflc/runtime/vector"
)

// Sorting. A gather of few levels is cheap where equal levels follow each other: its forward fills runs of
// rows, its reverse sums them, and in a sum by groups the reverse. The order of the rows of a set of loops is
// free if they read only constants row by row and only sums of theirs are read elsewhere. Build then sorts
// them by the levels of a gather.

// longRuns is the average number of rows per level from which sorting is faster.
const longRuns = 8

// rewriteSort sorts the rows of every set of loops with a gather, or a sum by groups, that gains by it.
func (g *Graph) rewriteSort() {
	set := g.rowSets()
	done := map[ID]bool{}
	var copies []node
	for id := range g.nodes {
		root := set[id]
		if n := &g.nodes[id]; n.op != opGather && n.op != opSumBy || done[root] ||
			!manyPerLevel(n.index) || sorted(n.index) || !g.free(set, root) {
			continue
		}
		done[root] = true
		copies = g.sortRows(set, root, order(g.nodes[id].index), copies)
	}
	g.prepend(copies)
}

func sorted(index []int32) bool { return slices.IsSorted(index) }

// manyPerLevel reports whether an index has few levels for its length.
func manyPerLevel(index []int32) bool {
	seen := map[int32]bool{}
	for _, k := range index {
		if seen[k] = true; len(seen)*longRuns > len(index) {
			return false
		}
	}
	return len(index) > 0
}

// order lists the rows by level; rows of one level keep their order.
func order(index []int32) []int32 {
	rows := make([]int32, len(index))
	for i := range rows {
		rows[i] = int32(i)
	}
	sort.SliceStable(rows, func(i, j int) bool { return index[rows[i]] < index[rows[j]] })
	return rows
}

// rowSets groups the nodes that are computed in loops and read each other row by row. It returns a
// representative of each node's set.
func (g *Graph) rowSets() []ID {
	set := make([]ID, len(g.nodes))
	for id := range set {
		set[id] = ID(id)
	}
	root := func(id ID) ID {
		for set[id] != id {
			id = set[id]
		}
		return id
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		for k, p := range n.in {
			if kind := g.nodes[p].kind; n.kind.loops() && n.links[k].rows && kind != constant &&
				kind != reduction {
				set[root(ID(id))] = root(p)
			}
		}
	}
	for id := range set {
		set[id] = root(ID(id))
	}
	return set
}

// free reports whether the order of the rows of a set is free.
func (g *Graph) free(set []ID, root ID) bool {
	for id := range g.nodes {
		n := &g.nodes[id]
		if set[id] == root && (!n.kind.loops() || slices.Contains(g.outputIDs, ID(id)) ||
			slices.Contains(g.reportIDs, ID(id))) {
			return false
		}
		for k, p := range n.in {
			if p < 0 { // a copy, made for rows that are sorted already
				continue
			}
			if set[p] == root && g.nodes[p].kind == rowwise && !(set[id] == root && n.links[k].rows) {
				return false
			}
		}
	}
	return true
}

// sortRows puts the rows of a set in a new order. It appends reordered copies of the constants that the set
// reads row by row to copies; they have the IDs -1, -2, … until they are prepended.
func (g *Graph) sortRows(set []ID, root ID, rows []int32, copies []node) []node {
	made := map[ID]ID{}
	for id := range g.nodes {
		n := &g.nodes[id]
		if set[id] != root {
			continue
		}
		if n.op == opGather || n.op == opSumBy {
			n.index = permuted(n.index, rows)
		}
		if n.op == opGather {
			continue
		}
		n.in = slices.Clone(n.in)
		for k, p := range n.in {
			if !n.links[k].rows || p < 0 || g.nodes[p].kind != constant {
				continue
			}
			if _, ok := made[p]; !ok {
				copies = append(copies, g.nodes[p].inOrder(rows))
				made[p] = -ID(len(copies))
			}
			n.in[k] = made[p]
		}
	}
	return copies
}

func permuted[T any](v []T, rows []int32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

// inOrder returns a copy of a constant with its rows in a new order.
func (n *node) inOrder(rows []int32) node {
	c := *n
	c.values = nil
	for j := range n.shape.cols() {
		c.values = append(c.values, permuted(n.values[j*len(rows):][:len(rows)], rows)...)
	}
	return c
}

// prepend puts nodes, so far called -1, -2, …, before all others, and renumbers.
func (g *Graph) prepend(first []node) {
	shift := ID(len(first))
	if shift == 0 {
		return
	}
	move := func(ids []ID) []ID {
		out := make([]ID, len(ids))
		for i, id := range ids {
			if out[i] = id + shift; id < 0 {
				out[i] = -id - 1
			}
		}
		return out
	}
	for id := range g.nodes {
		g.nodes[id].in = move(g.nodes[id].in)
	}
	for _, list := range g.roots() {
		*list = move(*list)
	}
	for i, p := range g.parts {
		if p.node != NoID {
			g.parts[i].node += shift
		}
	}
	g.nodes = append(first, g.nodes...)
}

// opRuns is a gather whose index is sorted.
var opRuns = &op{
	name: "gather", doc: "a gather of sorted levels", least: 2, most: 4,
	infer: func(*Builder, *node) error { return nil }, // made by a rewrite, with shape and links
	forward: func(c *call) {
		table, size := c.in[0].val.buf, c.tableColumn()
		for j := range c.width {
			vector.SegmentFill(c.node.runs[c.row/c.node.runBlock], c.y(j), table[j*size:][:size])
		}
	},
	vjp: func(c *call) {
		table, size := c.in[0].adj.buf, c.tableColumn()
		for j := range c.width {
			vector.SegmentSumsAdd(c.node.runs[c.row/c.node.runBlock], table[j*size:][:size], c.dy(j))
		}
	},
	flat:   opGather.flat,
	degree: opGather.degree,
}

var rewriteRuns = rewrite{"runs", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opGather && n.op != opSumBy || !manyPerLevel(n.index) || !sorted(n.index) {
		return
	}
	if n.op == opGather {
		n.op = opRuns
	} else {
		n.op = opSumRuns
	}
}}

// cutRuns lists the runs of equal levels in each block of a sorted index.
func (n *node) cutRuns(block int) {
	n.runBlock = block
	for lo := 0; lo < len(n.index); lo += block {
		var runs []vector.Segment
		for i, k := range n.index[lo:min(lo+block, len(n.index))] {
			if last := len(runs) - 1; last >= 0 && runs[last].Of == k {
				runs[last].Hi++
			} else {
				runs = append(runs, vector.Segment{Lo: int32(i), Hi: int32(i + 1), Of: k})
			}
		}
		n.runs = append(n.runs, runs)
	}
}
