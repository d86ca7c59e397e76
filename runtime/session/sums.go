package session

import (
	"slices"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// sums is what the server adds up. Parts are in party order and are set anew for each evaluation: their
// arrays belong to a party of this process or to a message.
type sums struct {
	codes   *codes
	z       [][]transport.Channel // [group][member]
	a       [][]transport.Channel // [group][receiver]
	d       [][]transport.Channel // [shared][the server, then destinations]
	total   [][]float64           // [group] Σ z
	adjoint [][]float64           // [group] Σ a
	shared  [][]float64           // [shared] Σ d
	// Of what is added up as words:
	largest []float64 // [group] of Σ z
	lost    []bool    // [group] a z or an a of this evaluation is invalid
	anew    bool      // z are those that were sent once more
	told    []rounded // [group] of adjoint, where the wire is short
	down    [][]float64
	scalars []transport.Channel
	numbers []float64  // total of the clients' scalars
	of      *evaluator // whose helpers add long sums, nil for none
	long    adding
	inTurn  bool // parts are taken in party order and added then, while they are near
}

func newSums(plan *model.Plan, c *codes) *sums {
	h := &sums{codes: c, largest: make([]float64, len(plan.Groups)), lost: make([]bool, len(plan.Groups)),
		scalars: make([]transport.Channel, len(plan.Names)-1), total: make([][]float64, len(plan.Groups)),
		adjoint: make([][]float64, len(plan.Groups))}
	for _, g := range plan.Groups {
		h.z = append(h.z, make([]transport.Channel, len(g.Members)))
		h.a = append(h.a, make([]transport.Channel, len(g.Receivers)))
		h.told = append(h.told, rounded{})
		if plan.Wire.Short {
			h.told[len(h.told)-1].data = make([]float64, g.Len)
		}
	}
	for k, s := range plan.Shared {
		h.d = append(h.d, make([]transport.Channel, 1+len(s.To)))
		h.shared = append(h.shared, make([]float64, plan.SharedLen(k)))
	}
	return h
}

// takeOwn takes the derivatives of the server's own density by the inputs and outputs of its graph as parts.
func (h *sums) takeOwn(server *partyState) {
	for _, r := range server.role.Receptions {
		a := &h.a[r.Group][r.Place]
		if g := &server.groups[r.Group]; g.At != nil {
			a.Data = slices.Grow(a.Data[:0], g.Len)[:g.Len]
			g.Collect(a.Data, server.InputAdjoint(r.Input))
			continue
		}
		a.Data = server.InputAdjoint(r.Input)
	}
	for k, out := range server.outputs {
		h.d[k][0].Data = server.Own(out)
	}
}

// takeAux takes what a client has sent of z.
func (h *sums) takeAux(c *client, f *frame) {
	for i, m := range c.role.Members {
		h.z[m.Group][m.Place] = f.arrays[i]
		if h.inTurn {
			h.gather(h.total[m.Group], h.z[m.Group], m.Place)
		}
	}
}

// gather includes a part in the sum of those before it.
func (h *sums) gather(dst []float64, parts []transport.Channel, k int) {
	switch {
	case k > 1:
		vector.Accumulate(len(dst), dst, parts[k].Data)
	case k == 1:
		vector.Add(len(dst), dst, parts[0].Data, parts[1].Data)
	case len(parts) == 1:
		copy(dst, parts[0].Data)
	}
}

// takeDrawn takes what a client has sent of a draw.
func (h *sums) takeDrawn(c *client, f *frame) {
	for i, member := range c.drawnMembers {
		m := c.role.Members[member]
		h.z[m.Group][m.Place] = f.arrays[i]
	}
}

// takePartial takes the adjoints that a client has sent under power.
func (h *sums) takePartial(c *client, f *frame) {
	h.takeGradients(f, c, c.lateArrivals)
	for i, r := range c.role.Receptions {
		h.a[r.Group][r.Place] = f.arrays[len(c.lateArrivals)+i]
		if h.inTurn && len(h.a[r.Group]) > 1 {
			h.gather(h.adjoint[r.Group], h.a[r.Group], r.Place)
		}
	}
}

// takeGradients copies gradients by shared parameters out of a message: they are added after the client's
// next one has come.
func (h *sums) takeGradients(f *frame, c *client, arrivals []int) {
	for i, k := range arrivals {
		at, a := c.role.Arrivals[k], f.arrays[i]
		d := &h.d[at.Shared][1+at.Place]
		a.Data, a.Words = append(d.Data[:0], a.Data...), append(d.Words[:0], a.Words...)
		*d = a
	}
}

// addAux adds z.
func (h *sums) addAux() {
	if h.inTurn {
		return
	}
	for g := range h.total {
		largest, valid := h.add(h.total[g], h.z[g], h.evaluated(g))
		h.largest[g], h.lost[g] = largest, !valid
	}
}

// followAux chooses the grids of the next z. It must come after the last use of those of this z, and not
// where the evaluation is not wanted.
func (h *sums) followAux() {
	for g, c := range h.codes.evaluated {
		if h.of.plan.Wire.Short {
			c.shorten(h.largest[g], !h.lost[g], &h.told[g], h.anew)
			continue
		}
		c.follow(h.largest[g], !h.lost[g])
	}
}

// tells are the adjoints as they go down.
func (h *sums) tells() [][]float64 {
	if !h.of.plan.Wire.Short {
		return h.adjoint
	}
	h.down = h.down[:0]
	for g := range h.told {
		h.told[g].set(h.adjoint[g])
		h.down = append(h.down, h.told[g].data)
	}
	return h.down
}

// evaluated is the coding of z as they were sent last.
func (h *sums) evaluated(g int) *coding {
	if h.anew && h.codes.evaluated[g] != nil {
		return h.codes.drawn[g]
	}
	return h.codes.evaluated[g]
}

// outgrown reports whether a number of z had no short word.
func (h *sums) outgrown() bool {
	for g, c := range h.codes.evaluated {
		if c != nil && c.size() > 0 && slices.ContainsFunc(h.z[g], func(a transport.Channel) bool {
			return a.Invalid
		}) {
			return true
		}
	}
	return false
}

// takeAgain is takeAux of what was sent once more.
func (h *sums) takeAgain(c *client, f *frame) {
	for i, k := range c.repeatedMembers {
		m := c.role.Members[k]
		h.z[m.Group][m.Place] = f.arrays[i]
	}
}

// addRead is addAux for the sums that generated quantities read.
func (h *sums) addRead(plan *model.Plan) {
	for g, group := range plan.Groups {
		if len(group.Quantities) > 0 {
			h.add(h.total[g], h.z[g], h.codes.drawn[g])
		}
	}
}

// addAdjoints adds the adjoints, and chooses the grids of the next ones. A sum of one part becomes that part
// itself, without a copy.
func (h *sums) addAdjoints() {
	for g, parts := range h.a {
		switch len(parts) {
		case 0: // nobody receives the sum
			continue
		case 1:
			h.adjoint[g] = parts[0].Data
			continue
		}
		if h.inTurn {
			continue
		}
		c := h.codes.partial[g]
		largest, valid := h.add(h.adjoint[g], parts, c)
		h.lost[g] = h.lost[g] || !valid
		c.follow(largest, valid)
	}
}

func (h *sums) addShared() {
	for k := range h.d {
		h.addGradient(k)
	}
}

func (h *sums) addGradient(shared int) {
	h.add(h.shared[shared], h.d[shared], h.codes.gradient[shared])
}

// answer lets the server change the adjoints that were added up for its coordinates.
func (h *sums) answer(server *partyState) {
	for k := range h.shared {
		if server.FollowsElsewhere(k) {
			h.addGradient(k)
		}
	}
	server.AnswerSums(h.adjoint, h.shared)
}

// add overwrites dst with the sum of parts in their order: as numbers, or those that are words first.
func (h *sums) add(dst []float64, parts []transport.Channel, c *coding) (largest float64, valid bool) {
	if c != nil {
		largest, valid = c.add(dst, parts)
		for _, p := range parts {
			if p.Encoding == transport.Plain {
				vector.Accumulate(len(dst), dst, p.Data)
			}
		}
		return largest, valid
	}
	h.long.parts = h.long.parts[:0]
	for _, p := range parts {
		h.long.parts = append(h.long.parts, p.Data)
	}
	pieces := addWork * len(dst) * len(parts) / graph.LeastWork
	if h.of == nil || h.of.group == nil || pieces < 2 {
		addUp(dst, h.long.parts, 0)
		return 0, true
	}
	h.long.dst, h.long.piece = dst, (len(dst)/pieces+8)&^7
	h.of.group.Do(&h.long, (len(dst)+h.long.piece-1)/h.long.piece)
	return 0, true
}

// addUp overwrites dst with the sum of the elements of some parts that begin at from, in the order of the
// parts.
func addUp(dst []float64, parts [][]float64, from int) {
	if len(parts) == 1 {
		copy(dst, parts[0][from:])
		return
	}
	vector.Add(len(dst), dst, parts[0][from:], parts[1][from:])
	for _, p := range parts[2:] {
		vector.Accumulate(len(dst), dst, p[from:])
	}
}

// addScalars sets total to the server's numbers, which are first, plus those of the clients.
func (h *sums) addScalars(total, own []float64, parts []transport.Channel) {
	copy(total, own)
	if c := h.codes.scalars; c != nil {
		h.numbers = slices.Grow(h.numbers[:0], len(total))[:len(total)]
		c.add(h.numbers, parts)
		model.Add(total, h.numbers)
		return
	}
	for _, p := range parts {
		model.Add(total, p.Data)
	}
}

// spoilt reports whether a sum was lost in this evaluation.
func (h *sums) spoilt() bool { return slices.Contains(h.lost, true) }
