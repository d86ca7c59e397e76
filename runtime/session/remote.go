package session

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// NewRemote returns the Env of the party with this index, which meets the others over t. Only this party's graph need be in the plan.
// Errors are a *model.WiringError or a *KeyError here and, from the Env's methods, a *ProtocolError, a *PeerError, an error of the transport or of the context.
// Work counts the bytes that this party sent and received; at the server that is all.
func NewRemote(plan *model.Plan, index int, t transport.Transport, keys Keys) (backends.Env, error) {
	b, err := newBase(plan, keys, index)
	if err != nil {
		return nil, err
	}
	if index == 0 {
		return newServer(b, t), nil
	}
	c := &client{base: b, script: newScript(plan, index), server: plan.Names[0]}
	c.seat = c.seats[0]
	c.wire = wire{transport: t, peers: plan.Names[:1], bytes: &c.work.Bytes}
	return c, nil
}

func newServer(b base, t transport.Transport) *server {
	s := &server{base: b, hub: newHub(b.plan)}
	s.seat = s.seats[0]
	for k := range b.plan.Names[1:] {
		s.scripts = append(s.scripts, newScript(b.plan, k+1))
	}
	s.wire = wire{transport: t, peers: b.plan.Names[1:], bytes: &s.work.Bytes}
	return s
}

// Apart is true of both ends.
func (*wire) Apart() bool { return true }

// measured counts the rounds of an exchange; its bytes are counted as they pass.
func (b *base) measured(p price) { b.work.Rounds += p.rounds }
