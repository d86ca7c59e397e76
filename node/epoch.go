package node

import (
	"context"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// begin readies the party's part of the epoch.
func (p *participant) begin(s start, run string) error {
	if p.job != nil { // of an epoch that ended before its fit began
		p.link.Close()
		p.discard()
		p.job = nil
	}
	id, err := runID(run)
	if err != nil {
		return &refusal{CodeProtocol, err}
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	plan, uses, err := p.plan(o)
	if err != nil {
		return err
	}
	if err := forbidden(p.limits().Sums(sums(plan, p.index))); err != nil {
		return err
	}
	if p.policy == nil && !slices.Equal(plan.Names, p.names()) {
		return refuse(CodeWiring, "the parties of the run are %s, and those that were confirmed %s",
			list(plan.Names), list(p.names()))
	}
	link, masks, err := p.connect(id, run)
	if err != nil {
		return &refusal{CodeProtocol, err}
	}
	p.marks = &fit.Marks{Every: p.CheckpointEvery}
	if p.index == 0 {
		p.marks.Announce = link.Mark
	} else {
		link.Marked = p.marks.Set
	}
	guarded, err := p.guard(link, plan, uses)
	if err != nil {
		link.Close()
		return err
	}
	apart := &fit.Apart{Index: p.index, Transport: guarded, Keys: p.keys(id, run, masks),
		Hindered: s.Algorithm, Near: s.Near, Marks: p.marks, At: s.At, Decrypts: p.decrypts,
		Decrypt: guarded.Decrypt, MinCell: p.limits().MinCell}
	if err := p.ready(apart, o); err != nil {
		link.Close()
		return err
	}
	p.link, p.guarded = link, guarded
	return nil
}

// connect opens the links of the epoch: the server has one with every client, a client with the server.
// The keys of all clients, which their certificates sign, are those of their masks too. A second session
// under the key of the epoch would count packets and masks from the beginning again, so that there is none.
func (p *participant) connect(id transport.RunID, run string) (*transport.Endpoint, *session.MaskKeys,
	error) {
	own := p.secret
	if p.secret = nil; own == nil {
		return nil, nil, errors.New("the key of the epoch has had its session")
	}
	masks := &session.MaskKeys{Private: map[string]*ecdh.PrivateKey{}, Public: map[string]*ecdh.PublicKey{}}
	c := transport.EndpointConfig{Run: id, Epoch: p.epoch, Names: p.agreed.Names, Own: p.id.Party,
		Send: map[string]transport.PacketKey{}, Receive: map[string]transport.PacketKey{},
		Publish: p.carrier.Publish, MaxPacket: p.carrier.MaxPayload()}
	for i, peer := range c.Names {
		public, err := p.agreed.Keys[peer].check(p.id, run, p.epoch, peer)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 {
			masks.Public[peer] = public
		}
		if (i == 0) == (p.index == 0) {
			continue
		}
		secret, err := own.ECDH(public)
		if err != nil {
			return nil, nil, err
		}
		if c.Send[peer], err = linkKey(secret, run, p.epoch, p.id.Party, peer); err != nil {
			return nil, nil, err
		}
		if c.Receive[peer], err = linkKey(secret, run, p.epoch, peer, p.id.Party); err != nil {
			return nil, nil, err
		}
	}
	if p.index > 0 {
		masks.Private[p.id.Party] = own
	}
	link, err := transport.NewEndpoint(c)
	return link, masks, err
}

// runID is the number of a run from its hexadecimal form.
func runID(run string) (id transport.RunID, err error) {
	b, err := hex.DecodeString(run)
	if err != nil || len(b) != len(id) {
		return id, errors.New("the number of the run is no hexadecimal of 16 bytes")
	}
	copy(id[:], b)
	return id, nil
}

// keys are the sources of the party's random streams: all parties have the shared one, and each its own,
// which follows from the seed in its folder and the run.
func (p *participant) keys(id transport.RunID, run string, masks *session.MaskKeys) session.Keys {
	return session.Keys{Shared: vector.SharedKey(p.announce.Seed),
		Private: map[string]vector.Key{p.id.Party: p.ownKey(run)},
		ID:      transport.ChainID{Run: id, Epoch: p.epoch}, Agreed: p.told, Masks: masks}
}

// ownKey is the source of the random streams that the party has alone.
func (p *participant) ownKey(run string) vector.Key {
	if p.id.Simulated != nil {
		return vector.SimulatedKey(*p.id.Simulated, p.id.Party)
	}
	b, err := hkdf.Key(sha256.New, p.id.Stream[:], []byte(run), "vflc private stream v1", 32)
	if err != nil {
		panic("node: " + err.Error()) // the length is one that HKDF has
	}
	return vector.Key(b)
}

// run makes the party's part of the epoch, and saves its results.
func (p *participant) run(ctx context.Context) (Outcome, error) {
	job := p.job
	p.job = nil
	guarded := p.guarded
	r, err := job(ctx)
	if guarded.err != nil {
		err = guarded.err
	}
	if err = errors.Join(err, guarded.end()); err != nil {
		return nil, err
	}
	return r, nil
}

// A watcher is a Progress that keeps how far the chains are.
type watcher struct {
	fit.Progress
	note func(chain int, info backends.StepInfo)
}

func (w *watcher) Step(chain int, info backends.StepInfo) {
	w.note(chain, info)
	w.Progress.Step(chain, info)
}

// saveEvery is the time between two states that all parties save, where nobody sets it.
const saveEvery = 10 * time.Second
