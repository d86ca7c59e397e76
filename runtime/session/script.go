package session

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// A frame is a message as the plan has it: the named channels of its arrays and their lengths. A frame without channels is not sent.
type frame struct {
	kind     string
	arrays   []transport.Array // names, and the data of the message being sent or received
	lens     []int
	channels []channel
}

// A channel is what an array of a frame carries, and of which shared parameter or sum of the plan: -1 where it is none.
type channel struct {
	Content
	of int
}

func (f *frame) channel(c Content, of int, name string, n int) {
	f.arrays = append(f.arrays, transport.Array{Name: descriptions[c].prefix + name})
	f.lens = append(f.lens, n)
	f.channels = append(f.channels, channel{c, of})
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

// A script is every message that one client and the server exchange. Both ends derive it from the plan and the table of kinds. Channels are in the
// order of the plan, those of shared parameters first.
type script struct {
	role                                          model.Role
	early, aux, reply, partial, whole, trailing   frame
	auxTally, replyTally                          frame // aux and reply with scalars in the last channel
	centre, total, part, sum, values, drawn       frame
	drawnMembers                                  []int                 // the channels of drawn: indices into role.Members
	relayed                                       [kindsOfScripts]frame // of the kinds from kindMoments on
	lateArrivals, earlyArrivals, trailingArrivals []int                 // indices into role.Arrivals
}

// frames are the messages by their position in kinds.
func (s *script) frames() [kindsOfScripts]*frame {
	all := [kindsOfScripts]*frame{
		kindEarly: &s.early, kindAux: &s.aux, kindReply: &s.reply, kindPartial: &s.partial, kindWhole: &s.whole, kindTrailing: &s.trailing,
		kindCentre: &s.centre, kindTotal: &s.total, kindPart: &s.part, kindSum: &s.sum, kindValues: &s.values, kindDrawn: &s.drawn,
	}
	for k := kindMoments; k < kindsOfScripts; k++ {
		all[k] = &s.relayed[k]
	}
	return all
}

func newScript(plan *model.Plan, client int) *script {
	s := &script{role: plan.Role(client)}
	for k, f := range s.frames() {
		f.kind = kinds[k].name
		for _, c := range kinds[k].carries {
			s.carry(f, c, plan)
		}
	}
	for i, a := range s.role.Arrivals {
		if a.Early {
			s.earlyArrivals = append(s.earlyArrivals, i)
		} else {
			s.lateArrivals = append(s.lateArrivals, i)
		}
		if afterAdjoints(circumstances(plan, a.Early)) {
			s.trailingArrivals = append(s.trailingArrivals, i)
		}
	}
	for i, m := range s.role.Members {
		if len(plan.Groups[m.Group].Quantities) > 0 {
			s.drawnMembers = append(s.drawnMembers, i)
		}
	}
	s.auxTally, s.replyTally = s.aux.withScalars(Scalars), s.reply.withScalars(ScalarTotal)
	return s
}

// carry adds the channels of a content to a frame.
func (s *script) carry(f *frame, c carried, plan *model.Plan) {
	switch c.content {
	case Value, Gradient:
		for _, a := range s.role.Arrivals {
			if c.when(circumstances(plan, a.Early)) {
				f.channel(c.content, a.Shared, plan.Shared[a.Shared].Name, a.Len)
			}
		}
	case Scalars, ScalarTotal, Answer:
		if c.when(circumstances(plan, false)) {
			f.channel(c.content, -1, scalarsName, 0)
		}
	case OthersSum, Partial:
		for _, r := range s.role.Receptions {
			s.group(f, c, plan, r.Group)
		}
	default:
		for _, m := range s.role.Members {
			s.group(f, c, plan, m.Group)
		}
	}
}

func (s *script) group(f *frame, c carried, plan *model.Plan, g int) {
	here := circumstances(plan, false)
	here.generated = len(plan.Groups[g].Quantities) > 0
	if c.when(here) {
		f.channel(c.content, g, plan.Groups[g].Name, plan.Groups[g].Len)
	}
}

// scalarsName is the channel of numbers that are added up.
const scalarsName = "scalars"

// withScalars is the frame with one more channel.
func (f *frame) withScalars(c Content) frame {
	w := frame{kind: f.kind, arrays: slices.Clone(f.arrays), lens: slices.Clone(f.lens), channels: slices.Clone(f.channels)}
	w.channel(c, -1, scalarsName, 0)
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
