package graph

import "github.com/vflc/vflc/stdlib/def"

// A rewrite replaces a node by a superinstruction: an operation that computes the same faster. It looks at operations, shapes and links alone, so
// it finds its pattern however the model was written.
type rewrite struct {
	name string
	// apply changes node id where it fits.
	apply func(g *Graph, id ID)
}

// rewrites lists the superinstructions in the order in which they are tried at each node, in rounds: one round finds what the one before has made.
var rewrites = [][]rewrite{{rewriteNormal, rewriteRows, rewriteLayer, rewriteRuns}, {rewriteLinear, rewriteActive}}

// Plain leaves out all superinstructions and leaves rows in their order: every operation runs as it stands. The graph computes the same, to a few units in the last place.
func (b *Builder) Plain() { b.plain = true }

// rewrite joins columns and sorts rows, then applies the superinstructions from the first node to the last.
func (g *Graph) rewrite() {
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

// uses is how often a node is read.
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

// unweighted is the loop over rows of a density as the builder made it, without weights; NoRows for any other node.
func (n *node) unweighted() def.RowLoop {
	if n.op != opDensity || n.likely.weighted {
		return def.NoRows
	}
	return n.likely.dist.Rows
}
