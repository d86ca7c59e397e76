package attack

import (
	"math"

	"github.com/vflc/vflc/backends/checkpoint"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	vec "github.com/vflc/vflc/runtime/vector"
)

// steps are points of trajectories, in evaluations of a sum over clients that crosses without noise: its total, and the adjoint
// that was answered. A total lies in the span of all clients' columns, which a few of them show, so each evaluation is kept as the
// coordinates of both in a basis of that span. The chain's steps are in them (separate.go).
type steps struct {
	group int
	rows  int
	basis []float64 // orthonormal columns, one after another
	rank  int
	idle  int       // totals since a direction was added
	seen  int       // points of trajectories
	noisy bool      // the totals have noise: they are not followed
	off   bool      // they are not, or have no small span
	kept  []float64 // entries: the place of an evaluation, the coordinates of its total, and those of its adjoint
	next  int       // the entry to be written next; once there is no room, the oldest one
	full  bool      // all entries have been written
	newer []float64 // the entry of the newest evaluation, whose adjoint is not known yet
	due   bool      // it is to be kept
	rest  []float64
}

// Of every so many trajectories some in a row are kept: one begins at a point of the one before.
const (
	runEvery  = 16
	runLength = 8
)

// header is how many numbers of an entry are its place.
const header = 3

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
	s := &steps{group: group, rows: g.Len, off: !plan.Exact, noisy: !plan.Exact}
	if !s.off {
		s.rest = make([]float64, g.Len)
	}
	return s
}

func (s *steps) entry() int { return header + 2*s.rank }

// sent takes a total.
func (s *steps) sent(window int, placed bool, at density.PathPoint, totals [][]float64) {
	s.due = false
	if placed {
		s.seen++
	}
	if s.off || !placed || at.Trajectory%runEvery >= runLength {
		return
	}
	if window != session.AllRows {
		return
	}
	total := totals[s.group]
	s.widen(total)
	if s.rank == 0 || s.off {
		return
	}
	s.newer[0], s.newer[1], s.newer[2] = float64(at.Trajectory), float64(at.Point), float64(at.Start)
	s.project(s.newer[header:header+s.rank], total)
	s.due = true
}

func (s *steps) project(to, v []float64) {
	for k := range to {
		to[k] = vec.Dot(s.rows, s.basis[k*s.rows:], v)
	}
}

// A direction is added where what is left of a total outside of the basis has this length, in relation to its own. Rounding turns short ones so far that later
// totals would not lie in the basis, so at first long ones are waited for: each time that a number of totals have come without one, half the length is enough.
const (
	beyondFirst = 0.05
	beyondLast  = 1e-4
	patience    = 32
)

// widen adds the direction of a total to the basis where it is a new one: the entries so far are then not whole.
func (s *steps) widen(total []float64) {
	length := math.Sqrt(vec.Dot(s.rows, total, total))
	if length == 0 || length-length != 0 {
		return
	}
	copy(s.rest, total)
	for range 2 {
		for k := range s.rank {
			u := s.basis[k*s.rows:][:s.rows]
			vec.Axpy(s.rows, s.rest, -vec.Dot(s.rows, u, s.rest), u)
		}
	}
	left := math.Sqrt(vec.Dot(s.rows, s.rest, s.rest))
	if s.idle++; left <= length*max(beyondLast, math.Ldexp(beyondFirst, -(s.idle/patience))) {
		return
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

func (s *steps) drop() {
	s.basis, s.kept, s.newer, s.rank, s.next, s.full, s.due = nil, nil, nil, 0, 0, false, false
}

// room is how many entries there are at most.
func (s *steps) room() int { return mostKept / s.entry() }

// answered takes the adjoint of the newest total.
func (s *steps) answered(adjoints [][]float64) {
	if !s.due {
		return
	}
	s.due = false
	s.project(s.newer[header+s.rank:], adjoints[s.group])
	if all := vec.Dot(len(s.newer), s.newer, s.newer); all-all != 0 {
		return
	}
	if s.kept == nil {
		s.kept = make([]float64, 0, min(s.room(), 1<<12)*s.entry())
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

func (s *steps) state(c *checkpoint.Codec) {
	n := len(s.kept)
	c.Ints(&s.seen, &s.rank, &s.next, &s.idle, &n)
	c.Bool(&s.off)
	c.Bool(&s.full)
	if s.rank < 0 || s.rank > mostRank || s.rank*s.rows > mostBasis || n < 0 || n > mostKept || n%s.entry() != 0 ||
		s.next < 0 || s.next > n/s.entry() || s.full && n != s.room()*s.entry() {
		c.Fail(errSteps)
		s.rank, s.next, n, s.full = 0, 0, 0, false
	}
	if len(s.basis) != s.rank*s.rows {
		s.basis, s.newer = make([]float64, s.rank*s.rows), make([]float64, s.entry())
	}
	if len(s.kept) != n {
		s.kept = make([]float64, n)
	}
	c.Floats(s.basis)
	c.Floats(s.kept)
}
