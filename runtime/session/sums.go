package session

import (
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// sums is what the server adds up. Parts are in party order and are set anew for each evaluation: their arrays belong to a party of this process or to
// a message.
type sums struct {
	z       [][][]float64 // [group][member]
	a       [][][]float64 // [group][receiver]
	d       [][][]float64 // [shared][the server, then destinations]
	total   [][]float64   // [group] Σ z
	adjoint [][]float64   // [group] Σ a
	shared  [][]float64   // [shared] Σ d
}

func newSums(plan *model.Plan) *sums {
	h := &sums{}
	for _, g := range plan.Groups {
		h.z = append(h.z, make([][]float64, len(g.Members)))
		h.a = append(h.a, make([][]float64, len(g.Receivers)))
		h.total = append(h.total, make([]float64, g.Len))
		h.adjoint = append(h.adjoint, make([]float64, g.Len))
	}
	for k, s := range plan.Shared {
		h.d = append(h.d, make([][]float64, 1+len(s.To)))
		h.shared = append(h.shared, make([]float64, plan.SharedLen(k)))
	}
	return h
}

// takeOwn takes the derivatives of the server's own density by the inputs and outputs of its graph as parts.
func (h *sums) takeOwn(server *partyState) {
	h.takeAdjoints(server)
	for k, out := range server.outputs {
		h.d[k][0] = server.Own(out)
	}
}

// takeAdjoints takes a party's derivatives by the sums that it received as parts.
func (h *sums) takeAdjoints(s *partyState) {
	for _, r := range s.role.Receptions {
		h.a[r.Group][r.Place] = s.InputAdjoint(r.Input)
	}
}

// keep copies a client's gradient by a shared parameter.
func (h *sums) keep(a model.Arrival, gradient []float64) {
	d := &h.d[a.Shared][1+a.Place]
	*d = append((*d)[:0], gradient...)
}

// addRead is addAux for the sums that generated quantities read.
func (h *sums) addRead(plan *model.Plan) {
	for g, group := range plan.Groups {
		if len(group.Quantities) > 0 {
			add(h.total[g:g+1], h.z[g:g+1])
		}
	}
}

func (h *sums) addAux()      { add(h.total, h.z) }
func (h *sums) addAdjoints() { addOrAlias(h.adjoint, h.a) }
func (h *sums) addShared()   { add(h.shared, h.d) }

// add overwrites each dst[k] with the sum of parts[k], in their order.
func add(dst [][]float64, parts [][][]float64) {
	for k, p := range parts {
		if len(p) == 1 {
			copy(dst[k], p[0])
			continue
		}
		vector.Add(len(dst[k]), dst[k], p[0], p[1])
		for _, v := range p[2:] {
			vector.Accumulate(len(dst[k]), dst[k], v)
		}
	}
}

// addOrAlias is add, except that a sum of one part becomes that part itself, without a copy, and that one of none stays 0.
func addOrAlias(dst [][]float64, parts [][][]float64) {
	for k, p := range parts {
		switch len(p) {
		case 0:
		case 1:
			dst[k] = p[0]
		default:
			add(dst[k:k+1], parts[k:k+1])
		}
	}
}
