package session

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// A partyState is a party of this process with the vectors of one evaluation. Those over cuts have length
// SendLen, in the layout of density.Cut.
type partyState struct {
	*model.Party
	role model.Role
	// the cuts themselves cross: z is g, and the seeds on it are the adjoint and the party's own derivative
	exact bool

	of       *graph.Exec // whose arrays are below
	z        []float64
	adj, own []float64
	w        []float64
	early    []float64   // gradient of the early shared parameters
	zs       [][]float64 // z of role.Members[i]
	adjs     [][]float64 // adj of role.Members[i]
	answer   []float64   // of density.LocalSteps
	shared   [][]float64 // gradient by role.Arrivals[i]
	outputs  []int       // at the server: graph output of each shared parameter
	groups   []model.Group
}

// newPartyState makes the state of a party that evaluates in a room. adj is memory for the time from settle
// to pull, which parties of one process share.
func newPartyState(plan *model.Plan, index int, room *graph.Room, adj *[]float64) *partyState {
	p := model.NewPartyIn(plan, index, room)
	s := &partyState{Party: p, role: p.Role(), exact: plan.Exact, early: make([]float64, p.Early()),
		groups: plan.Groups}
	if !s.exact {
		s.z = make([]float64, p.SendLen())
	}
	switch {
	case s.settledWhole():
	case len(s.role.Members) < len(p.Sends()): // settle does not set all of it
		s.adj = make([]float64, p.SendLen())
	default:
		*adj = slices.Grow((*adj)[:0], p.SendLen())
		s.adj = (*adj)[:p.SendLen()]
	}
	if index > 0 {
		s.answer = make([]float64, p.Received())
	}
	for _, m := range s.role.Members {
		if s.adj != nil {
			s.adjs = append(s.adjs, s.part(s.adj, m.Cut))
		}
	}
	s.shared = make([][]float64, len(s.role.Arrivals))
	if index == 0 {
		for _, sh := range plan.Shared {
			s.outputs = append(s.outputs, sh.From.Index)
		}
	}
	return s
}

// wake takes the arrays of the party's graph, and reports whether they are others than before.
func (s *partyState) wake() bool {
	e := s.Ready()
	if s.of == e {
		return false
	}
	if s.of, s.w = e, s.Seed(); s.exact {
		s.z = s.Sent()
	}
	s.zs = s.zs[:0]
	for _, m := range s.role.Members {
		s.zs = append(s.zs, s.part(s.z, m.Cut))
	}
	return true
}

// rest drops them.
func (s *partyState) rest() {
	if s.Rest(); s.exact {
		s.z = nil
	}
	s.of, s.w, s.zs, s.own = nil, nil, nil, nil
}

// isMember reports whether one of the party's cuts enters a sum.
func (s *partyState) isMember(group int) bool {
	return slices.ContainsFunc(s.role.Members, func(m model.Membership) bool { return m.Group == group })
}

// part is the range of a vector over cuts that belongs to one cut.
func (s *partyState) part(v []float64, cut int) []float64 {
	c := s.Sends()[cut]
	return v[c.Offset : c.Offset+c.Len()]
}

// An algorithm is the algorithm's part in an evaluation: at clients steps where these are not nil, else
// coords.
type algorithm struct {
	coords density.Coordinates
	steps  density.LocalSteps
}

// stepping reports whether the algorithm evaluates the party's density itself.
func (s *partyState) stepping(by algorithm) bool { return by.steps != nil && s.Index() > 0 }

// value evaluates the outputs at theta and lets the algorithm choose z, unless the cuts themselves cross. b
// is the block's number in this process. A client that takes steps of its own evaluates later.
func (s *partyState) value(b int, theta []float64, by algorithm) {
	if s.stepping(by) {
		if len(s.z) > 0 {
			by.steps.Send(b, s.z)
		}
		return
	}
	g := s.Evaluate(theta)
	switch {
	case s.exact: // z is g
	case len(s.z) > 0:
		by.coords.Value(b, g, s.z)
	}
}

// target evaluates the party's log density and keeps its derivative by the cuts.
func (s *partyState) target() (lp float64) {
	lp, s.own = s.Target()
	return lp
}

