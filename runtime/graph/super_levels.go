package graph

import (
	"slices"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A levelPart is the linear predictor of rows that are sorted by level: Σ x_j·b_j over the columns of a
// constant matrix, and Σ b over the intercepts.
type levelPart struct {
	columns    []coefficient
	intercepts []coefficient
}

// A coefficient is an element of one of the inputs of a likelihood: at an offset, to which the level of the
// row is added where it differs by level. It is 1 where in is 0.
type coefficient struct {
	in, at  int
	byLevel bool
}

// element is the coefficient's position in its input for rows of one level.
func (b *coefficient) element(level int32) int {
	if b.byLevel {
		return b.at + int(level)
	}
	return b.at
}

// opLevels is a likelihood of rows, sorted by level, whose predictor is linear with coefficients that differ
// by level. Within a run of equal levels it is that of opLinear: nothing is gathered, and the adjoint of a
// level's coefficients is one product. X has the tiles of a Predictor, begun anew with each run.
var opLevels = &op{
	name: "fused",
	doc: "a log density of rows sorted by level, with a linear predictor whose coefficients differ by " +
		"level, value and partials in one step", least: 1,
	infer:   inferDensity,
	begin:   func(c *call) { c.node.rows.begin(c.sums) },
	forward: runLevels,
	end:     endRows,
	vjp:     func(*call) {}, // done in forward
}

func runLevels(c *call) {
	n, p, row, rows := c.node, &c.sums.predictor, c.row, c.n
	block := row / n.runBlock
	length := vector.TileLength(len(p.B), n.decimals.Whole != nil)
	if block == 0 || block != p.block {
		p.tile = n.tilesBefore(block, length)
	}
	p.Decimals, p.D = n.decimals, c.scratch[0]
	for _, run := range n.runs[block] {
		p.C = 0
		for i := range n.levels.intercepts {
			p.C += c.coefficient(&n.levels.intercepts[i], run.Of)
		}
		for j := range n.levels.columns {
			p.SetB(j, c.coefficient(&n.levels.columns[j], run.Of))
		}
		clear(p.Gradient)
		p.moveTo(c, p.tile*length)
		c.row, c.n = row+int(run.Lo), int(run.Hi-run.Lo)
		n.rows.linear(c, &p.Predictor)
		for j := range n.levels.columns {
			c.giveCoefficient(&n.levels.columns[j], run.Of, j)
		}
		for i := range n.levels.intercepts {
			c.giveCoefficient(&n.levels.intercepts[i], run.Of, len(p.B))
		}
		p.tile += tiles(c.n, length)
	}
	p.block, c.row, c.n = block+1, row, rows
}

// tilesBefore is how many tiles of a length the runs before a block have.
func (n *node) tilesBefore(block, length int) (sum int) {
	for _, runs := range n.runs[:block] {
		for _, r := range runs {
			sum += tiles(int(r.Hi-r.Lo), length)
		}
	}
	return sum
}

func (c *call) coefficient(b *coefficient, level int32) float64 {
	if b.in == 0 {
		return 1
	}
	return c.in[b.in].val.buf[b.element(level)]
}

// giveCoefficient adds the sum of a column of the gradient to the adjoint of a coefficient.
func (c *call) giveCoefficient(b *coefficient, level int32, column int) {
	if b.in > 0 && c.wants(b.in) {
		c.in[b.in].adj.buf[b.element(level)] += float64(c.node.power * c.sums.predictor.Sum(column))
	}
}

// tiles is how many tiles of a length hold some rows.
func tiles(rows, length int) int { return (rows + length - 1) / length }

// fewestRows is the average length of runs from which one likelihood for each is faster than gathering.
const fewestRows = 32

// rewriteLevels fuses a likelihood with a predictor that is linear in coefficients by level, where the rows
// are sorted by level and the runs are long.
var rewriteLevels = rewrite{"levels", func(g *Graph, id ID) {
	n := &g.nodes[id]
	r := n.rows
	if g.normalRow(n) {
		r = linearNormal
	}
	if r == nil || r.linear == nil || n.width != 1 || n.links[n.predictor()].cols != nil {
		return
	}
	at := n.predictor()
	s := levelSum{g: g, node: &node{in: slices.Clone(n.in), links: slices.Clone(n.links)}}
	if !s.collect(n.in[at], n.links[at]) || s.index == nil || len(s.part.columns) == 0 ||
		len(s.x) != len(s.part.columns)*n.frame || !runsAreLong(s.index) {
		return
	}
	// in the place of the predictor, which nothing else reads
	g.nodes[n.in[at]] = node{kind: constant, name: "columns", shape: Shape{n.frame, len(s.part.columns)},
		values: s.x, made: s.made}
	n.op, n.rows, n.in, n.links, n.index, n.levels = opLevels, r, s.node.in, s.node.links, s.index, &s.part
	n.linear.x = at
}}

// runsAreLong reports whether the runs of equal levels are long on average, also where blocks cut them. Their
// tiles are then at most twice those of all rows together.
func runsAreLong(index []int32) bool {
	runs := (len(index) + smallestBlock - 1) / smallestBlock
	for i, k := range index {
		if i == 0 || k != index[i-1] {
			runs++
		}
	}
	return runs*fewestRows <= len(index)
}

// A levelSum gathers the summands of a predictor.
type levelSum struct {
	g     *Graph
	node  *node // has the inputs of the likelihood
	part  levelPart
	x     []float64
	made  []def.Rescaling // of the columns of x
	index []int32
}

// collect splits a summand, read as link says, into its parts. It reports whether all of them are known.
func (s *levelSum) collect(id ID, l link) bool {
	n := &s.g.nodes[id]
	switch {
	case l.cols != nil && l.rows:
		return false
	case !l.rows:
		if n.shape.Len() != 1 {
			return false
		}
		s.part.intercepts = append(s.part.intercepts, coefficient{in: s.input(id)})
		return true
	case n.kind == constant:
		s.column(n, coefficient{})
		return len(n.shape) == 1
	case s.g.uses(id) > 1:
		return false
	}
	switch n.op {
	case opAdd:
		return s.collect(n.in[0], n.links[0]) && s.collect(n.in[1], n.links[1])
	case opRuns:
		if n.width != 1 || !s.levels(n) {
			return false
		}
		s.part.intercepts = append(s.part.intercepts, coefficient{in: s.input(n.in[0]), byLevel: true})
		return true
	case opRowDot, opMul:
		for k := range 2 {
			x, table := &s.g.nodes[n.in[k]], &s.g.nodes[n.in[1-k]]
			if x.kind == constant && table.op == opRuns && s.g.uses(n.in[1-k]) == 1 &&
				table.shape.equal(x.shape) && n.links[k].rows && n.links[1-k].rows &&
				n.links[k].cols == nil && n.links[1-k].cols == nil &&
				(n.op == opRowDot || n.width == 1) && s.levels(table) {
				s.columns(x, table)
				return true
			}
		}
	}
	return false
}

// levels reports whether a gather is by the levels of the others.
func (s *levelSum) levels(n *node) bool {
	if s.index == nil {
		s.index = n.index
	}
	return slices.Equal(s.index, n.index)
}

// columns adds those of a constant, times the columns of a table.
func (s *levelSum) columns(x, table *node) {
	in := s.input(table.in[0])
	levels := s.g.nodes[table.in[0]].shape.Len() / table.width
	for j := range table.width {
		s.part.columns = append(s.part.columns, coefficient{in: in, at: j * levels, byLevel: true})
	}
	s.x, s.made = append(s.x, x.values...), append(s.made, x.makings()...)
}

// column adds a constant column times one number.
func (s *levelSum) column(x *node, b coefficient) {
	s.part.columns = append(s.part.columns, b)
	s.x, s.made = append(s.x, x.values...), append(s.made, x.makings()...)
}

// input adds a whole value to the inputs.
func (s *levelSum) input(id ID) int {
	s.node.in, s.node.links = append(s.node.in, id), append(s.node.links, link{})
	return len(s.node.in) - 1
}

// equal reports whether two predictors have the same form.
func (p *levelPart) equal(q *levelPart) bool {
	return p == q || p != nil && q != nil && slices.Equal(p.columns, q.columns) &&
		slices.Equal(p.intercepts, q.intercepts)
}

// tileLevels puts the matrix of a predictor in tiles that begin anew with each run. Its length does not
// depend on the levels.
func (g *Graph) tileLevels(n *node) error {
	m, tile := newMatrix(&g.nodes[n.in[n.linear.x]]), 0
	if err := m.make(2*tiles(m.from.shape.rows(), m.length), g.storage); err != nil {
		return err
	}
	for b, runs := range n.runs {
		for _, r := range runs {
			for lo := r.Lo; lo < r.Hi; lo += int32(m.length) {
				m.store(tile, b*n.runBlock+int(lo), min(m.length, int(r.Hi-lo)))
				tile++
			}
		}
	}
	m.give(n)
	return nil
}
