package graph

import "slices"

// Singly names the operations that compute many rows one after another, for want of a vector form.
func (g *Graph) Singly() []string {
	var out []string
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.op != nil && n.frame > fewRows && n.singly() {
			out = append(out, n.label())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// singly reports whether the operation of a node has a loop over rows that no vector function runs.
func (n *node) singly() bool {
	switch n.op {
	case opFunc:
		return (n.quick == nil || n.quick.forward == nil) && !n.fn.Light
	case opPow, opDensity, opLogDensity, opLogCDF, opLogCCDF, opEvents:
		return true
	}
	return false
}
