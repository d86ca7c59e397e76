package attack

import (
	"math"
	"math/bits"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A source is a member of a sum of the plan, its place among the receivers of that sum (-1: none), and the sd
// of its noise.
type source struct {
	group, member, receiver int
	rho                     float64
}

// A view is what the server knows of one cut, or of the sum of several: the sequence z − ρ²·adjoint over
// evaluations. The sums of a sum are those of its members, so it has a sketch alone, and looks at those
// evaluations only that are taken into it.
//
// With masks the server has the sum alone, and the view of it has everything itself.
type view struct {
	of      source
	covers  []source // the members whose cuts it is of: one, or all of a sum
	members []*view  // of a sum; nil for a single cut
	picks   []int    // the elements that are followed
	whole   bool     // these are all elements
	windows [][]place
	weight  float64 // of a window's density: its number of windows

	v         []float64 // z − ρ²·adjoint of the newest evaluation
	probes    []int     // elements by which an evaluation is judged
	counts    []int     // evaluations in sum, by window; one where rows are not divided
	sum       []float64
	snapshots []snapshot // after 1, 2, 4, … evaluations
	centre    []float64
	squares   float64 // sum over evaluations since the last snapshot of |v − centre|² over the probes
	seen      int     // evaluations since then
	level     float64 // mean of the same between the two snapshots before; 0: not known
	bare      *bare   // of a fit by quadrature; nil in a sum, which follows from its members
	sketch    *sketch // nil where rows are divided: an evaluation then has only some of them

	// Of a recording:
	blind   bool        // of words under masks
	vectors [][]float64 // without noise
	relayed bool        // they are from the end of a fit
	drawn   bool        // at draws, and not in its linear system
}

// A place is an element of a window's cut, and the index among picks of the same element.
type place struct{ from, to int }

// A snapshot holds the sums after a power of two of evaluations.
type snapshot struct {
	counts []int
	sum    []float64
}

// mostSnapshots bounds the powers of two: after 2^(mostSnapshots-1) evaluations the sums go on without
// snapshots.
const mostSnapshots = 25

func newView(plan *model.Plan, of source, picks []int) *view {
	v := &view{of: of, covers: []source{of}, picks: picks, whole: len(picks) == plan.Groups[of.group].Len,
		weight: 1, bare: newBare(len(picks))}
	v.allocate(max(1, len(plan.Windows)))
	if len(plan.Windows) == 0 {
		return v
	}
	v.sketch, v.weight = nil, float64(len(plan.Windows))
	for _, w := range plan.Windows {
		v.windows = append(v.windows, v.placesIn(cutOf(plan, plan.Groups[of.group].Members[of.member]), w))
	}
	return v
}

// newMasked is the view of a sum of which the server receives the total alone, as it is with masks.
func newMasked(plan *model.Plan, members []source, picks []int) *view {
	squares := 0.0
	for _, m := range members {
		squares += float64(m.rho * m.rho)
	}
	// a member's adjoint is without its own part, and all of them together without one
	if n := float64(len(members)); plan.AtClients {
		squares *= (n - 1) / n
	}
	v := newView(plan, source{members[0].group, members[0].member, -1, math.Sqrt(squares)}, picks)
	v.covers = members
	return v
}

// cutOf is the cut at a port.
func cutOf(plan *model.Plan, p model.Port) density.Cut { return plan.Parties[p.Party].Cuts[p.Index] }

// newSum is the view of a sum of single ones.
func newSum(plan *model.Plan, members []*view) *view {
	v := &view{of: members[0].of, members: members, picks: members[0].picks, weight: 1,
		windows: members[0].windows}
	for _, m := range members {
		v.covers = append(v.covers, m.of)
	}
	v.allocate(max(1, len(plan.Windows)))
	if len(plan.Windows) > 0 {
		v.sketch = nil
	}
	return v
}

func (v *view) allocate(windows int) {
	m := len(v.picks)
	v.probes = spaced(m, mostProbes)
	v.v, v.centre, v.sketch = make([]float64, m), make([]float64, m), newSketch(m)
	if v.members != nil {
		return
	}
	v.sum, v.counts = make([]float64, m), make([]int, windows)
	for range mostSnapshots {
		v.snapshots = append(v.snapshots, snapshot{make([]int, windows), make([]float64, m)})
	}
}

// placesIn lists the followed elements whose rows a window has. Elements are stored by columns, in the window
// too.
func (v *view) placesIn(c density.Cut, w model.Window) (out []place) {
	row := map[int]int{}
	for k, r := range w.Rows {
		row[r] = k
	}
	for to, e := range v.picks {
		if k, ok := row[e%c.Rows]; ok {
			out = append(out, place{e/c.Rows*len(w.Rows) + k, to})
		}
	}
	return out
}

// sent takes z.
func (v *view) sent(window int, z []float64) {
	switch {
	case window != session.AllRows:
		for _, p := range v.windows[window] {
			v.v[p.to] = z[p.from]
		}
	case v.whole:
		copy(v.v, z)
	default:
		for k, e := range v.picks {
			v.v[k] = z[e]
		}
	}
}

// answered takes ρ²·adjoint off: what the receivers evaluate less what the sender itself does, own, which may
// be nil.
func (v *view) answered(window int, adjoint, own []float64) {
	scale := v.of.rho * v.of.rho
	if window != session.AllRows {
		scale /= v.weight
	}
	v.take(window, -scale, adjoint)
	if own != nil {
		v.take(window, scale, own)
	}
}

func (v *view) take(window int, scale float64, a []float64) {
	switch {
	case window != session.AllRows:
		for _, p := range v.windows[window] {
			v.v[p.to] += float64(scale * a[p.from])
		}
	case v.whole:
		vec.Axpy(len(v.v), v.v, scale, a)
	default:
		for k, e := range v.picks {
			v.v[k] += float64(scale * a[e])
		}
	}
}

func (v *view) addMembers() {
	copy(v.v, v.members[0].v)
	for _, m := range v.members[1:] {
		vec.Accumulate(len(v.v), v.v, m.v)
	}
}

// add takes the newest evaluation into the sums, and where due into the sketch.
func (v *view) add(window int, due bool) {
	switch {
	case window != session.AllRows:
		v.addWindow(window)
		return
	case v.members != nil && !due:
		return
	case v.members != nil:
		v.addMembers()
	}
	if !v.usual() {
		return
	}
	m := len(v.v)
	if v.members == nil {
		vec.Accumulate(m, v.sum, v.v)
		for k := range v.counts {
			v.counts[k]++
		}
	}
	if due && v.sketch != nil {
		v.sketch.add(v.v, v.centre)
	}
}

// A trajectory that has diverged says nothing of the posterior: an evaluation is left out whose mean square
// over mostProbes elements is wild times what it has been.
const (
	wild       = 100
	mostProbes = 32
)

// usual reports whether the newest evaluation is finite and not far from those before.
func (v *view) usual() bool {
	if all := vec.Dot(len(v.v), v.v, v.v); all-all != 0 {
		return false
	}
	square := 0.0
	for _, k := range v.probes {
		d := v.v[k] - v.centre[k]
		square += float64(d * d)
	}
	v.seen++
	if v.level > 0 && square > wild*v.level {
		v.squares += float64(wild * v.level)
		return false
	}
	v.squares += square
	return true
}

func (v *view) addWindow(window int) {
	if v.members != nil {
		return
	}
	square := 0.0
	for _, p := range v.windows[window] {
		square += float64(v.v[p.to] * v.v[p.to])
	}
	if square-square != 0 {
		return
	}
	for _, p := range v.windows[window] {
		v.sum[p.to] += v.v[p.to]
	}
	v.counts[window]++
}

// settled is the number of evaluations after which one that is far from the others is left out.
const settled = 64

// snapshot keeps the sums after a power of two of evaluations. Deviations are from then on from the mean
// since the snapshot before.
func (v *view) snapshot(rounds int) {
	k := bits.Len(uint(rounds)) - 1
	if k >= mostSnapshots {
		return
	}
	if v.members == nil {
		v.keep(k)
	} else {
		clear(v.centre)
		for _, m := range v.members {
			vec.Accumulate(len(v.centre), v.centre, m.centre)
		}
	}
	if rounds >= settled && v.seen > 0 {
		v.level = v.squares / float64(v.seen)
	}
	v.squares, v.seen = 0, 0
	if k >= 6 && k%3 == 0 && v.sketch != nil {
		v.sketch.turn()
	}
}

// keep copies the sums into snapshot k, and sets the centre.
func (v *view) keep(k int) {
	copy(v.snapshots[k].sum, v.sum)
	copy(v.snapshots[k].counts, v.counts)
	if k == 0 {
		return
	}
	if n := v.counts[0] - v.snapshots[k-1].counts[0]; n > 0 {
		vec.Sub(len(v.sum), v.centre, v.sum, v.snapshots[k-1].sum)
		vec.Scale(len(v.sum), v.centre, v.centre, 1/float64(n))
	}
}
