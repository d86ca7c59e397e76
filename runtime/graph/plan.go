package graph

// A sweep is the static plan of one entry point: which nodes it evaluates, which it reverses, and in which
// row loops.
//
// Nodes that are computed row by row are grouped into row loops: one loop for each pair of leading length and
// level. A node that needs a value of another loop whole is at a higher level than that value. Nodes of one
// length and level run in one pass. Levels are as late as possible, so that nodes share passes over the rows,
// and a data matrix is read once.
//
// A node is closed if it is a term of the target, or if everything that uses it is closed and in the same
// loop: then the adjoint is complete within each block, the reverse runs right after the block's forward, and
// neither value nor adjoint is ever stored whole. The other nodes are open: their reverse runs in loops of
// its own after the forward, in reverse order, and recomputes block by block the values that their vjps need.
type sweep struct {
	nodes  []node
	eval   []bool // evaluated here
	back   []bool // reversed here
	stop   []bool // adjoints end here: outputs, in the sweep of the target
	seeded []bool // adjoints begin here: outputs, in the sweep that pulls them back
	target bool
	level  []int
	closed []bool
	uses   [][]use // of each node by nodes of this sweep
	reach  []bool  // an adjoint arrives here
	slope  []bool  // depends differentiably on a leaf or a stop
}

// A use is input k of node by.
type use struct {
	by ID
	k  int
}

// newSweep returns a sweep that evaluates the nodes that roots need and that are not in have.
func newSweep(nodes []node, roots []ID, have []bool) *sweep {
	n := len(nodes)
	s := &sweep{
		nodes: nodes, eval: make([]bool, n), back: make([]bool, n), stop: make([]bool, n),
		seeded: make([]bool, n),
		level:  make([]int, n), closed: make([]bool, n), uses: make([][]use, n), reach: make([]bool, n),
		slope: make([]bool, n),
	}
	for _, id := range roots {
		s.eval[id] = !nodes[id].leaf() && !have[id]
	}
	for id := n - 1; id >= 0; id-- {
		for _, p := range nodes[id].in {
			if s.eval[id] && !nodes[p].leaf() && !have[p] {
				s.eval[p] = true
			}
		}
	}
	return s
}

// flows reports whether the adjoint of node by flows to its input k.
func (s *sweep) flows(by ID, k int) bool {
	n := &s.nodes[by]
	return n.op.differentiable(k) && s.slope[n.in[k]]
}

// reverse marks the nodes that are reversed: those between terms or seeds and the leaves or stops, and in the
// target's sweep every bijector, for its log-Jacobian.
func (s *sweep) reverse() {
	for id := range s.nodes {
		n := &s.nodes[id]
		s.slope[id] = n.kind == param || n.kind == input || s.stop[id]
		for k := range n.in {
			s.slope[id] = s.slope[id] || s.flows(ID(id), k)
		}
	}
	for id := ID(len(s.nodes) - 1); id >= 0; id-- {
		n := &s.nodes[id]
		if n.leaf() {
			continue
		}
		passes := s.seeded[id] || s.reach[id] && !s.stop[id] || s.target && n.bij != nil
		s.back[id] = passes && s.slope[id] && n.kind != term
		for k, p := range n.in {
			if (s.back[id] || n.kind == term && s.eval[id]) && s.flows(id, k) {
				s.reach[p] = true
			}
		}
	}
}

// member reports whether a node takes part in the sweep.
func (s *sweep) member(id ID) bool { return s.eval[id] || s.back[id] }

// schedule assigns levels and finds closed nodes.
func (s *sweep) schedule() {
	for id := range s.nodes {
		if s.member(ID(id)) {
			for k, p := range s.nodes[id].in {
				s.uses[p] = append(s.uses[p], use{ID(id), k})
			}
		}
	}
	last := s.earliest()
	s.latest(last)
	for id := len(s.nodes) - 1; id >= 0; id-- {
		s.closed[id] = s.isClosed(ID(id))
	}
}

