package graph

import "sort"

// An emitter turns a sweep into a program.
type emitter struct {
	*layout
	s       *sweep
	prog    program
	stored  map[ID]ref   // adjoints stored whole
	equal   map[use]bool // uses whose stored adjoint is a received value's, which the user sets
	tiles   map[ID]ref   // values of the current loop
	adjoint map[ID]ref   // adjoint tiles of the current loop
	sets    map[use]bool // uses that overwrite the adjoint tile
	shares  map[use]bool // uses whose adjoint tile is the user's own
	block   int          // rows of a tile of the current loop
	top     int          // end of the tile array in use
}

func (l *layout) emit(s *sweep) (program, map[ID]ref) {
	e := &emitter{layout: l, s: s, stored: map[ID]ref{}, equal: map[use]bool{}}
	e.lend()
	for id := range l.nodes {
		if _, lent := e.stored[ID(id)]; lent {
			continue
		}
		if s.stop[id] && s.reach[id] || s.back[id] && s.storedAdjoint(ID(id)) {
			n := &l.nodes[id]
			e.stored[ID(id)] = ref{space: inAdjoint, off: e.prog.adjoints, len: n.shape.Len(),
				stride: n.shape.rows(), move: 1}
			e.prog.adjoints += n.shape.Len()
		}
	}
	keys := e.loopKeys()
	for _, k := range keys {
		e.forward(k)
	}
	for i := range keys {
		e.reverse(keys[len(keys)-1-i])
	}
	return e.prog, e.stored
}

// A loopKey names a loop: the nodes of one length at one level, or one global node.
type loopKey struct {
	level  int
	global ID // NoID: a row loop
	rows   int
	first  ID
}

// loopKeys lists the passes in forward order: by level, global nodes first, then by the first node.
func (e *emitter) loopKeys() []loopKey {
	var keys []loopKey
	seen := map[loopKey]bool{}
	for id := range e.nodes {
		if !e.s.member(ID(id)) {
			continue
		}
		k := loopKey{level: e.s.level[id], global: NoID, rows: e.nodes[id].frame}
		if e.nodes[id].kind == global {
			k.global = ID(id)
		}
		if !seen[k] {
			seen[k] = true
			k.first = ID(id)
			keys = append(keys, k)
		}
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if a.level != b.level {
			return a.level < b.level
		}
		if (a.global == NoID) != (b.global == NoID) {
			return b.global == NoID
		}
		return a.first < b.first
	})
	return keys
}

// members lists the nodes of a pass for which ok holds, in order.
func (e *emitter) members(k loopKey, ok func(ID) bool) []ID {
	if k.global != NoID {
		if ok(k.global) {
			return []ID{k.global}
		}
		return nil
	}
	var out []ID
	for id := range e.nodes {
		n := &e.nodes[id]
		if e.s.member(ID(id)) && n.kind.loops() && n.frame == k.rows && e.s.level[id] == k.level &&
			ok(ID(id)) {
			out = append(out, ID(id))
		}
	}
	return out
}

// begin starts a pass with empty tiles.
func (e *emitter) begin(k loopKey) *loopSpec {
	e.tiles, e.adjoint, e.sets, e.shares, e.top = map[ID]ref{}, map[ID]ref{}, map[use]bool{}, map[use]bool{},
		0
	e.block = min(e.blocks[k.rows], max(1, k.rows))
	return &loopSpec{rows: k.rows, block: e.block, global: k.global != NoID}
}

func (e *emitter) end(l *loopSpec) {
	e.tile = max(e.tile, e.top)
	if len(l.calls) > 0 {
		e.prog.loops = append(e.prog.loops, *l)
	}
}

// forward emits the evaluation of a pass: values, terms with their partials, and the reverse of closed nodes.
func (e *emitter) forward(k loopKey) {
	l := e.begin(k)
	values := e.members(k, func(id ID) bool { return e.s.eval[id] && e.nodes[id].kind != term })
	terms := e.members(k, func(id ID) bool { return e.s.eval[id] && e.nodes[id].kind == term })
	closed := e.members(k, func(id ID) bool { return e.s.closed[id] && e.s.back[id] })
	e.evaluate(l, values)
	e.adjointTiles(l, closed)
	for _, id := range terms {
		l.zero = append(l.zero, e.sumRef(id))
		l.calls = append(l.calls, e.termCall(id))
	}
	e.reverseCalls(l, closed)
	e.end(l)
}

