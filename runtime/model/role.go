package model

// A Role is what one party does in a plan: which sums its cuts enter, which sums and shared parameters it
// receives. It follows from the plan alone, so both ends of a connection know it. Lists are in the order of
// Plan.Groups and Plan.Shared; Place is the party's position among the members, receivers or destinations
// there, which is the order of addition.
type Role struct {
	Members    []Membership
	Receptions []Reception
	Arrivals   []Arrival
}

// A Membership is a cut that enters a sum. Input is the graph input at which the party itself receives that
// sum, -1 where it does not.
type Membership struct{ Group, Place, Cut, Input int }

// A Reception is a sum that the party receives. Cut is its own cut in that sum, -1 where it is no member.
type Reception struct{ Group, Place, Input, Cut int }

// An Arrival is a shared parameter that the party receives.
type Arrival struct {
	Shared, Place, Input, Len int
	Early                     bool
}

// Role returns what the party with this index does.
func (p *Plan) Role(index int) Role {
	var r Role
	for g, group := range p.Groups {
		m, cut := find(group.Members, index)
		k, input := find(group.Receivers, index)
		if m >= 0 {
			r.Members = append(r.Members, Membership{g, m, cut, input})
		}
		if k >= 0 {
			r.Receptions = append(r.Receptions, Reception{g, k, input, cut})
		}
	}
	for s, shared := range p.Shared {
		if k, input := find(shared.To, index); k >= 0 {
			r.Arrivals = append(r.Arrivals, Arrival{s, k, input, p.SharedLen(s), shared.Early})
		}
	}
	return r
}

// find returns the position of a party's port in a list, and the port's index; -1, -1 where it is not there.
func find(ports []Port, party int) (place, index int) {
	for k, p := range ports {
		if p.Party == party {
			return k, p.Index
		}
	}
	return -1, -1
}

// SharedLen is the number of elements of shared parameter k, read off a graph that this process holds; 0
// where it holds neither end of it.
func (p *Plan) SharedLen(k int) int {
	s := p.Shared[k]
	if spec := p.Parties[s.From.Party]; spec != nil {
		return spec.Graph.Outputs()[s.From.Index].Len
	}
	for _, to := range s.To {
		if spec := p.Parties[to.Party]; spec != nil {
			return spec.Graph.Inputs()[to.Index].Len
		}
	}
	return 0
}

// Here lists the parties of this process, in party order: the blocks of its Env.
func (p *Plan) Here() []*Spec {
	var out []*Spec
	for _, spec := range p.Parties {
		if spec != nil {
			out = append(out, spec)
		}
	}
	return out
}

// Only returns the plan as the party with this index holds it: the wiring, and no other party's graph.
func (p *Plan) Only(index int) *Plan {
	own := *p
	own.Parties = make([]*Spec, len(p.Parties))
	own.Parties[index] = p.Parties[index]
	own.Windows = p.windowsBy(func(v *Plan) *Plan { return v.Only(index) })
	return &own
}
