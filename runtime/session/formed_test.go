package session

import (
	"context"
	"errors"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/transport"
)

// posted keeps what a party has sent.
type posted struct{ all []transport.Message }

func (p *posted) Send(_ context.Context, _ string, m transport.Message) error {
	p.all = append(p.all, m)
	return nil
}
func (*posted) Recv(context.Context, string) (transport.Message, error) {
	return transport.Message{}, &transport.ClosedError{}
}
func (*posted) Close() {}

// What a receiver would refuse does not leave: the party ends the run by its own name. A message as it should
// be does.
func TestMessagesWithoutAFormDoNotLeave(t *testing.T) {
	for name, change := range map[string]func(*transport.Channel){
		"as it should be":    func(*transport.Channel) {},
		"a number less":      func(a *transport.Channel) { a.Data = a.Data[1:] },
		"another encoding":   func(a *transport.Channel) { a.Encoding = transport.Masked },
		"a grid":             func(a *transport.Channel) { a.Grid = 3 },
		"a mark":             func(a *transport.Channel) { a.Invalid = true },
		"words beside these": func(a *transport.Channel) { a.Words = []uint64{1} },
	} {
		f := &frame{kind: ownKind(kindAux)}
		f.channel("s", channel{content: density.Auxiliary, len: 3})
		f.load(0, []float64{1, 2, 3})
		change(&f.arrays[0])
		out := &posted{}
		w := &wire{shared: &common{}, transport: out, own: "a", peers: []string{"server"},
			names: []string{"server", "a"}}
		err := w.send(t.Context(), "server", f)
		var fault *ProtocolError
		switch right := name == "as it should be"; {
		case right && (err != nil || len(out.all) != 1 || out.all[0].Kind != "aux"):
			t.Errorf("%s: %v, %v", name, err, out.all)
		case !right && (!errors.As(err, &fault) || fault.Peer != "a" || len(out.all) != 1 ||
			out.all[0].Kind != kindEnd || out.all[0].Party != "a"):
			t.Errorf("%s: %v, %v", name, err, out.all)
		}
	}
}
