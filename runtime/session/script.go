package session

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// The kinds of message, with their direction: ↑ from a client to the server, ↓ back.
const (
	kindEarly    = "early"      // ↓
	kindAux      = "aux"        // ↑
	kindReply    = "reply"      // ↓
	kindPartial  = "partial"    // ↑
	kindWhole    = "whole"      // ↓
	kindTrailing = "trailing"   // ↑
	kindCentre   = "centre"     // ↑ Totals
	kindTotal    = "total"      // ↓
	kindPart     = "sum part"   // ↑ Sum
	kindSum      = "sum"        // ↓
	kindValues   = "values"     // ↓ Values
	kindEnd      = "end of run" // either way: the sender has met an error, which is in Reason
)

// A frame is a message as the plan has it: the named channels of its arrays and their lengths. A frame without channels is not sent.
type frame struct {
	kind   string
	arrays []transport.Array // names, and the data of the message being sent or received
	lens   []int
}

func (f *frame) channel(name string, n int) {
	f.arrays = append(f.arrays, transport.Array{Name: name})
	f.lens = append(f.lens, n)
}

// load puts data into channel k, for sending.
func (f *frame) load(k int, data []float64) { f.arrays[k].Data = data }

func (f *frame) bytes() (n int64) {
	for _, l := range f.lens {
		n += int64(l) * bytesPerNumber
	}
	return n
}

// accept takes the data of a message after comparing it with the frame.
func (f *frame) accept(m transport.Message, round uint64) error {
	switch {
	case m.Kind != f.kind:
		return fmt.Errorf("message %q where the plan has %q", m.Kind, f.kind)
	case m.Round != round:
		return fmt.Errorf("message %q of round %d in round %d", m.Kind, m.Round, round)
	case len(m.Arrays) != len(f.arrays):
		return fmt.Errorf("message %q with %d channels where the plan has %d", m.Kind, len(m.Arrays), len(f.arrays))
	}
	for i, a := range m.Arrays {
		if a.Name != f.arrays[i].Name {
			return fmt.Errorf("message %q: channel %q where the plan has %q", m.Kind, a.Name, f.arrays[i].Name)
		}
		if len(a.Data) != f.lens[i] {
			return fmt.Errorf("message %q: channel %q has length %d where the plan has %d", m.Kind, a.Name, len(a.Data), f.lens[i])
		}
	}
	for i, a := range m.Arrays {
		f.arrays[i].Data = a.Data
	}
	return nil
}

// A script is every message that one client and the server exchange. Both ends derive it from the plan. Channels are in the order of the plan,
// those of shared parameters first.
type script struct {
	role                                          model.Role
	early, aux, reply, partial, whole, trailing   frame
	auxTally, replyTally                          frame // aux and reply with scalars in the last channel
	centre, total, part, sum, values              frame
	lateArrivals, earlyArrivals, trailingArrivals []int // indices into role.Arrivals
}

func newScript(plan *model.Plan, client int) *script {
	s := &script{role: plan.Role(client)}
	s.name()
	s.arrivals(plan)
	for _, m := range s.role.Members {
		s.member(plan, plan.Groups[m.Group])
	}
	for _, r := range s.role.Receptions {
		g := plan.Groups[r.Group]
		s.reply.channel("sum "+g.Name, g.Len)
		s.partial.channel("adjoint "+g.Name, g.Len)
	}
	s.part.channel("scalars", 0)
	s.sum.channel("scalars", 0)
	s.auxTally, s.replyTally = s.aux.withScalars(), s.reply.withScalars()
	return s
}

// withScalars is the frame with one more channel.
func (f *frame) withScalars() frame {
	w := frame{kind: f.kind, arrays: slices.Clone(f.arrays), lens: slices.Clone(f.lens)}
	w.channel("scalars", 0)
	return w
}

// opening is how an evaluation begins: the frames with z and with the answer, with room for what t adds up, which may be nil.
func (s *script) opening(t *density.Decision) (up, down *frame) {
	if t == nil {
		return &s.aux, &s.reply
	}
	up, down = &s.auxTally, &s.replyTally
	n := len(t.Total)
	up.lens[len(up.lens)-1], down.lens[len(down.lens)-1] = n, n
	return up, down
}

// scalars is the last channel.
func (f *frame) scalars() *[]float64 { return &f.arrays[len(f.arrays)-1].Data }

func (s *script) name() {
	s.early.kind, s.aux.kind, s.reply.kind = kindEarly, kindAux, kindReply
	s.partial.kind, s.whole.kind, s.trailing.kind = kindPartial, kindWhole, kindTrailing
	s.centre.kind, s.total.kind, s.part.kind, s.sum.kind, s.values.kind = kindCentre, kindTotal, kindPart, kindSum, kindValues
}

// arrivals adds the channels of shared parameters. In power, gradients of those that no cut depends on travel with the partial adjoints.
func (s *script) arrivals(plan *model.Plan) {
	for i, a := range s.role.Arrivals {
		name := plan.Shared[a.Shared].Name
		down, up := &s.reply, &s.trailing
		if a.Early {
			down = &s.early
			s.earlyArrivals = append(s.earlyArrivals, i)
		} else {
			s.lateArrivals = append(s.lateArrivals, i)
		}
		if plan.Power && !a.Early {
			up = &s.partial
		} else {
			s.trailingArrivals = append(s.trailingArrivals, i)
		}
		down.channel("value "+name, a.Len)
		up.channel("gradient "+name, a.Len)
		s.values.channel("value "+name, a.Len)
	}
}

// member adds the channels of a sum that a cut of the client enters.
func (s *script) member(plan *model.Plan, g model.Group) {
	s.aux.channel("z "+g.Name, g.Len)
	s.centre.channel("centre "+g.Name, g.Len)
	s.total.channel("total "+g.Name, g.Len)
	back := &s.reply
	if plan.Power {
		back = &s.whole
	}
	back.channel("adjoint "+g.Name, g.Len)
}
