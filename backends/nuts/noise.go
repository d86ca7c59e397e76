package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// noise is a party's standard normal noise e of sums to which several parties send, z = g + ρe. The data
// inform about the sum; directions of the noise in which the parties' shares cancel keep variance 1: inverse
// masses are 1 and are not stored. Steps turn around a normal distribution of variance 1, so that of the
// gradient ρ·adj − e a step needs ρ·(adj − mean of adj) alone: adj, the adjoint of the sum, is one vector for
// all its parties. So the gradient of e is not stored, nor v of a reference.
type noise struct {
	pieces    []noisePiece
	from, len int // its coordinates in a vector of those of all parties
}

// A noisePiece is the noise of one cut.
type noisePiece struct {
	cut   density.Cut
	at    int // where its coordinates begin in a vector of those of all parties
	slope *slope
	owns  bool // it writes the adjoint, and no other piece of this process does
}

func (p *noisePiece) of(v *jointVector) []float64 { return v.noise[p.at : p.at+p.cut.Len()] }

func (n *noise) of(v *jointVector) []float64 { return v.noise[n.from : n.from+n.len] }

// A slope is where the adjoint of a sum stands in a vector of adjoints, and what is known of it: with mean m
// of the adjoint the coordinates of a normal target of variance 1 have mean ρm.
type slope struct {
	at                     int
	mean                   []float64 // 0 where there is no estimate
	foreground, background *moments
}

func (s *slope) of(adjoints []float64) []float64 { return adjoints[s.at : s.at+len(s.mean)] }

// leastMembers is the least number of members of a sum whose noise has unit masses. With fewer it is under an
// estimated metric: where a party's noise is all that there is, data may determine each of its coordinates in
// a different degree.
const leastMembers = 2

// unit reports whether the noise of a cut has unit masses. Under the power likelihood each client has a
// likelihood of its own, in which its own noise has no part, so that members of a sum have different
// adjoints.
func unit(c density.Cut, s backends.Settings) bool {
	return c.Members >= leastMembers && s.Transform.Augmented() && warmsAlone(s)
}

// newNoises returns the noise of every block of this process, and the slopes of its sums, which all members
// of a sum share.
func newNoises(blocks []density.Block, s backends.Settings) (all []noise, slopes []*slope) {
	all = make([]noise, len(blocks))
	common := map[int]*slope{} // by group
	from, adjoints := 0, 0
	for b, block := range blocks {
		n := &all[b]
		n.from = from
		for _, c := range block.Cuts() {
			if !unit(c, s) {
				continue
			}
			by := common[c.Group]
			owns := by == nil
			if owns {
				by = &slope{
					at: adjoints, mean: make([]float64, c.Len()), foreground: newMoments(c.Len()),
					background: newMoments(c.Len()),
				}
				adjoints += lines(c.Len())
				common[c.Group] = by
				slopes = append(slopes, by)
			}
			n.pieces = append(n.pieces, noisePiece{cut: c, at: from + n.len, slope: by, owns: owns})
			n.len += c.Len()
		}
		from += lines(n.len)
	}
	return all, slopes
}

// adjointsOf is the length of a vector of the adjoints of slopes.
func adjointsOf(slopes []*slope) int {
	if len(slopes) == 0 {
		return 0
	}
	last := slopes[len(slopes)-1]
	return last.at + lines(len(last.mean))
}

// value sets z, and returns the log density of the noise: of a point, or of the next state of a step, to
// which it goes before. Both in one pass over the coordinates.
func (n *noise) value(m *move, g, z []float64) float64 {
	if n.len == 0 {
		return 0
	}
	squares := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		g, z, x1, c := span(g, p.cut), span(z, p.cut), p.of(m.next.q), p.cut
		if !m.turning {
			squares += vector.Noise(len(z), z, g, x1, c.Rho)
			continue
		}
		squares += vector.NoiseStart(len(z), p.of(m.half), x1, z, p.of(m.p), p.of(m.from.q),
			p.slope.of(m.from.g.adjoints), p.slope.mean, g, c.Rho, float64(0.5*m.by.eps*c.Rho), m.by.less,
			m.by.cos, m.by.sin)
	}
	return float64(-0.5*squares) - float64(float64(n.len)*halfLog2Pi)
}

