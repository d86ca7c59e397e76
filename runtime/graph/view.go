package graph

import "github.com/vflc/vflc/stdlib/def"

// A view is how a step reads or writes a value: column c of the rows from row begins at buf[c·stride +
// row·move]. For a whole array stride is its number of rows and move 1; for a tile stride is the block and
// move 0; for an array in tile order stride is the block and move the number of columns.
type view struct {
	buf          []float64
	stride, move int
}

// col returns column c from row on.
func (v *view) col(c, row int) []float64 { return v.buf[c*v.stride+row*v.move:] }

// An operand is an input or the output of a step: its value, and its adjoint where one is wanted (adj.buf is
// nil elsewhere).
type operand struct {
	link
	val, adj view
	set      bool // this contribution is the first to the adjoint tile and overwrites it
}

// at maps a column of the step to a column (row-aligned) or an element (whole) of the operand.
func (o *operand) at(j int) int {
	if o.cols == nil {
		return j
	}
	return int(o.cols[j])
}

// A call is one step of a loop bound to the buffers of one Exec. Before run, the loop sets row and n, the
// rows of the block.
type call struct {
	run     func(*call)
	each    func(*call) // of a flat step: runs the columns one by one
	flat    []flatStep  // runs those of a full block, of so many rows
	full    int
	own     []float64 // scratch memory of this step
	row, n  int
	width   int
	node    *node
	in      []operand
	out     operand
	mode    jacobianMode
	sum     *float64 // where a term's value or a bijector's log-Jacobian accumulates
	scratch [][]float64
	density *densityState
	recur   *recurState
	steps   *stepState
	system  *systemState
	sums    *rowSums // of a rowLikelihood
	block   *def.Events
	pivots  []int // of a linear system
	settled bool  // run is the narrow form, and row and n are set for good
}

// hold makes what the step keeps between evaluations, so that these allocate nothing.
func (c *call) hold() {
	n := c.node
	switch {
	case n.bij != nil && n.bij.whole != nil:
		c.own = make([]float64, n.bij.whole.room())
	case n.room > 0 && c.own == nil:
		c.own, c.pivots = make([]float64, n.room), make([]int, n.pivots)
	case n.events != nil && c.block == nil:
		c.block = n.events.block(n.shape.Len())
	case n.steps != nil:
		c.steps = newStepState(c)
	case n.recursion != nil:
		c.recur = newRecurState(n)
	case n.system != nil:
		c.system = newSystemState(n.system)
		c.own = make([]float64, len(c.system.times)*n.system.equations.States())
	case n.likely != nil:
		c.density = newDensityState(len(n.likely.dist.Params))
	}
}

// y is column j of the output.
func (c *call) y(j int) []float64 { return c.out.val.col(j, c.row) }

// dy is column j of the output's adjoint.
func (c *call) dy(j int) []float64 { return c.out.adj.col(j, c.row) }

// vec is column j of row-aligned operand k.
func (c *call) vec(k, j int) []float64 { o := &c.in[k]; return o.val.col(o.at(j), c.row) }

// num is the value of whole operand k for column j.
func (c *call) num(k, j int) float64 { o := &c.in[k]; return o.val.buf[o.at(j)] }

// dvec is the adjoint of row-aligned operand k for column j.
func (c *call) dvec(k, j int) []float64 { o := &c.in[k]; return o.adj.col(o.at(j), c.row) }

// dnum is the adjoint of whole operand k for column j.
func (c *call) dnum(k, j int) *float64 { o := &c.in[k]; return &o.adj.buf[o.at(j)] }

// wants reports whether operand k's adjoint is wanted.
func (c *call) wants(k int) bool { return c.in[k].adj.buf != nil }

// arg is operand k as an argument of a distribution's density.
func (c *call) arg(k, j int) def.BlockArg {
	if o := &c.in[k]; !o.rows {
		i := o.at(j)
		return def.BlockArg{V: o.val.buf[i : i+1]}
	}
	return def.BlockArg{V: c.vec(k, j)[:c.n], Step: 1}
}