// evaluate returns the party's own log density and readies the derivatives by what it received.
func (s *partyState) evaluate(b int, by algorithm) float64 {
	if !s.stepping(by) {
		return s.target()
	}
	lp := by.steps.Answer(b, s.answer)
	s.Answer(s.answer)
	return lp
}

// receive sets the input of each sum to the sum without the party's own share.
func (s *partyState) receive(sums [][]float64) {
	for _, r := range s.role.Receptions {
		s.receiveSum(r, sums[r.Group])
	}
}

func (s *partyState) receiveSum(r model.Reception, sum []float64) {
	in := s.Input(r.Input)
	switch {
	case s.groups[r.Group].At != nil && s.Index() == 0:
		s.groups[r.Group].Look(in, sum)
	case r.Cut >= 0:
		vector.Sub(len(in), in, sum, s.part(s.z, r.Cut))
	case len(in) > 0 && &in[0] != &sum[0]:
		copy(in, sum)
	}
}

// settledWhole reports whether adj is the adjoint of the sum that the party's only cut enters.
func (s *partyState) settledWhole() bool {
	return len(s.Sends()) == 1 && len(s.role.Members) > 0 &&
		!slices.ContainsFunc(s.role.Members, func(m model.Membership) bool { return m.Input >= 0 })
}

// settleMember sets adj of a cut from the adjoint of its sum, without the party's own share.
func (s *partyState) settleMember(i int, adjoint []float64) {
	in := s.role.Members[i].Input
	if in < 0 && len(s.Sends()) == 1 {
		s.adj = adjoint
		return
	}
	if in >= 0 {
		vector.Sub(len(adjoint), s.adjs[i], adjoint, s.InputAdjoint(in))
	} else {
		copy(s.adjs[i], adjoint)
	}
}

// pull lets the algorithm set the seeds on the cuts and pulls them back to the parameters and to the early
// shared parameters. Where a client takes steps of its own the algorithm has done so in Answer, and receives
// the adjoints alone.
func (s *partyState) pull(b int, by algorithm, grad []float64) {
	clear(s.early)
	switch {
	case s.stepping(by):
		if len(s.adj) > 0 {
			by.steps.Receive(b, s.adj)
		}
	default:
		s.seed(b, by)
		s.Finish(s.w, nil, nil, grad)
	}
	s.AddEarly(density.Here, s.early)
}

// seed sets the seeds on the cuts: where they cross themselves, the derivative of everything by them.
func (s *partyState) seed(b int, by algorithm) {
	switch {
	case s.exact:
		vector.Add(len(s.w), s.w, s.adj, s.own)
	case len(s.w) > 0:
		by.coords.Adjoint(b, s.adj, s.own, s.w, s.early)
	}
}

// collectShared finds the gradient by each shared parameter: at once for those that no cut depends on, after
// pull for the others.
func (s *partyState) collectShared() {
	at := 0
	for i, a := range s.role.Arrivals {
		if a.Early {
			s.shared[i] = s.early[at : at+a.Len]
			at += a.Len
		} else {
			s.shared[i] = s.InputAdjoint(a.Input)
		}
	}
}

// drawn evaluates the outputs at a draw, block b of this process, and readies what the party sends of it: the
// auxiliary variables, or the cuts themselves.
func (s *partyState) drawn(b int, d density.Draw) {
	s.Evaluate(d.Theta[b])
	if !s.exact && d.Z != nil {
		copy(s.z, d.Z[b])
	}
}

// report evaluates the parameters and quantities of the draw, given the shared parameters and the sums in the
// inputs.
func (s *partyState) report(b int, d density.Draw, values []float64) error {
	if d.Streams == nil {
		return s.Values(values, nil)
	}
	return s.Values(values, d.Streams[b])
}

// readQuantities copies the sums that the server's generated quantities read to its inputs.
func (s *partyState) readQuantities(sums [][]float64) {
	for g, group := range s.groups {
		for _, q := range group.Quantities {
			s.receiveSum(model.Reception{Group: g, Input: q.Index, Cut: -1}, sums[g])
		}
	}
}
