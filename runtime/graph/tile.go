package graph

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/spill"
)

// Blocks. A loop runs its rows block by block. A block is small enough that its values stay in the L1 cache
// between forward and reverse, and large enough that dispatch costs little. Its size depends on the graph
// only, hence so does the order of every sum.
const (
	tileBudget    = 3072 // numbers of one block: 24 KiB of the 32 or 48 of an L1 cache
	smallestBlock = 128
	largestBlock  = 512
	scratchLength = 2048 // numbers of a scratch vector
)

// blocksOf chooses the block size for each length of row loop.
func blocksOf(nodes []node) map[int]int {
	blocks := map[int]int{}
	for rows, columns := range touched(nodes) {
		blocks[rows] = blockOf(columns)
	}
	return blocks
}

// blockOf returns the power of two at which blocks of the given number of columns come nearest to the budget.
func blockOf(columns int) int {
	b := smallestBlock
	for b < largestBlock && 4*tileBudget >= 6*b*columns {
		b *= 2
	}
	return b
}

// step is how many rows of a loop are computed at a time: a block, or more where one step does all, since it
// goes from tile to tile without a pause.
func (l *loopSpec) step(g *Graph) int {
	if l.tileByTile(g) {
		return scratchLength
	}
	return l.block
}

// tileByTile reports whether one step does all, from tile to tile.
func (l *loopSpec) tileByTile(g *Graph) bool {
	return len(l.calls) == 1 && g.nodes[l.calls[0].id].op == opLinear
}

// touched counts the columns that the loops of each length use: two for each that they compute (value and
// adjoint), and one for each that they read from leaves.
func touched(nodes []node) map[int]int {
	columns := map[int]int{}
	seen := map[[2]int]bool{}
	for id := range nodes {
		n := &nodes[id]
		if !n.kind.loops() {
			continue
		}
		own := 0
		if n.kind == rowwise {
			own = 2 * n.shape.cols()
		}
		columns[n.frame] += own
		for k, p := range n.in {
			if key := [2]int{int(p), n.frame}; n.links[k].rows && nodes[p].leaf() && !seen[key] &&
				!n.streams(k) {
				seen[key] = true
				columns[n.frame] += nodes[p].shape.cols()
			}
		}
	}
	return columns
}

// tileConstants stores constant matrices in tile order, [block][column][row in the block], so that a pass
// over the rows reads memory from front to back: those that are longer than a block and only read row by row.
// The matrix of a linear predictor has tiles of the length and the form that package vector gives.
func (g *Graph) tileConstants() (err error) {
	for id := range g.nodes {
		if n := &g.nodes[id]; (n.op == opLinear || n.op == opLevels) && n.rows.signed {
			n.signs = vector.Signs(g.observations(n))
		}
	}
	l := &g.layout
	l.tiled = g.tileable()
	for _, list := range [][]ID{g.outputIDs, g.reportIDs} {
		for _, id := range list {
			l.tiled[id] = false
		}
	}
	for id, tiled := range l.tiled {
		if n := &g.nodes[id]; tiled {
			n.values, err = g.inTiles(n.values, n.shape.rows(), n.shape.cols(), l.blocks[n.shape.rows()])
			if err != nil {
				return err
			}
		}
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.op == opRuns || n.op == opSumRuns || n.op == opLevels {
			n.cutRuns(l.blocks[n.frame])
		}
		switch n.op {
		case opLinear:
			l.tiled[n.in[n.linear.x]], err = true, g.tileLinear(n)
		case opLevels:
			err = g.tileLevels(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// observations are those of a likelihood of one column.
func (g *Graph) observations(n *node) []float64 {
	column := 0
	if cols := n.links[0].cols; cols != nil {
		column = int(cols[0])
	}
	return g.nodes[n.in[0]].values[column*n.frame:][:n.frame]
}

// streams reports whether an input is read once from front to back, so that it needs no space in a cache.
func (n *node) streams(k int) bool { return (n.op == opLinear || n.op == opLevels) && k == n.linear.x }

func (g *Graph) tileable() []bool {
	l := &g.layout
	tiled := make([]bool, len(l.nodes))
	for id := range l.nodes {
		n := &l.nodes[id]
		tiled[id] = !g.seldom && n.kind == constant && n.shape.cols() > 1 &&
			n.shape.rows() > l.blocks[n.shape.rows()]
	}
	for id := range l.nodes {
		n := &l.nodes[id]
		for k, p := range n.in {
			if !n.kind.loops() || !n.links[k].rows || n.frame != l.nodes[p].shape.rows() || n.streams(k) {
				tiled[p] = false
			}
		}
	}
	return tiled
}

// inTiles returns a matrix in tile order, the last tile padded with zeros.
func (g *Graph) inTiles(values []float64, rows, cols, block int) ([]float64, error) {
	tiles := (rows + block - 1) / block
	out, err := g.storage.Floats(tiles*block*cols, 1)
	if err != nil {
		return nil, err
	}
	vector.OnHugePages(out)
	for t := range tiles {
		n := min(block, rows-t*block)
		for j := range cols {
			copy(out[(t*cols+j)*block:][:n], values[j*rows+t*block:])
		}
	}
	return out, nil
}

// leastDecimal is from how many bytes on a linear predictor's matrix of decimal fractions is stored as whole
// numbers: what the second cache holds of float64 is read faster as it is.
const leastDecimal = 1 << 20

// A matrix is that of a linear predictor in its tiles, in one of two forms.
type matrix struct {
	from     *node
	length   int       // of a tile
	stored   int       // columns
	numbers  []float64 // nil where there are decimals
	decimals vector.Decimals
}

// newMatrix prepares the matrix of a constant.
func newMatrix(from *node) *matrix {
	m, cols := &matrix{from: from}, from.shape.cols()
	if 8*len(from.values) >= leastDecimal {
		m.decimals, _ = vector.NewDecimals(from.values, from.shape.rows(), cols, from.standard)
	}
	m.length, m.stored = vector.TileLength(cols, m.decimals.Scale != nil), vector.Columns(cols)
	return m
}

// make makes so many tiles, all 0.
func (m *matrix) make(tiles int, in *spill.Storage) (err error) {
	n := tiles * m.length * m.stored
	if m.decimals.Scale != nil {
		m.decimals.Whole, err = in.Wholes(n)
		vector.OnHugePages(m.decimals.Whole)
		return err
	}
	m.numbers, err = in.Floats(n, 1)
	vector.OnHugePages(m.numbers)
	return err
}

// store stores some rows as a tile.
func (m *matrix) store(tile, row, rows int) {
	at, x := tile*m.length*m.stored, m.from.values[row:]
	if stride, cols := m.from.shape.rows(), m.from.shape.cols(); m.decimals.Whole != nil {
		m.decimals.Tile(m.decimals.Whole[at:], x, rows, stride, cols)
	} else {
		vector.Tile(m.numbers[at:], x, rows, stride, cols)
	}
}

// give puts the matrix in the place of the constant, of which the likelihood n is the only reader.
func (m *matrix) give(n *node) { m.from.values, n.decimals = m.numbers, m.decimals }

// tileLinear puts the matrix of a linear predictor in its tiles.
func (g *Graph) tileLinear(n *node) error {
	m := newMatrix(&g.nodes[n.in[n.linear.x]])
	rows := m.from.shape.rows()
	count := tiles(rows, m.length)
	if err := m.make(count, g.storage); err != nil {
		return err
	}
	for tile := range count {
		m.store(tile, tile*m.length, min(m.length, rows-tile*m.length))
	}
	m.give(n)
	return nil
}
