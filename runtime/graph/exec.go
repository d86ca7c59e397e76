package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// An Exec holds the arrays of one evaluation. Its methods allocate nothing. It is not safe for concurrent
// use; make one per chain.
//
// One evaluation is Forward, then Target, Pull, or both. Forward sets the adjoints (Grad and InputAdjoint) to
// zero; Target and Pull add to them. Target may be called again after the same Forward, with other values in
// the inputs that are not early: it then sets the adjoints to zero first, so that Grad holds the gradient of
// the last Target and of the Pulls after it. InputAdjoint of an input that is not early may be that of the
// Target before until the next one.
type Exec struct {
	g                     *Graph
	arrays                [inSum + 1][]float64
	adjoints              [2][]float64 // of the target and the pull
	forward, target, pull []loop
	reporting             [][]loop
	outputs, owns, seeds  [][]float64
	unseeded              [][]float64 // the parts of the pull's adjoints that are not seeds
	received              [][]float64 // the parts of the inputs' adjoints that Target adds to
	reports               [][]float64
	terms                 []float64
	scratch               [][]float64
	targeted              bool    // since the last Forward
	flat                  bool    // log-Jacobians are left out
	loaded                *loaded // nil where the data are those of the graph
	group                 *vector.Team
	systems               []*systemState // of Forward and Target
	blocks                map[ID]*def.Events
	kept                  map[ID][]float64 // what forward steps leave for reverse ones
}

// A loop is a loopSpec bound to the arrays of an Exec.
type loop struct {
	rows   int
	step   int // rows that are computed at a time
	global bool
	zero   [][]float64
	calls  []call
	frames []*call // the steps with a begin or an end
	narrow bool    // all steps are in their narrow form, which knows its rows
	split  *split  // nil where the loop is in one piece; the calls and frames are then empty
}

// NewExec returns an Exec whose inputs are all zero.
func (g *Graph) NewExec() *Exec { return g.NewExecIn(NewRoom(g)) }

// NewExecIn is NewExec with a Room that other Execs may use too.
func (g *Graph) NewExecIn(room *Room) *Exec {
	room.make()
	e := &Exec{g: g, terms: make([]float64, len(g.terms)), blocks: map[ID]*def.Events{},
		kept: map[ID][]float64{}}
	e.arrays[inX] = make([]float64, g.dim)
	e.arrays[inGrad] = make([]float64, g.dim)
	e.arrays[inInput] = make([]float64, g.held)
	e.arrays[inInputAdjoint] = make([]float64, g.held)
	e.arrays[inValue] = make([]float64, g.layout.values)
	e.arrays[inTile] = room.tile
	e.arrays[inSum] = make([]float64, len(g.parts))
	e.scratch = room.scratch
	e.adjoints = [2][]float64{make([]float64, g.target.adjoints), room.pull[:g.pull.adjoints]}
	e.forward = e.bind(&g.forward)
	for _, p := range g.reporting {
		e.reporting = append(e.reporting, e.bind(&p))
	}
	e.arrays[inAdjoint] = e.adjoints[0]
	e.target = e.bind(&g.target)
	e.systems = append(solving(e.forward), solving(e.target)...)
	for k, r := range g.own {
		own := e.view(r, nil).buf
		if r.space == nowhere {
			own = room.zeros[:g.outputs[k].Len]
		}
		e.owns = append(e.owns, own)
	}
	e.arrays[inAdjoint] = e.adjoints[1]
	e.pull = e.bind(&g.pull)
	for _, r := range g.seeds {
		e.seeds = append(e.seeds, e.view(r, nil).buf)
	}
	e.unseeded = without(e.adjoints[1], inAdjoint, g.seeds)
	e.received = without(e.arrays[inInputAdjoint], inInputAdjoint, g.target.overwrites)
	for _, id := range g.outputIDs {
		e.outputs = append(e.outputs, e.view(g.layout.valueRef(id), nil).buf)
	}
	for _, id := range g.reportIDs {
		e.reports = append(e.reports, e.view(g.layout.valueRef(id), nil).buf)
	}
	return e
}

// without returns the parts of the array of a space that none of the references is to.
func without(a []float64, of space, refs []ref) (out [][]float64) {
	taken := make([]bool, len(a))
	for _, r := range refs {
		for i := 0; r.space == of && i < r.len; i++ {
			taken[r.off+i] = true
		}
	}
	for i := 0; i < len(a); {
		j := i
		for j < len(a) && !taken[j] {
			j++
		}
		if j > i {
			out = append(out, a[i:j])
		}
		i = j + 1
	}
	return out
}

func scratchVectors(n int) [][]float64 {
	flat := make([]float64, n*scratchLength)
	s := make([][]float64, n)
	for i := range s {
		s[i] = flat[i*scratchLength:][:scratchLength]
	}
	return s
}

