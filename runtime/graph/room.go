package graph

// A Room is memory that Execs need for a moment only: the tiles of a block, scratch vectors, the adjoints of
// Pull, and zeros. Execs that run in turn in one goroutine may share one, which then stays in the caches from
// one to the next.
type Room struct {
	tile    []float64
	scratch [][]float64
	pull    []float64 // from the writing of Exec.Seed to the end of Pull
	zeros   []float64 // read only
}

// NewRoom returns a Room that is enough for each of some graphs.
func NewRoom(graphs ...*Graph) *Room {
	tile, scratch, pull, zeros := 0, 0, 0, 0
	for _, g := range graphs {
		tile, scratch, pull = max(tile, g.layout.tile), max(scratch, g.scratch), max(pull, g.pull.adjoints)
		for _, o := range g.outputs {
			zeros = max(zeros, o.Len)
		}
	}
	return &Room{tile: make([]float64, tile), scratch: scratchVectors(scratch), pull: make([]float64, pull),
		zeros: make([]float64, zeros)}
}
