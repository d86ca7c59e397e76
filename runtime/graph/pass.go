package graph

// Passes. Chains that share a core each pass over the same data. Where these are so many that they come from
// the third cache or from memory, chains make their passes together, stretch by stretch: one chain's rows of
// a stretch, then those of the next one, which finds the data in the second cache. A stretch is part of a
// piece, of whole tiles, and begins where the step before ended: no sum is in another order.
const (
	manyData    = 2 << 20   // bytes of a pass that are worth waiting for other chains
	stretchData = 320 << 10 // bytes of a stretch, which the second cache holds with what is computed
	mostStretch = 4 << 20   // bytes of the shortest stretch there can be, beyond which it does not
	wholeTiles  = 32        // rows: of the longest tile of a linear predictor
)

// A pass is a loop in stretches. It implements workers.Job.
type pass struct {
	of        *split
	data      *loopSpec // what Execs of one graph have in common
	rows      int       // of a stretch
	stretches []stretch
}

// A stretch is some rows of a piece.
type stretch struct{ piece, from, to int }

// newPass returns nil for a loop with few data, or with rows that are too long.
func newPass(s *split, l *loopSpec) *pass {
	row, grain := l.data(s.e.g), l.block
	if l.tileByTile(s.e.g) {
		grain = wholeTiles
	}
	if row*l.rows < manyData || row*grain > mostStretch {
		return nil
	}
	return &pass{of: s, data: l, rows: max(1, stretchData/(row*grain)) * grain}
}

// divide cuts the pieces into stretches.
func (p *pass) divide() {
	for k := range p.of.pieces {
		s := &p.of.pieces[k]
		for row := s.from; row < s.to; row += p.rows {
			p.stretches = append(p.stretches, stretch{k, row, min(s.to, row+p.rows)})
		}
	}
}

// Part computes a stretch.
func (p *pass) Part(k int) {
	at := p.stretches[k]
	s := &p.of.pieces[at.piece]
	if at.from == s.from {
		s.begin()
	}
	s.rows(at.from, at.to, p.of.step)
}

// data is how many bytes of constants a row of a loop reads, which are the same for all Execs.
func (l *loopSpec) data(g *Graph) int {
	bytes := 0
	seen := map[ID]bool{}
	for i := range l.calls {
		n := &g.nodes[l.calls[i].id]
		for k, p := range n.in {
			if from := &g.nodes[p]; from.kind == constant && (n.links[k].rows || n.streams(k)) && !seen[p] {
				seen[p] = true
				each := 8
				if n.streams(k) && n.decimals.Whole != nil {
					each = 4
				}
				bytes += from.shape.cols() * each
			}
		}
	}
	return bytes
}

// Passes reports whether a loop of the value or the gradient reads so many data that chains on one core make
// it together.
func (e *Exec) Passes() bool {
	for _, loops := range [][]loop{e.forward, e.target, e.pull} {
		for i := range loops {
			if s := loops[i].split; s != nil && s.pass != nil && e.loaded == nil {
				return true
			}
		}
	}
	return false
}