// place sets z at coordinates q.
func (n *noise) place(q *jointVector, g, z []float64) {
	for i := range n.pieces {
		p := &n.pieces[i]
		vector.Noise(p.cut.Len(), span(z, p.cut), span(g, p.cut), p.of(q), p.cut.Rho)
	}
}

// adjoint sets the seeds w on the cuts, and keeps the adjoints of sums.
func (n *noise) adjoint(adjoints, adj, own, w []float64) {
	for i := range n.pieces {
		p := &n.pieces[i]
		a, w := span(adj, p.cut), span(w, p.cut)
		if p.owns {
			copy(p.slope.of(adjoints), a)
		}
		vector.Add(len(w), w, a, span(own, p.cut))
	}
}

// kick is the second half of a step, whose momentum is half. It returns the sum of squares of the momentum.
func (n *noise) kick(m *move) float64 {
	twice := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		half := p.of(m.half)
		twice += vector.NoiseEnd(len(half), half, half, p.slope.of(m.next.g.adjoints), p.slope.mean,
			float64(0.5*m.by.eps*p.cut.Rho))
	}
	return twice
}

// criterion sets its part of sum as metric.criterion does, and adds to out.
func (n *noise) criterion(out *[perCriterion]float64, sum *jointVector, l, r subtree) {
	if n.len == 0 {
		return
	}
	to, p1, p2 := n.of(sum), n.of(l.last), n.of(r.first)
	if l.first == l.last && r.first == r.last {
		vector.UnitPairTurns(n.len, out, to, p1, p2)
		return
	}
	vector.UnitTurns(n.len, out, to, n.of(l.sum), n.of(r.sum), n.of(l.first), p1, p2, n.of(r.last))
}

// draw draws its part of a momentum, and returns its sum of squares.
func (n *noise) draw(momentum *jointVector, from density.Stream) float64 {
	if n.len == 0 {
		return 0
	}
	p := n.of(momentum)
	from.FillNormals(p)
	return vector.Dot(len(p), p, p)
}

// squares is the squared length of the gradient at a point.
func (n *noise) squares(q *jointVector, adjoints []float64) float64 {
	sum := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		e := p.of(q)
		for i, a := range p.slope.of(adjoints) {
			g := float64(p.cut.Rho*a) - e[i]
			sum += float64(g * g)
		}
	}
	return sum
}

// each does something for every slope that this party owns.
func (n *noise) each(do func(*slope)) {
	for i := range n.pieces {
		if p := &n.pieces[i]; p.owns {
			do(p.slope)
		}
	}
}

// learn includes the adjoints at a draw in the estimates.
func (n *noise) learn(adjoints []float64) {
	for i := range n.pieces {
		if p := &n.pieces[i]; p.owns {
			a := p.slope.of(adjoints)
			p.slope.foreground.Add(a)
			p.slope.background.Add(a)
		}
	}
}

// reset forgets all draws.
func (n *noise) reset() {
	n.each(func(s *slope) {
		s.foreground.Reset()
		s.background.Reset()
	})
}

// replace makes the newer of both estimates the one in use.
func (n *noise) replace() {
	n.each(func(s *slope) {
		s.foreground, s.background = s.background, s.foreground
		s.background.Reset()
	})
}

// recentre sets the means to those of the estimates where around is true, else to 0.
func (n *noise) recentre(around bool) {
	n.each(func(s *slope) {
		if around && allFinite(s.foreground.Mean) {
			copy(s.mean, s.foreground.Mean)
		} else {
			clear(s.mean)
		}
	})
}

// state carries a party's noise at a point and the slopes that it owns.
func (n *noise) state(c *backends.Codec, q *jointVector, adjoints []float64) {
	if n.len == 0 {
		return
	}
	c.Floats(n.of(q))
	n.each(func(s *slope) {
		c.Floats(s.of(adjoints))
		c.Floats(s.mean)
		for _, m := range []*moments{s.foreground, s.background} {
			c.Ints(&m.N)
			c.Floats(m.Mean)
			c.Floats(m.Squares)
		}
	})
}
