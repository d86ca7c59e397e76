package attack

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	vec "github.com/vflc/vflc/runtime/vector"
)

// steps are points of trajectories, in evaluations of a sum over clients: its total, and the adjoint that was
// answered. A total lies in the span of all clients' columns, which a few of them show, so each evaluation is
// kept as the coordinates of both in a basis of that span. The chain's steps are in them (separate.go). A
// total with noise does not: there points are kept whole until they show the span (noise.go).
type steps struct {
	group int
	rows  int
	basis []float64 // orthonormal columns, one after another
	rank  int
	idle  int      // totals since a direction was added
	seen  int      // points of trajectories
	noisy bool     // the totals have noise
	short bool     // each contribution is rounded to a grid (rounded.go)
	law   noiseLaw // of it, where the basis is known
	off   bool     // the totals have no small span, or none is found
	parts float64  // contributions that a total is of
	// entries: the header of an evaluation, the coordinates of its total, and those of its adjoint
	kept  []float64
	next  int       // the entry to be written next; once there is no room, the oldest one
	full  bool      // all entries have been written
	newer []float64 // the entry of the newest evaluation, whose adjoint is not known yet
	due   bool      // it is to be kept
	rest  []float64
}

// Of every so many trajectories some in a row are kept: one begins at a point of the one before. Those with
// noise are kept all, since it takes five points in a row, and those with rounding, which averages out.
const (
	runEvery  = 16
	runLength = 8
)

// header is how many numbers of an entry are its place, and the variance of its total's elements by rounding.
const header = 4

// Bounds of memory, in numbers: of a basis, and of the entries.
const (
	mostRank  = 128
	mostBasis = 1 << 22
	mostKept  = 1 << 18
)

// newSteps follow the sums of two clients or more; nil where parts of the rows are evaluated at a time.
func newSteps(plan *model.Plan, group int) *steps {
	g := plan.Groups[group]
	if len(plan.Windows) > 0 || len(g.Members) < 2 {
		return nil
	}
	s := &steps{group: group, rows: g.Len, noisy: !plan.Exact, short: plan.Wire.Short,
		parts: float64(len(g.Members))}
	switch {
	case plan.AtClients: // each client evaluates another likelihood, whose steps are its own
		s.off = true
	case s.whole():
		s.off = firstSought*s.entry() > mostWhole
	default:
		s.rest = make([]float64, g.Len)
	}
	return s
}

// whole reports whether totals and adjoints are kept whole, as long as noise or rounding hides their span.
func (s *steps) whole() bool { return s.basis == nil && (s.noisy || s.short) }

// entry is the length of an entry.
func (s *steps) entry() int {
	if s.whole() {
		return header + 2*s.rows
	}
	return header + 2*s.rank
}

// sent takes a total.
func (s *steps) sent(window int, placed bool, at density.PathPoint, totals [][]float64) {
	s.due = false
	if placed {
		s.seen++
	}
	if s.off || !placed || !s.noisy && !s.short && at.Trajectory%runEvery >= runLength {
		return
	}
	if window != session.AllRows || (s.noisy || s.short) && !at.Settled {
		return
	}
	total := totals[s.group]
	if !s.noisy && !s.short {
		s.widen(total)
		if s.rank == 0 || s.off {
			return
		}
	}
	if s.newer == nil {
		s.newer = make([]float64, s.entry())
	}
	s.newer[0], s.newer[1], s.newer[2] = float64(at.Trajectory), float64(at.Point), float64(at.Start)
	if s.short {
		s.newer[3] = s.parts * roundingOf(total)
	}
	s.project(s.newer[header:][:(s.entry()-header)/2], total)
	s.due = true
}

func (s *steps) project(to, v []float64) {
	if s.basis == nil {
		copy(to, v)
		return
	}
	for k := range to {
		to[k] = vec.Dot(s.rows, s.basis[k*s.rows:], v)
	}
}

// A direction is added where what is left of a total outside of the basis has this length, in relation to its
// own. Rounding turns short ones so far that later totals would not lie in the basis, so at first long ones
// are waited for: each time that a number of totals have come without one, half the length is enough.
const (
	beyondFirst = 0.05
	beyondLast  = 1e-4
	patience    = 32
)

