package graph

// Build ends the builder: it drops what no output, report or term needs, and plans the evaluation.
func (b *Builder) Build() (*Graph, error) {
	g := &Graph{name: b.name, dim: b.dim, held: b.held, terms: b.terms}
	old := b.compact(g)
	g.params, g.inputs = b.leafPorts(b.params), b.leafPorts(b.inputs)
	early := g.needed(b.outputs, old)
	for i, id := range b.inputs {
		g.inputs[i].Early = early[old[id]]
	}
	for _, o := range b.outputs {
		n := &g.nodes[old[o.id]]
		g.outputs = append(g.outputs, Port{Name: o.name, Shape: n.shape, Len: n.shape.Len(), Affine: n.degree <= affine})
		g.outputIDs = append(g.outputIDs, old[o.id])
	}
	for _, r := range b.reports {
		n := &g.nodes[old[r.id]]
		g.reports = append(g.reports, Port{Name: r.name, Shape: n.shape, Len: n.shape.Len()})
		g.reportIDs = append(g.reportIDs, old[r.id])
	}
	if !b.plain {
		g.rewrite()
	}
	g.layout.early = early
	g.plan()
	return g, nil
}

// compact copies the nodes that are needed and returns their new IDs, -1 for the others.
func (b *Builder) compact(g *Graph) []ID {
	live := make([]bool, len(b.nodes))
	for _, list := range [][]ID{b.params, b.inputs} {
		for _, id := range list {
			live[id] = true
		}
	}
	for _, list := range [][]port{b.outputs, b.reports} {
		for _, p := range list {
			live[p.id] = true
		}
	}
	for _, p := range b.parts {
		if p.node != NoID {
			live[p.node] = true
		}
	}
	for id := len(b.nodes) - 1; id >= 0; id-- {
		for _, p := range b.nodes[id].in {
			live[p] = live[p] || live[id]
		}
	}
	fresh := make([]ID, len(b.nodes))
	for id, n := range b.nodes {
		fresh[id] = NoID
		if live[id] {
			fresh[id] = ID(len(g.nodes))
			n.in = renumber(n.in, fresh)
			g.nodes = append(g.nodes, n)
		}
	}
	for _, p := range b.parts {
		if p.node != NoID {
			p.node = fresh[p.node]
		}
		g.parts = append(g.parts, p)
	}
	return fresh
}

func renumber(ids, fresh []ID) []ID {
	out := make([]ID, len(ids))
	for i, id := range ids {
		out[i] = fresh[id]
	}
	return out
}

func (b *Builder) leafPorts(ids []ID) []Port {
	ports := make([]Port, len(ids))
	for i, id := range ids {
		n := &b.nodes[id]
		ports[i] = Port{Name: n.name, Shape: n.shape, Offset: n.offset, Len: n.shape.Len()}
	}
	return ports
}

// needed marks everything that the ports depend on.
func (g *Graph) needed(ports []port, fresh []ID) []bool {
	need := make([]bool, len(g.nodes))
	for _, p := range ports {
		need[fresh[p.id]] = true
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		for _, p := range g.nodes[id].in {
			need[p] = need[p] || need[id]
		}
	}
	return need
}

// plan makes the sweeps: the forward one of the outputs, the one of the target, the one that pulls seeds on the outputs back, and one for each report.
func (g *Graph) plan() {
	n := len(g.nodes)
	none := make([]bool, n)
	forward := newSweep("forward", g.nodes, g.outputIDs, none)
	target := newSweep("target", g.nodes, g.termNodes(), forward.eval)
	target.target = true
	pull := newSweep("pull", g.nodes, nil, none)
	for _, id := range g.outputIDs {
		target.stop[id], pull.seeded[id] = true, true
	}
	sweeps := []*sweep{forward, target, pull}
	for _, id := range g.reportIDs {
		sweeps = append(sweeps, newSweep("report", g.nodes, []ID{id}, forward.eval))
	}
	target.reverse()
	pull.reverse()
	g.layout = layout{nodes: g.nodes, early: g.layout.early, blocks: blocksOf(g.nodes), whole: make([]bool, n), value: make([]int, n), slot: make([]int, n)}
	for _, s := range sweeps {
		s.schedule()
		s.store(g.layout.whole)
	}
	g.tileConstants()
	g.place()
	g.forward, _ = g.layout.emit(forward)
	var own, seeds map[ID]ref
	g.target, own = g.layout.emit(target)
	g.pull, seeds = g.layout.emit(pull)
	for _, s := range sweeps[3:] {
		p, _ := g.layout.emit(s)
		g.reporting = append(g.reporting, p)
	}
	for _, id := range g.outputIDs {
		g.own = append(g.own, own[id])
		seed, ok := seeds[id]
		if !ok {
			seed = g.layout.leafAdjoint(id)
		}
		g.seeds = append(g.seeds, seed)
	}
}

// termNodes lists the nodes that the terms of the target read.
func (g *Graph) termNodes() []ID {
	var ids []ID
	for _, p := range g.parts {
		if p.node != NoID {
			ids = append(ids, p.node)
		}
	}
	return ids
}

// place lays out the values that are stored whole and the sums.
func (g *Graph) place() {
	l := &g.layout
	for _, list := range [][]ID{g.outputIDs, g.reportIDs} {
		for _, id := range list {
			l.whole[id] = l.whole[id] || !g.nodes[id].leaf()
		}
	}
	for id := range l.nodes {
		l.slot[id] = -1
		if l.whole[id] {
			l.value[id] = l.values
			l.values += l.nodes[id].shape.Len()
		}
		g.scratch = max(g.scratch, len(l.nodes[id].in)+densityScratch+1)
	}
	for i, p := range g.parts {
		if p.node != NoID {
			l.slot[p.node] = i
		}
	}
}
