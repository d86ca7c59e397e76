package graph

import (
	"fmt"
	"slices"
)

// CopyParams adds the parameters of another builder in their order, and returns what stands here for each.
func (b *Builder) CopyParams(from *Builder) map[ID]ID {
	known := map[ID]ID{}
	for _, id := range from.params {
		n := &from.nodes[id]
		known[id] = b.Param(n.name, n.shape)
	}
	return known
}

// Copy adds what a node of another builder computes. Nodes of the other that are in known are not copied:
// known gives what stands in their place here. What is copied enters known. Of the other's leaves only
// constants can be copied.
func (b *Builder) Copy(from *Builder, id ID, known map[ID]ID) ID {
	from.check(id)
	if to, ok := known[id]; ok {
		return to
	}
	n := from.nodes[id]
	switch {
	case n.kind == constant:
		known[id] = b.Const(n.name, n.shape, n.values)
		b.Made(known[id], n.made)
		return known[id]
	case n.leaf():
		panic(fmt.Sprintf("graph: nothing stands for %s in the copy", n.name))
	}
	n.in = slices.Clone(n.in)
	for k, p := range n.in {
		n.in[k] = b.Copy(from, p, known)
	}
	to := b.push(n)
	if n.bij != nil { // its forward step accumulates the log-Jacobian
		b.parts = append(b.parts, part{term: b.term("jacobian"), node: to})
	}
	known[id] = to
	return to
}

// Received reports whether a node depends on an input.
func (b *Builder) Received(id ID) bool {
	b.check(id)
	n := &b.nodes[id]
	return n.kind == input || slices.ContainsFunc(n.in, b.Received)
}

// Depends reports whether a node is another, or computed from it.
func (b *Builder) Depends(id, on ID) bool {
	b.check(id)
	return id == on || slices.ContainsFunc(b.nodes[id].in, func(p ID) bool { return b.Depends(p, on) })
}

// Coordinates returns where the elements of a parameter begin in x; false for another node.
func (b *Builder) Coordinates(id ID) (offset int, ok bool) {
	b.check(id)
	n := &b.nodes[id]
	return n.offset, n.kind == param
}
