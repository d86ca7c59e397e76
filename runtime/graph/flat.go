package graph

import "github.com/vflc/vflc/runtime/vector"

// Flat steps. Where the columns of a block follow each other in memory, an elementwise step treats several of
// them as one vector: one call of a vector function in place of one for each column. An operand that is one
// column for all is repeated first, and what is added to its adjoint afterwards summed over the columns. The
// sums of a density are those of long columns.

// A flatStep is a step for some columns of a full block, with several of them as one.
type flatStep struct {
	call
	length int // of such a long column
	spread []spreadColumn
}

// A spreadColumn is an operand that is one column for all columns of a step.
type spreadColumn struct {
	one            operand
	value, adjoint []float64 // nil where the step does not read, or give, it
}

// flatten makes a step flat where its operation and operands allow it.
func (c *call) flatten(l *loopSpec, at *site, v verb) {
	if l.global || !c.node.op.elements || c.width < 2 || 2*l.block > scratchLength || !c.out.dense(l.block) {
		return
	}
	for k := range c.in {
		if o := &c.in[k]; !o.columns(l.block) && !o.one() && !(o.same() && c.spreads(l)) {
			return
		}
	}
	groups := (c.width*l.block-1)/(scratchLength/l.block*l.block) + 1
	columns := (c.width-1)/groups + 1
	for from := 0; from < c.width; {
		n := min(columns, c.width-from)
		times := (c.width - from) / n
		c.flat = append(c.flat, c.flatStep(l.block, from, n, times, at, v))
		from += n * times
	}
	c.each, c.run, c.full = c.run, runFlat, l.block
}

// spreads reports whether repeating columns is better than to compute with each: where they are short.
func (c *call) spreads(l *loopSpec) bool {
	return l.block <= smallestBlock && (c.node.op != opNormal || c.node.inverse == nil)
}

// columns reports whether an operand has a column for each of the step, and they follow each other.
func (o *operand) columns(block int) bool { return o.rows && o.cols == nil && o.dense(block) }

// dense reports whether the columns of a block follow each other.
func (o *operand) dense(block int) bool {
	return (o.val.buf == nil || o.val.stride == block) && (o.adj.buf == nil || o.adj.stride == block)
}

// one reports whether an operand is one number for all columns, and same whether it is one column.
func (o *operand) one() bool { return !o.rows && o.equal() }

func (o *operand) same() bool { return o.rows && o.equal() }

func (o *operand) equal() bool {
	for j := range o.cols {
		if o.cols[j] != o.cols[0] {
			return false
		}
	}
	return o.cols != nil
}

// flatStep is the step for n·times columns from one on, n of them as one.
func (c *call) flatStep(block, from, n, times int, at *site, v verb) flatStep {
	f := flatStep{call: *c, length: n * block}
	f.width, f.flat, f.in, f.n = times, nil, make([]operand, len(c.in)), n*block
	f.out = c.out.joined(from, n)
	for k := range c.in {
		switch o := &c.in[k]; {
		case o.columns(block):
			f.in[k] = o.joined(from, n)
		case o.one():
			f.in[k] = *o
			f.in[k].cols = o.cols[:times]
		default:
			f.in[k] = f.repeated(o, from == 0, c.reads(k, v), times, at)
		}
	}
	return f
}

// joined is an operand from a column on, with n columns as one.
func (o *operand) joined(from, n int) operand {
	out := *o
	for _, v := range []*view{&out.val, &out.adj} {
		if v.buf != nil {
			v.buf = v.buf[from*v.stride:]
			v.stride *= n
		}
	}
	return out
}

// reads reports whether a step reads the value of operand k.
func (c *call) reads(k int, v verb) bool {
	if v == doForward {
		return true
	}
	for i := range c.in {
		if c.wants(i) && c.node.op.needs != nil && c.node.op.needs(i)&inputs(k) != 0 {
			return true
		}
	}
	return false
}

// repeated adds an operand that is one column for all to those that are spread.
func (f *flatStep) repeated(o *operand, first, read bool, times int, at *site) operand {
	s, out := spreadColumn{one: *o}, operand{link: link{rows: true}, set: true}
	s.one.set = o.set && first
	slot := 2 * len(f.spread)
	if read && o.val.buf != nil {
		s.value = at.shared(slot, f.length)
		out.val = view{buf: s.value} // every long column is this one
	}
	if o.adj.buf != nil {
		s.adjoint = at.shared(slot+1, f.length*times)
		out.adj = view{buf: s.adjoint, stride: f.length}
	}
	f.spread = append(f.spread, s)
	return out
}

// shared is memory that a step has while it runs; k tells apart what one step has at a time.
func (s *site) shared(k, n int) []float64 {
	for len(s.lent) <= k {
		s.lent = append(s.lent, nil)
	}
	if len(s.lent[k]) < n {
		s.lent[k] = make([]float64, n)
	}
	return s.lent[k][:n:n]
}

func runFlat(c *call) {
	if c.n < c.full {
		c.each(c)
		return
	}
	for k := range c.flat {
		f := &c.flat[k]
		f.row = c.row
		for i := range f.spread {
			f.spread[i].repeat(c.row, c.n)
		}
		f.run(&f.call)
		for i := range f.spread {
			f.spread[i].sum(c.row, c.n)
		}
	}
}

// repeat fills the long column with the rows of the operand.
func (s *spreadColumn) repeat(row, n int) {
	if s.value == nil {
		return
	}
	copy(s.value, s.one.val.col(s.one.at(0), row)[:n])
	for done := n; done < len(s.value); done *= 2 {
		copy(s.value[done:], s.value[:done])
	}
}

// sum adds up the columns of the adjoint, in pairs.
func (s *spreadColumn) sum(row, n int) {
	if s.adjoint == nil {
		return
	}
	a := s.adjoint
	for left := len(a) / n; left > 1; {
		half := (left + 1) / 2
		vector.Accumulate((left-half)*n, a, a[half*n:])
		left = half
	}
	to := s.one.adj.col(s.one.at(0), row)
	if s.one.set {
		copy(to[:n], a)
	} else {
		vector.Accumulate(n, to, a)
	}
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
