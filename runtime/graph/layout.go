package graph

// A space is an array that an Exec owns, or the constants.
type space uint8

const (
	nowhere space = iota
	inConstant
	inX
	inGrad
	inInput
	inInputAdjoint
	inValue   // values that are stored whole
	inTile    // blocks of values and adjoints
	inAdjoint // adjoints that are stored whole, of one sweep
	inSum     // terms and log-Jacobians
)

// A ref is a view before it is bound to the arrays of an Exec.
type ref struct {
	space        space
	id           ID // of a constant
	off, len     int
	stride, move int
}

// An operandSpec is an operand before it is bound.
type operandSpec struct {
	link
	val, adj ref
	set      bool
}

// A verb is what a step does.
type verb uint8

const (
	doForward verb = iota
	doReverse
	doClear // an adjoint tile, out.adj
)

// A callSpec is one step of a loop.
type callSpec struct {
	verb verb
	id   ID
	in   []operandSpec
	out  operandSpec
	mode jacobianMode
	sum  int // slot in inSum, -1: none
}

// A loopSpec is one pass over rows, or one global node (one call with all rows).
type loopSpec struct {
	rows   int
	block  int
	global bool
	zero   []ref // cleared before the pass
	calls  []callSpec
}

// A program is a sweep ready to bind.
type program struct {
	loops      []loopSpec
	adjoints   int   // length of the sweep's adjoint array
	overwrites []ref // adjoints of received values that are set, not added to
}

// A layout is what the programs of a graph share.
type layout struct {
	nodes  []node
	blocks map[int]int // rows of a block, by length of loop
	tiled  []bool      // constants stored in tile order
	early  []bool      // nodes that outputs depend on
	whole  []bool      // nodes whose values are stored whole
	value  []int       // offset of a stored value
	slot   []int       // of a term or log-Jacobian in inSum, -1: none
	tile   int         // length of the longest tile array
	values int         // length of the stored values
}

// valueRef is where a value is stored whole, nowhere if it is not.
func (l *layout) valueRef(id ID) ref {
	n := &l.nodes[id]
	r := ref{len: n.shape.Len(), stride: n.shape.rows(), move: 1}
	switch {
	case n.kind == constant:
		r.space, r.id = inConstant, id
		if l.tiled[id] {
			r.stride, r.move = l.blocks[n.shape.rows()], n.shape.cols()
		}
	case n.kind == param:
		r.space, r.off = inX, n.offset
	case n.kind == input:
		r.space, r.off = inInput, n.offset
	case l.whole[id]:
		r.space, r.off = inValue, l.value[id]
	default:
		return ref{}
	}
	return r
}

// leafAdjoint is where the adjoint of a leaf is accumulated, nowhere for other nodes.
func (l *layout) leafAdjoint(id ID) ref {
	n := &l.nodes[id]
	r := ref{len: n.shape.Len(), stride: n.shape.rows(), move: 1, off: n.offset}
	switch n.kind {
	case param:
		r.space = inGrad
	case input:
		r.space = inInputAdjoint
	default:
		return ref{}
	}
	return r
}
