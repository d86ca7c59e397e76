package graph

// A Room is memory that Execs need during an evaluation only: the tiles of a block, scratch vectors, and zeros. Execs that run in turn in one goroutine may share one, which then stays in
// the caches from one to the next.
type Room struct {
	tile    []float64
	scratch [][]float64
	zeros   []float64 // read only
}

// NewRoom returns a Room that is enough for each of some graphs.
func NewRoom(graphs ...*Graph) *Room {
	tile, scratch, zeros := 0, 0, 0
	for _, g := range graphs {
		tile, scratch = max(tile, g.layout.tile), max(scratch, g.scratch)
		for _, o := range g.outputs {
			zeros = max(zeros, o.Len)
		}
	}
	return &Room{tile: make([]float64, tile), scratch: scratchVectors(scratch), zeros: make([]float64, zeros)}
}
