package session

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// NewRemote returns the Env of the party with this index, which meets the others over t. Only this party's graph need be in the plan.
// Errors are a *model.WiringError, a *KeyError or a *MaskError here and, from the Env's methods, a *ProtocolError, a *PeerError, an error of the transport or of the context.
// Work counts the bytes that this party sent and received; at the server that is all.
func NewRemote(plan *model.Plan, index int, t transport.Transport, keys Keys) (density.Env, error) {
	if err := plan.Verify(); err != nil {
		return nil, err
	}
	shared := newCommon(plan, keys)
	var others *witness
	if index > 0 && index < len(plan.Names) && len(plan.Names) > 2 {
		p, err := newPairs(plan, index, keys.Masks)
		if err != nil {
			return nil, err
		}
		others = newWitness(p, keys.Agreed)
		if plan.Wire.Masked {
			shared.masks[index] = newMasker(p, others.of)
		}
	}
	b, err := newBase(plan, keys, shared, 0, index)
	if err != nil {
		return nil, err
	}
	w := &wire{shared: shared, transport: t, own: plan.Names[index], peers: peersOf(plan, index), names: plan.Names, masker: shared.masks[index], others: others}
	w.seals = make([][]uint64, len(w.peers))
	w.posted, w.got = make([]uint64, len(w.peers)), make([]uint64, len(w.peers))
	err = b.divide(func(part *model.Plan) (density.Env, error) {
		of, err := newBase(part, keys, shared, 0, index)
		if err != nil {
			return nil, err
		}
		return newEnd(of, w, index), nil
	})
	if err != nil {
		return nil, err
	}
	end := newEnd(b, w, index)
	w.scripted = func(kind, channel string) bool {
		return slices.ContainsFunc(end.(interface{ played() []*script }).played(), func(s *script) bool { return s.answers(kind, channel) })
	}
	return end, nil
}

func (c *client) played() []*script { return []*script{c.script} }

func (s *server) played() []*script { return s.scripts }

// peersOf lists the parties that a party is connected to.
func peersOf(plan *model.Plan, index int) []string {
	if index == 0 {
		return plan.Names[1:]
	}
	return plan.Names[:1]
}

// newEnd is the party's end of the wire, which the Envs of its windows share: rounds are counted over all of them.
func newEnd(b base, w *wire, index int) density.Env {
	if index == 0 {
		return newServer(b, w)
	}
	return &client{base: b, wire: w, party: b.parties[0], script: newScript(b.plan, index, b.codes), server: b.plan.Names[0]}
}

func newServer(b base, w *wire) *server {
	s := &server{base: b, wire: w, sums: newSums(b.plan, b.codes), party: b.parties[0]}
	for k := range b.plan.Names[1:] {
		s.scripts = append(s.scripts, newScript(b.plan, k+1, b.codes))
	}
	return s
}

// Apart is true of both ends.
func (*wire) Apart() bool { return true }

// measured counts the rounds of an exchange; its bytes are counted as they pass.
func (b *base) measured(p price) {
	b.work.Rounds += p.rounds
	if !p.told {
		b.work.Sequential += p.rounds
	}
}