// bind makes the loops of a program, with the buffers that their steps read and write.
func (e *Exec) bind(p *program) []loop {
	loops := make([]loop, len(p.loops))
	for i := range p.loops {
		l := &p.loops[i]
		loops[i] = loop{rows: l.rows, step: l.step(e.g), global: l.global}
		for _, z := range joined(l.zero) {
			loops[i].zero = append(loops[i].zero, e.view(z, nil).buf)
		}
		if n := e.g.pieces(l); n > 1 {
			loops[i].split = e.split(l, n)
		} else {
			loops[i].calls, loops[i].frames = e.bindCalls(l,
				&site{tile: e.arrays[inTile], scratch: e.scratch})
			loops[i].narrow = !slices.ContainsFunc(loops[i].calls, func(c call) bool { return !c.settled })
		}
	}
	return loops
}

// joined returns references to the same memory, with neighbours as one.
func joined(refs []ref) (out []ref) {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b ref) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.off, b.off))
	})
	for _, r := range refs {
		if n := len(out) - 1; n >= 0 && out[n].space == r.space && out[n].off+out[n].len >= r.off {
			out[n].len = max(out[n].len, r.off+r.len-out[n].off)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// bindCalls makes the steps of a loop, and lists those with a begin or an end.
func (e *Exec) bindCalls(l *loopSpec, at *site) (calls []call, frames []*call) {
	calls = make([]call, len(l.calls))
	for j := range l.calls {
		c := &calls[j]
		e.bindCall(c, &l.calls[j], at)
		c.flatten(l, at, l.calls[j].verb)
		c.settled = c.narrow(l, l.calls[j].verb)
		if c.node.op == opActive && l.calls[j].verb == doReverse {
			c.own = at.room(l.block * c.width)
		}
		if l.calls[j].verb == doForward && c.node.op.begin != nil {
			frames = append(frames, c)
		}
	}
	return calls, frames
}

// room returns scratch memory for one step: the first scratch vector where it is long enough, since that is
// in a cache.
func (s *site) room(n int) []float64 {
	if n <= scratchLength {
		return s.scratch[0][:n]
	}
	return make([]float64, n)
}

func (e *Exec) bindCall(c *call, s *callSpec, at *site) {
	n := &e.g.nodes[s.id]
	*c = call{node: n, width: n.width, out: e.operand(s.out, at), mode: s.mode, scratch: at.scratch}
	if n.kind == reduction && s.verb == doForward {
		c.out.val = e.sumView(s.out.val, at)
	}
	for _, o := range s.in {
		in := e.operand(o, at)
		if !o.link.rows {
			in.adj = e.sumView(o.adj, at)
		}
		c.in = append(c.in, in)
	}
	if s.sum >= 0 {
		c.sum = &e.sumView(ref{space: inSum, off: s.sum, len: 1}, at).buf[0]
	}
	if s.verb == doReverse && n.events != nil {
		c.block = e.blocks[s.id] // which has what the values left
	}
	if s.verb == doReverse && n.op.keeps {
		c.own = e.kept[s.id]
	}
	c.hold()
	if s.verb == doForward && n.op.keeps {
		e.kept[s.id] = c.own
	}
	if s.verb == doForward && n.events != nil && e.blocks[s.id] == nil {
		e.blocks[s.id] = c.block
	}
	if n.rows != nil {
		c.sums = &rowSums{}
		if n.op == opLinear {
			c.sums.predictor.Predictor = vector.NewPredictor(e.g.nodes[n.in[n.linear.b]].shape.Len())
		}
		if n.op == opLevels {
			c.sums.predictor.Predictor = vector.NewPredictor(len(n.levels.columns))
		}
	}
	switch s.verb {
	case doForward:
		c.run = n.op.forward
	case doReverse:
		c.run = n.op.vjp
	case doClear:
		c.run = clearTile
	}
}

// clearTile sets an adjoint tile to zero.
func clearTile(c *call) { clear(c.out.adj.buf) }

func (e *Exec) operand(s operandSpec, at *site) operand {
	return operand{link: s.link, val: e.view(s.val, at), adj: e.view(s.adj, at), set: s.set}
}

// sumView binds a reference to what is added up over the rows.
func (e *Exec) sumView(r ref, at *site) view {
	if own, ok := at.sums[r.place()]; ok && r.space != nowhere {
		return view{buf: own, stride: r.stride, move: r.move}
	}
	return e.view(r, at)
}

// view binds a reference. The buffer has exactly the length of the reference. Tiles are those of the site.
func (e *Exec) view(r ref, at *site) view {
	switch r.space {
	case nowhere:
		return view{}
	case inConstant:
		return view{buf: e.g.nodes[r.id].values, stride: r.stride, move: r.move}
	case inTile:
		return view{buf: at.tile[r.off : r.off+r.len : r.off+r.len], stride: r.stride, move: r.move}
	}
	return view{buf: e.arrays[r.space][r.off : r.off+r.len : r.off+r.len], stride: r.stride, move: r.move}
}

func run(loops []loop) {
	for i := range loops {
		loops[i].run()
	}
}

// run makes one pass: all steps for a block of rows, then the next block.
func (l *loop) run() {
	for _, z := range l.zero {
		clear(z)
	}
	switch {
	case l.narrow:
		for i := range l.calls {
			c := &l.calls[i]
			c.run(c)
		}
		return
	case l.global:
		steps(l.calls, 0, l.rows)
		return
	case l.split != nil:
		l.split.run()
		return
	case l.step >= l.rows && len(l.frames) == 0:
		steps(l.calls, 0, l.rows)
		return
	}
	for _, c := range l.frames {
		c.node.op.begin(c)
	}
	for row := 0; row < l.rows; row += l.step {
		steps(l.calls, row, min(l.step, l.rows-row))
	}
	for _, c := range l.frames {
		c.node.op.end(c)
	}
}

// steps runs steps for n rows.
func steps(calls []call, row, n int) {
	for i := range calls {
		c := &calls[i]
		c.row, c.n = row, n
		c.run(c)
	}
}

// Input is the buffer of input k, to be filled before Forward if the input is early, else before Target.
func (e *Exec) Input(k int) []float64 { return inPort(e.arrays[inInput], e.g.inputs[k]) }

func inPort(a []float64, p Port) []float64 { return a[p.Offset : p.Offset+p.Len : p.Offset+p.Len] }

// Forward copies x, evaluates the outputs there, and sets the adjoints to zero.
func (e *Exec) Forward(x []float64) {
	if len(x) != e.g.dim {
		panic(fmt.Sprintf("graph: x has %d elements, not %d", len(x), e.g.dim))
	}
	copy(e.arrays[inX], x)
	e.clearAdjoints()
	e.targeted = false
	run(e.forward)
}

// again is Forward of a graph without parameters that leaves the adjoints of its inputs as they are.
func (e *Exec) again() { run(e.forward) }

func (e *Exec) clearAdjoints() {
	clear(e.arrays[inGrad])
	for _, a := range e.received {
		clear(a)
	}
}

// Output is the value of output k at the last Forward. It is overwritten by the next.
func (e *Exec) Output(k int) []float64 { return e.outputs[k] }

// Target evaluates the log density at the x of the last Forward and its reverse: gradients of the parameters
// and adjoints of the inputs are added to Grad and InputAdjoint, with the outputs held fixed; the derivatives
// in the outputs are stored in Own. A value that is not finite is returned as it is.
func (e *Exec) Target() float64 {
	if e.targeted {
		e.clearAdjoints()
	}
	e.targeted = true
	clear(e.adjoints[0])
	run(e.target)
	terms := e.terms
	clear(terms)
	for i, v := range e.arrays[inSum] {
		p := &e.g.parts[i]
		if e.flat && p.node != NoID && e.g.nodes[p.node].bij != nil {
			continue
		}
		terms[p.term] += v + p.value
	}
	lp := 0.0
	for _, v := range terms {
		lp += v
	}
	return lp
}

// Jacobian switches the log-Jacobians of bijectors in Target on or off. They are on in a new Exec.
func (e *Exec) Jacobian(on bool) {
	e.flat = !on
	for i := range e.target {
		countJacobians(e.target[i].calls, on)
		if s := e.target[i].split; s != nil {
			for k := range s.pieces {
				countJacobians(s.pieces[k].calls, on)
			}
		}
	}
}

func countJacobians(calls []call, on bool) {
	for j := range calls {
		if c := &calls[j]; c.node.bij != nil {
			c.mode = c.mode.counting(on)
		}
	}
}

// Own is the derivative of the last Target in output k, not to be written to.
func (e *Exec) Own(k int) []float64 { return e.owns[k] }

// Seed is where Pull begins from if the graph has one output, so that a seed which is written there need not
// be copied; nil where that is not so. A Pull with another seed overwrites it.
func (e *Exec) Seed() []float64 {
	if len(e.seeds) != 1 || e.g.seeds[0].space != inAdjoint {
		return nil
	}
	return e.seeds[0]
}

// Pull adds the gradients of Σ_k seeds[k]·output k to Grad and InputAdjoint. A nil seed is zero. It needs
// Forward, not Target.
func (e *Exec) Pull(seeds [][]float64) {
	if len(seeds) != len(e.seeds) {
		panic(fmt.Sprintf("graph: %d seeds for %d outputs", len(seeds), len(e.seeds)))
	}
	for _, a := range e.unseeded {
		clear(a)
	}
	for k, s := range seeds {
		switch to := e.seeds[k]; {
		case e.g.seeds[k].space == inAdjoint && s != nil:
			if len(s) > 0 && &s[0] != &to[0] {
				copy(to, s)
			}
		case e.g.seeds[k].space == inAdjoint:
			clear(to)
		case s != nil && to != nil:
			vector.Accumulate(len(to), to, s)
		}
	}
	run(e.pull)
}

// Grad is the gradient in x that has accumulated since Forward.
func (e *Exec) Grad() []float64 { return e.arrays[inGrad] }

// InputAdjoint is the derivative in input k that has accumulated since Forward.
func (e *Exec) InputAdjoint(k int) []float64 {
	return inPort(e.arrays[inInputAdjoint], e.g.inputs[k])
}

// Report computes report k from the x of the last Forward and the inputs.
func (e *Exec) Report(k int) []float64 {
	run(e.reporting[k])
	return e.reports[k]
}

// TermValues returns the value of each term in the last Target, in the order of Terms.
func (e *Exec) TermValues() []float64 { return e.terms }
