package graph

import "slices"

// Build ends the builder: it puts rows together, drops what no output, report or term needs, applies the
// rewrites, and plans the evaluation.
func (b *Builder) Build() (*Graph, error) {
	if !b.plain {
		b = b.grouped().spread()
	}
	g := &Graph{name: b.name, dim: b.dim, held: b.held, terms: b.terms, nodes: slices.Clone(b.nodes),
		parts: slices.Clone(b.parts), storage: b.storage, seldom: b.seldom}
	g.paramIDs, g.inputIDs = b.params, b.inputs
	for _, o := range b.outputs {
		g.outputIDs = append(g.outputIDs, o.id)
	}
	for _, r := range b.reports {
		g.reportIDs = append(g.reportIDs, r.id)
	}
	g.compact()
	if !b.plain {
		g.rewrite(b.eachRow)
	}
	g.params, g.inputs = g.leafPorts(g.paramIDs), g.leafPorts(g.inputIDs)
	g.layout.early = g.needed(g.outputIDs)
	for i, id := range g.inputIDs {
		g.inputs[i].Early = g.layout.early[id]
	}
	for i, id := range g.outputIDs {
		n := &g.nodes[id]
		g.outputs = append(g.outputs, Port{Name: b.outputs[i].name, Shape: n.shape, Len: n.shape.Len(),
			Affine: n.degree <= affine})
	}
	for i, id := range g.reportIDs {
		n := &g.nodes[id]
		g.reports = append(g.reports, Port{Name: b.reports[i].name, Shape: n.shape, Len: n.shape.Len()})
	}
	if err := g.plan(); err != nil {
		return nil, err
	}
	return g, nil
}

// roots returns the lists of nodes that are kept whatever the terms need.
func (g *Graph) roots() []*[]ID { return []*[]ID{&g.paramIDs, &g.inputIDs, &g.outputIDs, &g.reportIDs} }

// compact keeps the nodes that are needed.
func (g *Graph) compact() {
	live := make([]bool, len(g.nodes))
	for _, list := range g.roots() {
		for _, id := range *list {
			live[id] = true
		}
	}
	for _, p := range g.parts {
		if p.node != NoID {
			live[p.node] = true
		}
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		for _, p := range g.nodes[id].in {
			live[p] = live[p] || live[id]
		}
	}
	old, fresh := g.nodes, make([]ID, len(g.nodes))
	g.nodes = nil
	for id, n := range old {
		fresh[id] = NoID
		if live[id] {
			fresh[id] = ID(len(g.nodes))
			n.in = renumber(n.in, fresh)
			g.nodes = append(g.nodes, n)
		}
	}
	for _, list := range g.roots() {
		*list = renumber(*list, fresh)
	}
	for i, p := range g.parts {
		if p.node != NoID {
			g.parts[i].node = fresh[p.node]
		}
	}
}

func renumber(ids, fresh []ID) []ID {
	out := make([]ID, len(ids))
	for i, id := range ids {
		out[i] = fresh[id]
	}
	return out
}

func (g *Graph) leafPorts(ids []ID) []Port {
	ports := make([]Port, len(ids))
	for i, id := range ids {
		n := &g.nodes[id]
		ports[i] = Port{Name: n.name, Shape: n.shape, Offset: n.offset, Len: n.shape.Len()}
	}
	return ports
}

// needed marks everything that the nodes depend on.
func (g *Graph) needed(ids []ID) []bool {
	need := make([]bool, len(g.nodes))
	for _, id := range ids {
		need[id] = true
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		for _, p := range g.nodes[id].in {
			need[p] = need[p] || need[id]
		}
	}
	return need
}

// plan makes the sweeps (the outputs' forward, the target's, the one that carries seeds on the outputs back,
// one for each report) and their programs.
func (g *Graph) plan() error {
	n := len(g.nodes)
	none := make([]bool, n)
	forward := newSweep(g.nodes, g.outputIDs, none)
	target := newSweep(g.nodes, g.termNodes(), forward.eval)
	target.target = true
	pull := newSweep(g.nodes, nil, none)
	for _, id := range g.outputIDs {
		target.stop[id], pull.seeded[id] = true, true
	}
	sweeps := []*sweep{forward, target, pull}
	for _, id := range g.reportIDs {
		sweeps = append(sweeps, newSweep(g.nodes, []ID{id}, forward.eval))
	}
	target.reverse()
	pull.reverse()
	g.layout = layout{nodes: g.nodes, early: g.layout.early, blocks: blocksOf(g.nodes),
		whole: make([]bool, n), value: make([]int, n), slot: make([]int, n)}
	for _, s := range sweeps {
		s.schedule()
		s.store(g.layout.whole)
	}
	if err := g.tileConstants(); err != nil {
		return err
	}
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
	return nil
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

// place assigns offsets to the values that are stored whole, and slots to the sums.
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