// reverse emits the reverse of the open nodes of a pass.
func (e *emitter) reverse(k loopKey) {
	l := e.begin(k)
	open := e.members(k, func(id ID) bool { return e.s.back[id] && !e.s.closed[id] })
	if k.global == NoID {
		e.evaluate(l, e.recomputed(open))
	}
	tiles := open[:0:0]
	for _, id := range open {
		if _, stored := e.stored[id]; !stored {
			tiles = append(tiles, id)
		}
	}
	e.adjointTiles(l, tiles)
	n := len(l.calls)
	e.reverseCalls(l, open)
	if len(l.calls) == n {
		l.calls = nil
	}
	e.end(l)
}

// recomputed lists the values that the vjps of open nodes need and that are not stored.
func (e *emitter) recomputed(open []ID) []ID {
	needed := map[ID]bool{}
	var want func(id ID)
	want = func(id ID) {
		n := &e.nodes[id]
		if n.leaf() || e.whole[id] || needed[id] {
			return
		}
		needed[id] = true
		for k, p := range n.in {
			if n.links[k].rows {
				want(p)
			}
		}
	}
	for _, id := range open {
		n := &e.nodes[id]
		mask := e.needs(id)
		for k, p := range n.in {
			if mask&inputs(k) != 0 && n.links[k].rows {
				want(p)
			}
		}
		if mask&output != 0 {
			want(id)
		}
	}
	out := make([]ID, 0, len(needed))
	for id := range needed {
		out = append(out, id)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// needs is the set of values that a node's vjp reads.
func (e *emitter) needs(id ID) need {
	n := &e.nodes[id]
	var mask need
	for k := range n.in {
		if n.op.needs != nil && e.s.flows(id, k) {
			mask |= n.op.needs(k)
		}
	}
	return mask
}

// evaluate emits the forward steps of nodes.
func (e *emitter) evaluate(l *loopSpec, ids []ID) {
	for _, id := range ids {
		n := &e.nodes[id]
		c := callSpec{verb: doForward, id: id, in: e.operands(id), out: operandSpec{val: e.valueRef(id)},
			sum: -1}
		if c.out.val.space == nowhere {
			e.tiles[id] = e.newTile(id)
			c.out.val = e.tiles[id]
		}
		if n.kind == reduction {
			l.zero = append(l.zero, c.out.val)
		}
		if n.bij != nil {
			c.sum = e.slot[id]
			l.zero = append(l.zero, e.sumRef(id))
		}
		l.calls = append(l.calls, c)
	}
}

// operands returns references to the values of a node's inputs, in this pass's tiles where they are there.
func (e *emitter) operands(id ID) []operandSpec {
	n := &e.nodes[id]
	in := make([]operandSpec, len(n.in))
	for k, p := range n.in {
		in[k] = operandSpec{link: n.links[k], val: e.valueRef(p)}
	}
	return in
}

// adjointTiles assigns a tile to the adjoint of each node: the tile of its only user where that user passes
// its adjoint on unchanged, else a new one, which is cleared for each block unless the first contribution can
// overwrite it.
func (e *emitter) adjointTiles(l *loopSpec, ids []ID) {
	for i := len(ids) - 1; i >= 0; i-- {
		id := ids[i]
		users := e.s.contributors(id)
		if len(users) == 1 && e.passes(users[0]) {
			e.adjoint[id] = e.adjointRef(users[0].by)
			e.shares[users[0]] = true
			continue
		}
		if len(users) == 0 {
			continue
		}
		first, ok := e.first(users)
		if path := e.lender(id); ok && path != nil {
			e.adjoint[id], e.sets[first] = e.lenderAdjoint(path), true
			e.prog.overwrites = append(e.prog.overwrites, e.adjoint[id])
			for _, u := range path {
				e.shares[u] = true
			}
			continue
		}
		e.adjoint[id] = e.newTile(id)
		if ok {
			e.sets[first] = true
			continue
		}
		l.calls = append(l.calls, callSpec{verb: doClear, id: id, out: operandSpec{adj: e.adjoint[id]},
			sum: -1})
	}
}

// lender finds a received value that is used only in this sweep and whose adjoint equals a node's: the node's
// adjoint is then accumulated directly in the array of the received value. The value is an input of the node
// or, where the node passes its adjoint on to another one of the loop alone, of that one. The uses lead from
// the node to the value; there are none where there is no such value.
func (e *emitter) lender(id ID) []use {
	for k, p := range e.nodes[id].in {
		u := use{id, k}
		if !e.s.target || !e.passesAs(u) || !e.s.flows(id, k) || len(e.s.contributors(p)) != 1 {
			continue
		}
		switch n := &e.nodes[p]; {
		case n.kind == input && !e.early[p]:
			return []use{u}
		case e.s.closed[p] && e.s.inLoop(u):
			if path := e.lender(p); path != nil {
				return append([]use{u}, path...)
			}
		}
	}
	return nil
}

// lenderAdjoint is the adjoint of the received value to which the uses lead.
func (e *emitter) lenderAdjoint(path []use) ref {
	last := path[len(path)-1]
	return e.leafAdjoint(e.nodes[last.by].in[last.k])
}

// lend finds the outputs whose adjoint in the sweep of the target is equal to that of a received value, as
// where a party's density depends on the sum of its own cut and of what it receives: it is then stored once.
func (e *emitter) lend() {
	for id := range e.nodes {
		users := e.s.contributors(ID(id))
		if !e.s.closed[id] || !e.s.back[id] || len(users) == 0 || len(users) == 1 && e.passesAs(users[0]) {
			continue
		}
		path := e.lender(ID(id))
		if _, sets := e.first(users); !sets || path == nil {
			continue
		}
		for _, on := range path {
			for k, p := range e.nodes[on.by].in {
				u := use{on.by, k}
				if e.s.stop[p] && e.passesAs(u) && e.s.flows(u.by, k) && len(e.s.contributors(p)) == 1 {
					e.stored[p], e.equal[u] = e.lenderAdjoint(path), true
				}
			}
		}
	}
}

// passes reports whether a use may share its adjoint with the user.
func (e *emitter) passes(u use) bool { return e.passesAs(u) && e.adjointRef(u.by).space != nowhere }

// passesAs reports whether the adjoint of an operand equals the user's, column by column.
func (e *emitter) passesAs(u use) bool {
	by := &e.nodes[u.by]
	return by.op.passes != nil && by.op.passes(u.k) && by.links[u.k].rows && by.links[u.k].cols == nil
}

// first returns the use that contributes first to the adjoint of a node: that of the first term, else that of
// the last node, since the reverse runs backwards. It reports whether that use covers all columns, so that it
// may overwrite the tile.
func (e *emitter) first(users []use) (use, bool) {
	best := users[0]
	for _, u := range users[1:] {
		if e.earlier(u, best) {
			best = u
		}
	}
	l := &e.nodes[best.by].links[best.k]
	return best, l.rows && l.cols == nil
}

func (e *emitter) earlier(u, v use) bool {
	if u.by == v.by {
		return u.k < v.k
	}
	if a, b := e.nodes[u.by].kind == term, e.nodes[v.by].kind == term; a || b {
		return a && (!b || u.by < v.by)
	}
	return u.by > v.by
}

// termCall returns the step that evaluates a term.
func (e *emitter) termCall(id ID) callSpec {
	c := callSpec{verb: doForward, id: id, in: e.operands(id), sum: e.slot[id]}
	e.attachAdjoints(&c)
	return c
}

// attachAdjoints sets the references to the adjoints of a step's inputs and reports whether any of them is
// not shared.
func (e *emitter) attachAdjoints(c *callSpec) bool {
	any := false
	for k, p := range e.nodes[c.id].in {
		u := use{c.id, k}
		if e.s.flows(c.id, k) && !e.shares[u] && !e.equal[u] {
			c.in[k].adj, c.in[k].set = e.adjointRef(p), e.sets[u]
			any = true
		}
	}
	return any
}

// reverseCalls emits the vjps of nodes, last first.
func (e *emitter) reverseCalls(l *loopSpec, ids []ID) {
	for i := len(ids) - 1; i >= 0; i-- {
		id := ids[i]
		c := callSpec{verb: doReverse, id: id, in: e.operands(id),
			out: operandSpec{val: e.valueRef(id), adj: e.adjointRef(id)}, sum: -1}
		if e.nodes[id].bij != nil {
			c.mode = e.jacobianMode(id)
		}
		if e.attachAdjoints(&c) {
			l.calls = append(l.calls, c)
		}
	}
}

func (e *emitter) jacobianMode(id ID) jacobianMode {
	switch {
	case !e.s.target:
		return noJacobian
	case e.s.stop[id] || !e.s.reach[id]:
		return onlyJacobian
	}
	return withJacobian
}

// newTile allocates a tile for the columns of a node.
func (e *emitter) newTile(id ID) ref {
	r := ref{space: inTile, off: e.top, len: e.block * e.nodes[id].shape.cols(), stride: e.block}
	e.top += r.len
	return r
}

func (e *emitter) sumRef(id ID) ref { return ref{space: inSum, off: e.slot[id], len: 1} }

// valueRef is where a value is stored: nowhere if it is neither stored whole nor in a tile of this pass.
func (e *emitter) valueRef(id ID) ref {
	if t, ok := e.tiles[id]; ok {
		return t
	}
	return e.layout.valueRef(id)
}

// adjointRef is where an adjoint is accumulated.
func (e *emitter) adjointRef(id ID) ref {
	if r, ok := e.stored[id]; ok {
		return r
	}
	if r, ok := e.adjoint[id]; ok {
		return r
	}
	return e.layout.leafAdjoint(id)
}