// earliest assigns the lowest possible levels and returns the highest of each length.
func (s *sweep) earliest() map[int]int {
	last := map[int]int{}
	for id := range s.nodes {
		if !s.member(ID(id)) {
			continue
		}
		n := &s.nodes[id]
		for k, p := range n.in {
			if s.member(p) {
				s.level[id] = max(s.level[id], s.level[p]+s.distance(use{ID(id), k}))
			}
		}
		if n.kind.loops() {
			last[n.frame] = max(last[n.frame], s.level[id])
		}
	}
	return last
}

// latest moves nodes up to the level where they are used first; nodes that nothing uses join the last loop of
// their length.
func (s *sweep) latest(last map[int]int) {
	for i := len(s.nodes) - 1; i >= 0; i-- {
		id := ID(i)
		if !s.member(id) {
			continue
		}
		level := -1
		for _, u := range s.uses[id] {
			if l := s.level[u.by] - s.distance(u); level < 0 || l < level {
				level = l
			}
		}
		if n := &s.nodes[id]; level >= 0 {
			s.level[id] = level
		} else if n.kind.loops() {
			s.level[id] = last[n.frame]
		}
	}
}

// distance is the number of levels between a value and its use: 1 where a value computed in a loop is needed
// whole, or in a loop of another length.
func (s *sweep) distance(u use) int {
	p := &s.nodes[s.nodes[u.by].in[u.k]]
	if p.kind == global || p.kind == rowwise && s.aligned(u) {
		return 0
	}
	return 1
}

// aligned reports whether a use reads its operand row by row in a loop of the operand's length.
func (s *sweep) aligned(u use) bool {
	by := &s.nodes[u.by]
	return by.kind.loops() && by.links[u.k].rows && s.nodes[by.in[u.k]].frame == by.frame
}

// inLoop reports whether a use is in the same loop as the value that it reads.
func (s *sweep) inLoop(u use) bool {
	p := s.nodes[u.by].in[u.k]
	return s.nodes[p].kind == rowwise && s.member(p) && s.aligned(u) && s.level[p] == s.level[u.by]
}

// isClosed decides whether a node is closed, after the nodes that use it.
func (s *sweep) isClosed(id ID) bool {
	n := &s.nodes[id]
	if n.kind == term {
		return true
	}
	if !s.eval[id] || !s.back[id] || n.kind != rowwise || s.seeded[id] {
		return false
	}
	for _, u := range s.contributors(id) {
		if !s.inLoop(u) || !s.closed[u.by] {
			return false
		}
	}
	return true
}

// contributors returns the uses through which adjoints reach a node.
func (s *sweep) contributors(id ID) []use {
	var out []use
	for _, u := range s.uses[id] {
		gives := s.back[u.by] || s.nodes[u.by].kind == term
		if gives && s.flows(u.by, u.k) {
			out = append(out, u)
		}
	}
	return out
}

// storedAdjoint reports whether the adjoint of a node that is reversed here must be stored whole: it is open,
// and something outside its reverse loop adds to it.
func (s *sweep) storedAdjoint(id ID) bool {
	if s.closed[id] {
		return false
	}
	if s.seeded[id] || s.nodes[id].kind != rowwise {
		return true
	}
	for _, u := range s.contributors(id) {
		if !s.inLoop(u) || s.closed[u.by] {
			return true
		}
	}
	return false
}

// store marks the nodes whose values this sweep needs whole.
func (s *sweep) store(whole []bool) {
	for id := range s.nodes {
		n := &s.nodes[id]
		if !s.eval[id] {
			continue
		}
		if n.kind == global || n.kind == reduction {
			whole[id] = true
		}
		for k, p := range n.in {
			if !s.nodes[p].leaf() && !(s.eval[p] && s.inLoop(use{ID(id), k})) {
				whole[p] = true
			}
		}
	}
}
