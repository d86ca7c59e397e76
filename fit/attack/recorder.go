// Package attack reconstructs clients' cuts from what a curious server holds after a run, and measures how
// well that works.
//
// A client sends z = cut + noise of sd ρ and the server returns the adjoint of z. At the posterior, and at
// the optimum of a variational fit, the mean derivative of the log density by z is 0, where that derivative
// is adjoint − (z − cut)/ρ². So the mean of z − ρ²·adjoint over evaluations is the mean of the cut, row by
// row, and the noise goes down with the number of evaluations (Reconstruct). The cuts of different
// evaluations differ as the client's parameters do: their principal components span the columns of its data
// (components.go), in which those of two values are found (twovalued.go). Rows that share a category share
// their cuts (groups.go). Where a transform adds no noise, ρ = 0 and what is sent is the cut; where a client
// sends an adjoint that its own cut enters without noise, the adjoint is solved for the cut (solve.go).
//
// A Recorder keeps running sums of what the server sees, never a message. The package compares with the true
// cuts, which a simulation knows; a server that attacks does not need them.
package attack

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// A Recorder keeps the running sums of one chain. It implements session.Watcher; an evaluation allocates
// nothing.
type Recorder struct {
	views  []*view
	plan   *model.Plan
	rounds int               // evaluations seen
	fits   int               // iterates of a fit by quadrature seen
	latest *density.Exchange // the newest relay
	fit    int               // and its fit
	window int               // of the newest evaluation

	recording bool          // what crosses without noise is kept, and what is under masks
	words     [][][]float64 // of the newest evaluation or relay: contributions under masks

	steps     []*steps     // of sums that cross without noise
	variances []*Variances // where what crosses without noise is kept
	periods   []*periods   // of sums that cross without noise, at no trajectory
	place     density.PathPoint
	placed    bool // the newest evaluation is at a point of a trajectory
}

// mostElements is the largest number of elements of a cut that are followed: evenly spaced ones of a longer
// cut, which bounds memory and time.
const mostElements = 2048

// NewRecorder returns a recorder for the runs of a plan: it follows each cut of each client, and each sum of
// two or more cuts; with masks sums alone.
func NewRecorder(plan *model.Plan) *Recorder { return newRecorder(plan, false) }

func newRecorder(plan *model.Plan, recording bool) *Recorder {
	r := &Recorder{plan: plan, recording: recording}
	for g, group := range plan.Groups {
		if s := newSteps(plan, g); s != nil {
			r.steps = append(r.steps, s)
		}
		if e := newPeriods(plan, g); e != nil {
			r.periods = append(r.periods, e)
		}
		if v := NewVariances(plan, g); recording && v != nil {
			r.variances = append(r.variances, v)
		}
		picks := spaced(group.Len, mostElements)
		single, sources := make([]*view, len(group.Members)), make([]source, len(group.Members))
		for m, port := range group.Members {
			sources[m] = source{g, m, receiver(group, port.Party), cutOf(plan, port).Rho}
		}
		if plan.SumsAlone(g) {
			for _, of := range sources {
				if recording {
					r.views = append(r.views, newBlind(plan, of, picks))
				}
			}
			r.views = append(r.views, newMasked(plan, sources, picks))
			continue
		}
		for m, of := range sources {
			single[m] = newView(plan, of, picks)
		}
		r.views = append(r.views, single...)
		if len(single) > 1 {
			r.views = append(r.views, newSum(plan, single))
		}
	}
	return r
}

// receiver is the place of a party among the receivers of a sum, -1 where it is none.
func receiver(g model.Group, party int) int {
	for k, p := range g.Receivers {
		if p.Party == party {
			return k
		}
	}
	return -1
}

// spaced returns at most most of the numbers below n, evenly spaced.
func spaced(n, most int) []int {
	m := min(n, most)
	out := make([]int, m)
	for k := range out {
		out[k] = k * n / m
	}
	return out
}

// Placed implements session.PlaceWatcher.
func (r *Recorder) Placed(p density.PathPoint) { r.place, r.placed = p, true }

// Sent implements session.Watcher.
func (r *Recorder) Sent(window int, z [][][]float64, total [][]float64) {
	r.window = window
	for _, s := range r.steps {
		s.sent(window, r.placed, r.place, total)
	}
	for _, e := range r.periods {
		if !r.placed {
			e.sent(window, total)
		}
	}
	r.placed = false
	if !r.taken(r.rounds + 1) {
		return
	}
	for _, v := range r.views {
		if v.members != nil {
			continue // follows from these
		}
		if one := r.contribution(v, z, total); one != nil {
			v.sent(window, one)
		}
	}
}

// Answered implements session.Watcher.
func (r *Recorder) Answered(total [][]float64, part [][][]float64) {
	for _, s := range r.steps {
		s.answered(total)
	}
	r.rounds++
	if r.taken(r.rounds) {
		r.take(total, part)
	}
	if r.rounds&(r.rounds-1) == 0 {
		for _, v := range r.views {
			v.snapshot(r.rounds)
		}
	}
}

// take takes the newest evaluation into the sums.
func (r *Recorder) take(total [][]float64, part [][][]float64) {
	for _, v := range r.views {
		switch {
		case v.members != nil: // follows from these
		case v.blind: // nothing is answered to it
		case v.of.receiver < 0:
			v.answered(r.window, total[v.of.group], nil)
		default:
			v.answered(r.window, total[v.of.group], part[v.of.group][v.of.receiver])
		}
	}
	for _, v := range r.views {
		every := 1
		if v.members != nil {
			every = 2
		}
		v.add(r.window, r.sampled(every))
		r.keep(v)
	}
}
