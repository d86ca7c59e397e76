package graph

import "github.com/vflc/vflc/runtime/vector"

// Blocks. The rows of a loop are run block by block. A block is small enough that what it touches stays in the L1 cache, so that the reverse
// finds there what the forward left, and large enough that dispatch costs little. It depends on the graph alone, hence so does the order of every sum.
const (
	tileBudget    = 3072 // numbers of one block: 24 KiB of the 32 or 48 of an L1 cache
	smallestBlock = 128
	largestBlock  = 512
	scratchLength = 2048 // numbers of a scratch vector
)

// blocksOf chooses the block of each length of row loop.
func blocksOf(nodes []node) map[int]int {
	blocks := map[int]int{}
	for rows, columns := range touched(nodes) {
		blocks[rows] = blockOf(columns)
	}
	return blocks
}

// blockOf is the power of two whose blocks of so many columns come nearest to the budget.
func blockOf(columns int) int {
	b := smallestBlock
	for b < largestBlock && 4*tileBudget >= 6*b*columns {
		b *= 2
	}
	return b
}

// touched counts the columns that the loops of each length touch: two for each that they make, its adjoint being the second, and those that
// they read from leaves.
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
			if key := [2]int{int(p), n.frame}; n.links[k].rows && nodes[p].leaf() && !seen[key] && !n.streams(k) {
				seen[key] = true
				columns[n.frame] += nodes[p].shape.cols()
			}
		}
	}
	return columns
}

// tileConstants stores constant matrices in tile order, [block][column][row in the block], so that a pass over the rows reads memory from
// front to back: those that are longer than a block and that nothing reads but by rows. The matrix of a linear predictor has tiles of its kernel's.
func (g *Graph) tileConstants() {
	l := &g.layout
	l.tiled = l.tileable()
	for _, list := range [][]ID{g.outputIDs, g.reportIDs} {
		for _, id := range list {
			l.tiled[id] = false
		}
	}
	for id, tiled := range l.tiled {
		if n := &g.nodes[id]; tiled {
			n.values = inTiles(n.values, n.shape.rows(), n.shape.cols(), l.blocks[n.shape.rows()])
		}
	}
	for id := range g.nodes {
		if n := &g.nodes[id]; n.op == opLinear {
			x := n.in[n.linear.x]
			m := &g.nodes[x]
			m.values = inTiles(m.values, m.shape.rows(), m.shape.cols(), vector.TileLength)
			l.tiled[x] = true
		}
	}
}

// streams reports whether an input is read once from front to back and needs no room in a cache.
func (n *node) streams(k int) bool { return n.op == opLinear && k == n.linear.x }

func (l *layout) tileable() []bool {
	tiled := make([]bool, len(l.nodes))
	for id := range l.nodes {
		n := &l.nodes[id]
		tiled[id] = n.kind == constant && n.shape.cols() > 1 && n.shape.rows() > l.blocks[n.shape.rows()]
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

// inTiles returns a matrix in tile order, the last tile filled up with zeros.
func inTiles(values []float64, rows, cols, block int) []float64 {
	tiles := (rows + block - 1) / block
	out := make([]float64, tiles*block*cols)
	for t := range tiles {
		n := min(block, rows-t*block)
		for j := range cols {
			copy(out[(t*cols+j)*block:][:n], values[j*rows+t*block:])
		}
	}
	return out
}