// widen adds the direction of a total to the basis where it is a new one: the entries so far are then not
// whole.
func (s *steps) widen(total []float64) {
	length := math.Sqrt(vec.Dot(s.rows, total, total))
	if length == 0 || length-length != 0 {
		return
	}
	s.idle++
	least := length * max(beyondLast, math.Ldexp(beyondFirst, -(s.idle/patience)))
	copy(s.rest, total)
	var left float64
	// the second time removes what rounding has left of the first, which only a new direction needs
	for range 2 {
		if left = s.outside(); left <= least {
			return
		}
	}
	s.idle = 0
	if s.rank == mostRank || 2*(s.rank+1) > s.rows || (s.rank+1)*s.rows > mostBasis {
		s.off = true
		s.drop()
		return
	}
	vec.Scale(s.rows, s.rest, s.rest, 1/left)
	s.basis = append(s.basis, s.rest...)
	s.rank++
	s.kept, s.newer, s.next, s.full = nil, make([]float64, s.entry()), 0, false
}

// outside takes the part in the basis off the rest, and returns the length of what is left.
func (s *steps) outside() float64 {
	for k := range s.rank {
		u := s.basis[k*s.rows:][:s.rows]
		vec.Axpy(s.rows, s.rest, -vec.Dot(s.rows, u, s.rest), u)
	}
	return math.Sqrt(vec.Dot(s.rows, s.rest, s.rest))
}

func (s *steps) drop() {
	s.basis, s.kept, s.newer, s.rank, s.next, s.full, s.due = nil, nil, nil, 0, 0, false, false
}

// room is how many entries there are at most.
func (s *steps) room() int {
	if s.whole() {
		return mostWhole / s.entry()
	}
	return mostKept / s.entry()
}

// answered takes the adjoint of the newest total.
func (s *steps) answered(adjoints [][]float64) {
	if !s.due {
		return
	}
	s.due = false
	s.project(s.newer[header+(s.entry()-header)/2:], adjoints[s.group])
	if all := vec.Dot(len(s.newer), s.newer, s.newer); all-all != 0 {
		return
	}
	if s.keep(); s.whole() {
		s.find()
	}
}

// keep adds the newer entry.
func (s *steps) keep() {
	if s.kept == nil {
		s.kept = make([]float64, 0, min(s.room(), 1<<12, mostKept/s.entry()+1)*s.entry())
	}
	if !s.full {
		s.kept = append(s.kept, s.newer...)
	} else {
		copy(s.kept[s.next*s.entry():], s.newer)
	}
	if s.next++; s.next == s.room() {
		s.next, s.full = 0, true
	}
}

// entries lists what is kept, the oldest first.
func (s *steps) entries() (out [][]float64) {
	if s.rank == 0 {
		return nil
	}
	n, w := len(s.kept)/s.entry(), s.entry()
	from := 0
	if s.full {
		from = s.next
	}
	for k := range n {
		at := (from + k) % n
		out = append(out, s.kept[at*w:][:w])
	}
	return out
}

func (s *steps) state(c *backends.Codec) {
	n := len(s.kept)
	c.Ints(&s.seen, &s.rank, &s.next, &s.idle, &n)
	c.Bool(&s.off)
	c.Bool(&s.full)
	c.Float(&s.law.kappa, &s.law.k, &s.law.w)
	if s.rank < 0 || s.rank > mostRank || s.rank*s.rows > mostBasis {
		c.Fail(errSteps)
		s.rank = 0
	}
	if len(s.basis) != s.rank*s.rows {
		s.basis, s.newer = make([]float64, s.rank*s.rows), nil
	}
	if s.rank == 0 {
		s.basis = nil
	}
	if s.newer == nil {
		s.newer = make([]float64, s.entry())
	}
	if n < 0 || n > mostWhole || n%s.entry() != 0 || s.next < 0 || s.next > n/s.entry() ||
		s.full && n != s.room()*s.entry() {
		c.Fail(errSteps)
		s.next, n, s.full = 0, 0, false
	}
	if len(s.kept) != n {
		s.kept = make([]float64, n)
	}
	c.Floats(s.basis)
	c.Floats(s.kept)
}
