package graph

import (
	"fmt"

	"github.com/vflc/vflc/runtime/vector"
)

// An Exec holds the arrays of one evaluation. Its methods allocate nothing. It is not safe for concurrent use; make one per chain.
//
// One evaluation is Forward, then Target, Pull, or both. Forward sets the adjoints (Grad and InputAdjoint) to zero; Target and Pull add to them. Target
// may be called again after the same Forward, with other values in the inputs that are not early: it then sets the adjoints to zero first, so
// that Grad holds the gradient of the last Target and of the Pulls after it.
type Exec struct {
	g                     *Graph
	arrays                [inSum + 1][]float64
	adjoints              [2][]float64 // of the target and the pull
	forward, target, pull []loop
	reporting             [][]loop
	outputs, owns, seeds  [][]float64
	unseeded              [][]float64 // the parts of the pull's adjoints that are not seeds
	reports               [][]float64
	terms                 []float64
	scratch               [][]float64
	targeted              bool    // since the last Forward
	flat                  bool    // log-Jacobians are left out
	loaded                *loaded // nil where the data are those of the graph
}

// A loop is a loopSpec bound to the arrays of an Exec.
type loop struct {
	rows   int
	block  int
	global bool
	zero   [][]float64
	calls  []call
	frames []*call // the steps with a begin or an end
}

// NewExec returns an Exec whose inputs are all zero.
func (g *Graph) NewExec() *Exec {
	e := &Exec{g: g, terms: make([]float64, len(g.terms))}
	e.arrays[inX] = make([]float64, g.dim)
	e.arrays[inGrad] = make([]float64, g.dim)
	e.arrays[inInput] = make([]float64, g.held)
	e.arrays[inInputAdjoint] = make([]float64, g.held)
	e.arrays[inValue] = make([]float64, g.layout.values)
	e.arrays[inTile] = make([]float64, g.layout.tile)
	e.arrays[inSum] = make([]float64, len(g.parts))
	e.scratch = scratchVectors(g.scratch)
	e.adjoints = [2][]float64{make([]float64, g.target.adjoints), make([]float64, g.pull.adjoints)}
	e.forward = e.bind(&g.forward)
	for _, p := range g.reporting {
		e.reporting = append(e.reporting, e.bind(&p))
	}
	e.arrays[inAdjoint] = e.adjoints[0]
	e.target = e.bind(&g.target)
	for _, r := range g.own {
		e.owns = append(e.owns, e.view(r).buf)
	}
	e.arrays[inAdjoint] = e.adjoints[1]
	e.pull = e.bind(&g.pull)
	for _, r := range g.seeds {
		e.seeds = append(e.seeds, e.view(r).buf)
	}
	e.unseeded = g.unseeded(e.adjoints[1])
	for _, id := range g.outputIDs {
		e.outputs = append(e.outputs, e.view(g.layout.valueRef(id)).buf)
	}
	for _, id := range g.reportIDs {
		e.reports = append(e.reports, e.view(g.layout.valueRef(id)).buf)
	}
	return e
}

// unseeded lists the parts of the pull's adjoints that no seed overwrites.
func (g *Graph) unseeded(a []float64) [][]float64 {
	seeded := make([]bool, len(a))
	for _, r := range g.seeds {
		for i := 0; r.space == inAdjoint && i < r.len; i++ {
			seeded[r.off+i] = true
		}
	}
	var out [][]float64
	for i := 0; i < len(a); {
		j := i
		for j < len(a) && !seeded[j] {
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
	for i, l := range p.loops {
		loops[i] = loop{rows: l.rows, block: l.block, global: l.global, calls: make([]call, len(l.calls))}
		for _, z := range l.zero {
			loops[i].zero = append(loops[i].zero, e.view(z).buf)
		}
		for j := range l.calls {
			c := &loops[i].calls[j]
			e.bindCall(c, &l.calls[j])
			c.flatten(&l)
			if c.node.op == opActive && l.calls[j].verb == doReverse {
				c.own = e.room(l.block * c.width)
			}
			if l.calls[j].verb == doForward && c.node.op.begin != nil {
				loops[i].frames = append(loops[i].frames, c)
			}
		}
	}
	return loops
}

// room returns scratch memory for one step: the first scratch vector where it is long enough, since that is in a cache.
func (e *Exec) room(n int) []float64 {
	if n <= scratchLength {
		return e.scratch[0][:n]
	}
	return make([]float64, n)
}

func (e *Exec) bindCall(c *call, s *callSpec) {
	n := &e.g.nodes[s.id]
	*c = call{node: n, width: n.width, out: e.operand(s.out), mode: s.mode, scratch: e.scratch}
	for _, o := range s.in {
		c.in = append(c.in, e.operand(o))
	}
	if s.sum >= 0 {
		c.sum = &e.arrays[inSum][s.sum]
	}
	c.hold()
	if n.rows != nil {
		c.sums = &rowSums{}
		if n.op == opLinear {
			c.sums.predictor = newLinearState(n, e.g)
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

func (e *Exec) operand(s operandSpec) operand {
	return operand{link: s.link, val: e.view(s.val), adj: e.view(s.adj), set: s.set}
}

// view binds a reference. The buffer has exactly the length of the reference.
func (e *Exec) view(r ref) view {
	switch r.space {
	case nowhere:
		return view{}
	case inConstant:
		return view{buf: e.g.nodes[r.id].values, stride: r.stride, move: r.move}
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
	if l.global {
		l.steps(0, l.rows)
		return
	}
	for _, c := range l.frames {
		c.node.op.begin(c)
	}
	for row := 0; row < l.rows; row += l.block {
		l.steps(row, min(l.block, l.rows-row))
	}
	for _, c := range l.frames {
		c.node.op.end(c)
	}
}

func (l *loop) steps(row, n int) {
	for i := range l.calls {
		c := &l.calls[i]
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

func (e *Exec) clearAdjoints() {
	clear(e.arrays[inGrad])
	clear(e.arrays[inInputAdjoint])
}

// Output is the value of output k at the last Forward. It is overwritten by the next.
func (e *Exec) Output(k int) []float64 { return e.outputs[k] }

// Target evaluates the log density at the x of the last Forward and its reverse: gradients of the parameters and adjoints of the inputs are added
// to Grad and InputAdjoint, with the outputs held fixed; the derivatives in the outputs are stored in Own. A value that is not finite is returned as it is.
func (e *Exec) Target() float64 {
	if e.targeted {
		e.clearAdjoints()
	}
	e.targeted = true
	clear(e.adjoints[0])
	run(e.target)
	clear(e.terms)
	for i, v := range e.arrays[inSum] {
		p := &e.g.parts[i]
		if e.flat && p.node != NoID && e.g.nodes[p.node].bij != nil {
			continue
		}
		e.terms[p.term] += v + p.value
	}
	lp := 0.0
	for _, v := range e.terms {
		lp += v
	}
	return lp
}

// Jacobian switches the log-Jacobians of bijectors in Target on or off. They are on in a new Exec.
func (e *Exec) Jacobian(on bool) {
	e.flat = !on
	for i := range e.target {
		for j := range e.target[i].calls {
			c := &e.target[i].calls[j]
			if c.node.bij != nil {
				c.mode = c.mode.counting(on)
			}
		}
	}
}

// Own is the derivative of the last Target in output k.
func (e *Exec) Own(k int) []float64 { return e.owns[k] }

// Pull adds the gradients of Σ_k seeds[k]·output k to Grad and InputAdjoint. A nil seed is zero. It needs Forward, not Target.
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
			copy(to, s)
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
