package graph

import "github.com/vflc/vflc/stdlib/def"

// A rewrite replaces a node by a superinstruction: an operation that computes the same faster. It depends on
// operations, shapes and links only, not on how the model was written.
type rewrite struct {
	name string
	// apply changes node id where the pattern matches.
	apply func(g *Graph, id ID)
}

// rewrites lists the superinstructions in groups. Each group is one pass over the nodes, and sees the results
// of the groups before.
var rewrites = [][]rewrite{{rewriteRow}, {rewriteNormal, rewriteRows, rewriteLayer, rewriteRuns},
	{rewriteLevels, rewriteLinear, rewriteActive},
	{rewriteShift, rewriteMix, rewriteProduct, rewriteSumExp, rewriteParts}}

// Plain switches off superinstructions, the sorting of rows, and densities written as operations: every
// operation runs as it was added. The graph computes the same, to a few units in the last place.
func (b *Builder) Plain() { b.plain = true }

// rewrite transposes as little as it can, computes functions by level and sums of their parts, joins columns
// and sorts rows, then applies the superinstructions from the first node to the last.
func (g *Graph) rewrite(alike bool) {
	g.rewriteTurned()
	g.rewriteSame(alike)
	g.rewriteLevelwise()
	g.rewriteNested()
	g.rewriteColumns()
	g.rewriteSort()
	for _, round := range rewrites {
		for id := range ID(len(g.nodes)) {
			for _, r := range round {
				r.apply(g, id)
			}
		}
		g.compact()
	}
}

// uses counts how often a node is read.
func (g *Graph) uses(id ID) int {
	n := 0
	for k := range g.nodes {
		for _, p := range g.nodes[k].in {
			if p == id {
				n++
			}
		}
	}
	for _, list := range [][]ID{g.outputIDs, g.reportIDs} {
		for _, p := range list {
			if p == id {
				n++
			}
		}
	}
	return n
}

// unweighted returns the row loop of an unweighted density that no rewrite has changed, and NoRows for any
// other node.
func (n *node) unweighted() def.RowLoop {
	if n.op != opDensity || n.likely.weighted {
		return def.NoRows
	}
	return n.likely.dist.Rows
}
