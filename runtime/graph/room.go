package graph

// A Room is memory that Execs need for a moment only: the tiles of a block, scratch vectors, the adjoints of
// Pull, and zeros. Execs that run in turn in one goroutine may share one, which then stays in the caches from
// one to the next. It is made with the first of them.
type Room struct {
	lengths struct{ tile, scratch, pull, zeros int }
	made    bool
	tile    []float64
	scratch [][]float64
	pull    []float64 // from the writing of Exec.Seed to the end of Pull
	zeros   []float64 // read only
}

// NewRoom returns a Room that is enough for each of some graphs.
func NewRoom(graphs ...*Graph) *Room {
	r := &Room{}
	n := &r.lengths
	for _, g := range graphs {
		n.tile, n.scratch, n.pull = max(n.tile, g.layout.tile), max(n.scratch, g.scratch),
			max(n.pull, g.pull.adjoints)
		for _, o := range g.outputs {
			n.zeros = max(n.zeros, o.Len)
		}
	}
	return r
}

// make makes the memory, unless there is some.
func (r *Room) make() {
	if n := &r.lengths; !r.made {
		r.tile, r.scratch, r.pull, r.zeros = make([]float64, n.tile), scratchVectors(n.scratch),
			make([]float64, n.pull), make([]float64, n.zeros)
	}
	r.made = true
}

// Rest drops the memory. Execs that have it keep it.
func (r *Room) Rest() { *r = Room{lengths: r.lengths} }
