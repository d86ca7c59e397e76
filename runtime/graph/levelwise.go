package graph

// rewriteLevelwise computes a function of values that are looked up by level once for each level:
// lgamma(a[g]) is that of a, looked up. The values have the same bits. The exponential takes no longer than a
// look-up, and stays where densities find it.
func (g *Graph) rewriteLevelwise() {
	for id := ID(0); int(id) < len(g.nodes); id++ {
		n := g.nodes[id]
		if n.op != opFunc || n.fn.Light || n.fn.TakesFactor != "" {
			continue
		}
		by := g.nodes[n.in[0]]
		if by.op != opGather || longRuns*g.nodes[by.in[0]].shape.Len() > n.shape.Len() || !g.meets(&by) {
			continue
		}
		b := &Builder{nodes: g.nodes[:id:id]}
		f := node{op: opFunc, fn: n.fn, quick: n.quick, in: []ID{by.in[0]}}
		if err := f.op.infer(b, &f); err != nil {
			panic("graph: " + err.Error())
		}
		b.finish(&f)
		g.insert(id, []node{f})
		by.in, by.degree = append([]ID{id}, by.in[1:]...), n.degree
		id++
		g.nodes[id] = by
	}
	g.compact()
}

// meets reports whether a gather looks up every element of its table: another might be outside the domain of
// a function, and its derivative not a number.
func (g *Graph) meets(gather *node) bool {
	met := map[int32]bool{}
	for _, k := range gather.index {
		met[k] = true
	}
	return len(met)*gather.shape.Len() == g.nodes[gather.in[0]].shape.Len()*len(gather.index)
}
