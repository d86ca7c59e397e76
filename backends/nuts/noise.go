package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// noise is a party's standard normal noise e of sums to which several parties send, z = g + ρe. Whatever the data say of such a sum, the directions of its noise in which parties' shares cancel keep variance 1:
// inverse masses of 1 are as good as any, and nothing is stored of them. Steps turn around a normal distribution of variance 1, and what such a step reads of the gradient ρ·adj − e is ρ·(adj − mean of adj) alone: adj,
// the adjoint of the sum, is one vector for all its parties where the response is at the server. So the gradient of e is not stored, nor v of a reference.
type noise struct {
	pieces []noisePiece
	len    int
}

// A noisePiece is the noise of one cut.
type noisePiece struct {
	cut   density.Cut
	at    int // where its coordinates begin
	slope *slope
	owns  bool // it writes the adjoint, and no other piece of this process does
}

func (p *noisePiece) of(v []float64) []float64 { return v[p.at : p.at+p.cut.Len()] }

// A slope is where the adjoint of a sum stands in a vector of adjoints, and what is known of it: with mean m of the adjoint the coordinates of a normal target of variance 1 have mean ρm.
type slope struct {
	at                     int
	mean                   []float64 // 0 where there is no estimate
	foreground, background *adapt.Moments
}

func (s *slope) of(adjoints []float64) []float64 { return adjoints[s.at : s.at+len(s.mean)] }

// leastMembers is the least number of members of a sum whose noise has unit masses. With fewer it is under an estimated metric: where a party's noise is all that there is, data may determine each of its coordinates in a different degree.
const leastMembers = 2

// unit reports whether the noise of a cut has unit masses.
func unit(c density.Cut, s backends.Settings) bool {
	return c.Members >= leastMembers && learnsFisher(s) && !s.Bool(centered) && !s.Bool(collapseAux)
}

// newNoises returns the noise of every block of this process, and the length of a vector of adjoints. Where likelihoods are at the server all members of a sum have one adjoint.
func newNoises(blocks []density.Block, s backends.Settings) (all []noise, adjoints int) {
	all = make([]noise, len(blocks))
	common := map[int]*slope{}
	for b, block := range blocks {
		n := &all[b]
		for _, c := range block.Cuts() {
			if !unit(c, s) {
				continue
			}
			by := common[c.Group]
			owns := by == nil || !s.Transform.Augmented()
			if owns {
				by = &slope{at: adjoints, mean: make([]float64, c.Len()), foreground: adapt.NewMoments(c.Len()), background: adapt.NewMoments(c.Len())}
				adjoints += lines(c.Len())
				common[c.Group] = by
			}
			n.pieces = append(n.pieces, noisePiece{cut: c, at: n.len, slope: by, owns: owns})
			n.len += c.Len()
		}
	}
	return all, adjoints
}

// value sets z, and returns the log density of block b's noise: of a point, or of the next state of a step, to which it goes before. Both in one pass over the coordinates.
func (n *noise) value(b int, m *move, g, z []float64) float64 {
	if n.len == 0 {
		return 0
	}
	squares := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		g, z, x1, c := span(g, p.cut), span(z, p.cut), p.of(m.next.q.noise[b]), p.cut
		if !m.turning {
			squares += vector.Noise(len(z), z, g, x1, c.Rho)
			continue
		}
		by := m.by
		squares += vector.NoiseStart(len(z), p.of(m.half.noise[b]), x1, z, p.of(m.p.noise[b]), p.of(m.from.q.noise[b]), p.slope.of(m.from.g.adjoints), p.slope.mean, g, c.Rho, float64(0.5*by.eps*c.Rho), by.less, by.cos, by.sin)
	}
	return float64(-0.5*squares) - float64(float64(n.len)*halfLog2Pi)
}

// place sets z at coordinates e.
func (n *noise) place(e, g, z []float64) {
	for i := range n.pieces {
		p := &n.pieces[i]
		vector.Noise(p.cut.Len(), span(z, p.cut), span(g, p.cut), p.of(e), p.cut.Rho)
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

// kick is the second half of a step of block b, whose momentum is half. It returns the sum of squares of the momentum.
func (n *noise) kick(b int, m *move) float64 {
	twice := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		half := p.of(m.half.noise[b])
		twice += vector.NoiseEnd(len(half), half, half, p.slope.of(m.next.g.adjoints), p.slope.mean, float64(0.5*m.by.eps*p.cut.Rho))
	}
	return twice
}

// criterion sets block b of sum as metric.criterion does, and adds to out.
func (n *noise) criterion(b int, out *[perCriterion]float64, sum *jointVector, l, r subtree) {
	if n.len == 0 {
		return
	}
	to, p1, p2 := sum.noise[b], l.last.noise[b], r.first.noise[b]
	if l.first == l.last && r.first == r.last {
		vector.UnitPairTurns(n.len, out, to, p1, p2)
		return
	}
	vector.UnitTurns(n.len, out, to, l.sum.noise[b], r.sum.noise[b], l.first.noise[b], p1, p2, r.last.noise[b])
}

// draw draws the momentum p of block b's noise, and returns its sum of squares.
func (n *noise) draw(p []float64, from density.Stream) float64 {
	if n.len == 0 {
		return 0
	}
	from.FillNormals(p)
	return vector.Dot(len(p), p, p)
}

// squares is the squared length of the gradient at a point.
func (n *noise) squares(e, adjoints []float64) float64 {
	sum := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		e := p.of(e)
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
	for i := range n.pieces {
		p := &n.pieces[i]
		switch {
		case !p.owns:
		case around && allFinite(p.slope.foreground.Mean):
			copy(p.slope.mean, p.slope.foreground.Mean)
		default:
			clear(p.slope.mean)
		}
	}
}

// state carries a party's noise at a point and the slopes that it owns.
func (n *noise) state(c *checkpoint.Codec, e, adjoints []float64) {
	if n.len == 0 {
		return
	}
	c.Floats(e)
	n.each(func(s *slope) {
		c.Floats(s.of(adjoints))
		c.Floats(s.mean)
		for _, m := range []*adapt.Moments{s.foreground, s.background} {
			c.Ints(&m.N)
			c.Floats(m.Mean)
			c.Floats(m.Squares)
		}
	})
}
