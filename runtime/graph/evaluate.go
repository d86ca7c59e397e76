package graph

// evaluate computes a node whose inputs are constants, while the graph is built: its value, and what it adds
// to the target (a term, a log-Jacobian).
func (b *Builder) evaluate(n *node) (y []float64, sum float64) {
	y = make([]float64, n.shape.Len())
	c := call{node: n, width: n.width, sum: &sum, scratch: scratchVectors(len(n.in) + densityScratch + 1)}
	c.out.val = view{buf: y, stride: n.shape.rows(), move: 1}
	for k, id := range n.in {
		in := &b.nodes[id]
		c.in = append(c.in,
			operand{link: n.links[k], val: view{buf: in.values, stride: in.shape.rows(), move: 1}})
	}
	c.hold()
	c.run = n.op.forward
	l := loop{rows: n.frame, step: largestBlock, global: n.kind == global, calls: []call{c}}
	l.run()
	return y, sum
}
