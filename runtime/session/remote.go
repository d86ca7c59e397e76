package session

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// NewLocal returns the Env over all parties of the plan, whose graphs must all be there. Errors are a
// *model.WiringError, a *KeyError or a *MaskError.
func NewLocal(plan *model.Plan, keys Keys) (density.Env, error) { return newLocal(plan, keys, 0) }

// newLocal is NewLocal for evaluations that are spread over so many helpers.
func newLocal(plan *model.Plan, keys Keys, helpers int) (*evaluator, error) {
	if err := plan.Verify(); err != nil {
		return nil, err
	}
	all := make([]int, len(plan.Parties))
	for i := range all {
		all[i] = i
	}
	shared := newCommon(plan, keys)
	if err := shared.maskInside(plan, keys); err != nil {
		return nil, err
	}
	return newEvaluator(plan, keys, shared, nil, helpers, all...)
}

// maskInside makes the masks of all clients, where there are any. What they receive in one process is the
// same: its digest is left out.
func (c *common) maskInside(plan *model.Plan, keys Keys) error {
	if !plan.Wire.Masked {
		return nil
	}
	keys, err := keys.WithMasks(plan)
	if err != nil {
		return err
	}
	for i := 1; i < len(plan.Names) && len(plan.Names) > 2; i++ {
		p, err := newPairs(plan, i, keys.Masks)
		if err != nil {
			return err
		}
		c.masks[i] = newMasker(p, false)
	}
	return nil
}

// NewRemote returns the Env of the party with this index, which meets the others over t. Only this party's
// graph need be in the plan. Errors are a *model.WiringError, a *KeyError or a *MaskError here and, from the
// Env's methods, a *ProtocolError, a *PeerError, an error of the transport or of the context. Work counts the
// bytes that this party sent and received; at the server that is all.
func NewRemote(plan *model.Plan, index int, t transport.Transport, keys Keys) (density.Env, error) {
	return newRemote(plan, index, t, keys, 0, nil)
}

// newRemote is NewRemote for a lane whose messages leave with those of others, at clients with the masker of
// them all; nil: each message leaves by itself.
func newRemote(plan *model.Plan, index int, t transport.Transport, keys Keys, lane int,
	together *masker) (*evaluator, error) {
	if err := plan.Verify(); err != nil {
		return nil, err
	}
	shared := newCommon(plan, keys)
	w := &wire{shared: shared, transport: t, own: plan.Names[index], peers: plan.Names[1:], names: plan.Names,
		masker: together, lane: lane}
	w.seals = make([][]uint64, len(w.peers))
	if index > 0 {
		w.peers = plan.Names[:1]
	}
	if index > 0 && len(plan.Names) > 2 {
		if w.masker == nil {
			p, err := newPairs(plan, index, keys.Masks)
			if err != nil {
				return nil, err
			}
			w.masker = newMasker(p, false)
		}
		w.others = newWitness(w.masker.pairs, keys.Agreed)
	}
	return newEvaluator(plan, keys, shared, w, 0, index)
}
