package graph

// Flat steps. Where the columns of a block follow each other in memory, an elementwise step treats them as
// one vector: one call of a vector function in place of one for each column. The sums of a density are then
// those of one long column.

// flatten makes a step flat where its operation and operands allow it.
func (c *call) flatten(l *loopSpec) {
	if l.global || !c.node.op.elements || c.width < 2 || l.block*c.width > scratchLength ||
		!c.out.dense(l.block) {
		return
	}
	for k := range c.in {
		if o := &c.in[k]; !(o.rows && o.cols == nil && o.dense(l.block)) &&
			!(c.node.kind == term && o.one()) {
			return
		}
	}
	c.each, c.run, c.flat = c.run, runFlat, l.block
}

// dense reports whether the columns of a block follow each other.
func (o *operand) dense(block int) bool {
	return (o.val.buf == nil || o.val.stride == block) && (o.adj.buf == nil || o.adj.stride == block)
}

// one reports whether an operand is one number for all columns.
func (o *operand) one() bool {
	for j := range o.cols {
		if o.cols[j] != o.cols[0] {
			return false
		}
	}
	return !o.rows && o.cols != nil
}

func runFlat(c *call) {
	if c.n < c.flat {
		c.each(c)
		return
	}
	rows, columns := c.n, c.width
	c.n, c.width = rows*columns, 1
	c.each(c)
	c.n, c.width = rows, columns
}

// eachColumn calls f with the number of elements and the column: for each column, or once for all where they
// follow each other in a full block of a tile.
func (c *call) eachColumn(f func(n, j int)) {
	if c.out.dense(c.n) {
		f(c.n*c.width, 0)
		return
	}
	for j := range c.width {
		f(c.n, j)
	}
}
