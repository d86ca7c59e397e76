package node

import (
	"context"
	"crypto/ecdh"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/transport"
)

// AlignOptions are what a party of an alignment is started with.
type AlignOptions struct {
	Identity *identity.Identity
	Table    *Identified // nil at a server that brings no rows
	Key      string
	Rules    align.Rules
	Out      string // the aligned table; "" at a server that brings no rows
	Listen   string // of the server alone, as in Options
	NATS     carrier.Cluster
	Say      func(string)
	connect  func(*identity.Identity, carrier.Handlers) (conveyor, error) // nil: as the fields say
}

// A call is what the server of an alignment tells its clients until it has ended; an answer is what a client
// tells the server.
type call struct {
	Align string    `json:"align"` // the number of the alignment
	Names []string  `json:"names"`
	Key   signedKey `json:"key"`
	Ended *ending   `json:"ended,omitempty"`
}

type answer struct {
	Align       string    `json:"align"`
	Incarnation string    `json:"incarnation"`
	Key         signedKey `json:"key"`
}

// aligning is one party's alignment.
type aligning struct {
	AlignOptions
	*node
	run    string
	names  []string
	secret *ecdh.PrivateKey
	key    signedKey
	keys   map[string]*ecdh.PublicKey // of peers
	known  map[string]string          // incarnations of clients
	link   *transport.Endpoint
	done   chan error
	result *align.Result
	over   atomic.Bool // this party has its result
}

// alignEpoch is the epoch of an alignment's link: there is one only.
const alignEpoch = 1

// settleMost bounds how long the end of an alignment waits for peers to have the last message.
const settleMost = 10 * time.Second

type alignText struct {
	from string
	text []byte
}

// Align does the party's part of an alignment of all parties of its project. It waits for them as long as
// that takes. The error is an *align.Error or an *EndedError where another party is at fault.
func Align(ctx context.Context, o AlignOptions) (*Aligned, error) {
	j := quietJournal()
	j.say = o.Say
	n := &node{PartyOptions: PartyOptions{Listen: o.Listen, NATS: o.NATS, connect: o.connect}, journal: j,
		id: o.Identity, secrets: newSecrets(o.Identity), own: randomID(), heard: map[string]time.Time{},
		events: make(chan any, 256)}
	a := &aligning{AlignOptions: o, node: n, keys: map[string]*ecdh.PublicKey{}, known: map[string]string{},
		done: make(chan error, 1)}
	joined, err := join(n.id.Party, o.Identity.Dir())
	if err != nil {
		return nil, err
	}
	defer joined.Release()
	project := o.Identity.Project
	serve := n.id.Party == project.Server
	err = n.carryTo(carrier.Handlers{Packet: a.packet, Back: func() {},
		Notice: func(text string) { n.note("%s", text) }, Refuse: func(err error) {
			if !a.over.Load() { // the server has what it needs, and goes
				n.warn(err)
			}
		}})
	if err != nil {
		return nil, err
	}
	defer n.carrier.Close()
	if serve {
		a.run, a.names = randomID(),
			append([]string{project.Server}, slices.DeleteFunc(slices.Clone(project.Parties),
				func(p string) bool {
					return p == project.Server
				})...)
		a.secret, a.key = newKey(n.id, a.run, alignEpoch)
		n.note("%s aligns rows on %s, and waits for %s", n.id.Party, n.carrier.Where(), list(a.names[1:]))
	} else {
		n.note("%s aligns rows with %s at %s", n.id.Party, project.Server, n.carrier.Where())
	}
	if err := a.loop(ctx, serve); err != nil {
		return nil, err
	}
	id, err := runID(a.run)
	if err != nil {
		return nil, err
	}
	out := aligned(project.Name, transport.ChainID{Run: id}, o.Key, o.Rules, a.names, a.result,
		len(a.result.Rows))
	if o.Table == nil {
		return out, nil
	}
	return out, o.Table.write(o.Out, a.result.Rows, out)
}

func (a *aligning) packet(from string, packet []byte) {
	if t, ok := a.receive(from, packet); ok {
		a.events <- alignText{t.from, t.text}
	}
}

func (a *aligning) loop(ctx context.Context, serve bool) error {
	began, missing := time.Now(), map[string]bool{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if a.link != nil {
			a.link.Close()
		}
	}()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-a.done:
			a.over.Store(err == nil)
			a.settle(ctx)
			if !serve {
				time.Sleep(2 * lookEvery) // the last acknowledgement leaves
			}
			return err
		case e := <-a.events:
			switch e := e.(type) {
			case answerEvent:
				a.answerTo(e)
			case backEvent:
				err = a.tellPeers(serve, nil)
			case otherEvent:
				a.end(ctx, serve, &EndedError{Party: e.party, Code: CodeVersion}, ticker.C)
				return a.secrets.refuses(e)
			case alignText:
				if serve {
					err = a.answered(ctx, e)
				} else {
					err = a.called(ctx, e)
				}
			}
		case <-ticker.C:
			err = a.tellPeers(serve, nil)
			a.look(serve, began, missing)
		}
		if err != nil {
			a.end(ctx, serve, err, ticker.C)
			return err
		}
	}
}

// settle waits until the peers have the last message. Nothing that they say changes the result any more, but
// packets come only where events are taken.
func (a *aligning) settle(ctx context.Context) {
	wait, stop := context.WithTimeout(ctx, settleMost)
	defer stop()
	lacking := make(chan []string, 1)
	go func() { lacking <- a.link.Flush(wait) }()
	for {
		select {
		case e := <-a.events:
			if e, ok := e.(answerEvent); ok {
				a.answerTo(e)
			}
		case names := <-lacking:
			if len(names) > 0 {
				a.note("%s did not say that the last message has come; "+
					"where it waits, begin the alignment again at all parties", list(names))
			}
			return
		}
	}
}

// end tells the peers that the alignment has failed. The server repeats it as long as a party takes to be
// missed: each client is to know why, one that is just connecting too.
func (a *aligning) end(ctx context.Context, serve bool, failed error, tick <-chan time.Time) {
	for told := time.Now(); ; {
		_ = a.tellPeers(serve, failed) // the alignment has failed already
		if !serve || time.Since(told) >= missedAfter {
			return
		}
		select {
		case <-ctx.Done():
			return
		case e := <-a.events:
			if e, ok := e.(answerEvent); ok {
				a.answerTo(e)
			}
		case <-tick:
		}
	}
}

// tellPeers repeats what the peers must know. The error is one that each repetition has too.
func (a *aligning) tellPeers(serve bool, failed error) error {
	// before it was called too: hellos may be lost, and one that knows the other does not send them
	if !serve {
		return a.tell(a.id.Project.Server, answer{a.run, a.own, a.key})
	}
	c := call{Align: a.run, Names: a.names, Key: a.key}
	var ended *EndedError
	if errors.As(failed, &ended) {
		c.Ended = &ending{Party: ended.Party, Code: ended.Code}
	}
	for _, name := range a.names[1:] {
		if err := a.tell(name, c); err != nil {
			return err
		}
	}
	return nil
}

// look says who is missing.
func (a *aligning) look(serve bool, began time.Time, missing map[string]bool) {
	peers := []string{a.id.Project.Server}
	if serve {
		peers = a.names[1:]
	}
	for _, name := range peers {
		if silent := a.silent(name, began); silent != missing[name] {
			if missing[name] = silent; silent {
				a.note("%s is missing: nothing was heard from it for 6 s; the alignment waits", name)
			} else {
				a.note("%s is back", name)
			}
		}
	}
}

// answered takes a client's answer; when all have answered the alignment begins.
func (a *aligning) answered(ctx context.Context, p alignText) error {
	var m answer
	from := p.from
	if !strictly(p.text, &m) || wellFormed(m) != nil || !slices.Contains(a.names[1:], from) {
		return nil // not a message of an alignment
	}
	a.hear(from)
	if m.Align != a.run {
		return nil // it does not know this alignment yet
	}
	if known := a.known[from]; known != "" {
		if known != m.Incarnation {
			return &EndedError{Party: from, Code: CodeFailed} // its secret is gone
		}
		return nil
	}
	key, err := m.Key.check(a.id, a.run, alignEpoch, from)
	if err != nil {
		return &EndedError{Party: from, Code: CodeProtocol}
	}
	a.known[from], a.keys[from] = m.Incarnation, key
	a.note("%s has joined", from)
	if len(a.keys) < len(a.names)-1 {
		return nil
	}
	return a.begin(ctx)
}

// called takes the server's call.
func (a *aligning) called(ctx context.Context, p alignText) error {
	var m call
	server := a.id.Project.Server
	if !strictly(p.text, &m) || wellFormed(m) != nil || p.from != server {
		return nil // not a message of an alignment
	}
	a.hear(server)
	switch {
	case m.Ended != nil && (m.Align == a.run || a.run == ""):
		return &EndedError{Party: m.Ended.Party, Code: m.Ended.Code}
	case a.run == m.Align:
		return nil
	case a.run != "":
		return &EndedError{Party: server, Code: CodeFailed} // it was started again
	case len(m.Names) < 2 || m.Names[0] != server || !slices.Contains(m.Names[1:], a.id.Party):
		return &EndedError{Party: server, Code: CodeProtocol}
	}
	key, err := m.Key.check(a.id, m.Align, alignEpoch, server)
	if err != nil {
		return &EndedError{Party: server, Code: CodeProtocol}
	}
	a.run, a.names, a.keys[server] = m.Align, m.Names, key
	a.secret, a.key = newKey(a.id, a.run, alignEpoch)
	if err := a.begin(ctx); err != nil {
		return err
	}
	return a.tellPeers(false, nil)
}

// begin opens the link and starts the party's part.
func (a *aligning) begin(ctx context.Context) error {
	id, err := runID(a.run)
	if err != nil {
		return &EndedError{Party: a.names[0], Code: CodeProtocol}
	}
	c := transport.EndpointConfig{Run: id, Epoch: alignEpoch, Names: a.names, Own: a.id.Party,
		Send: map[string]transport.PacketKey{}, Receive: map[string]transport.PacketKey{},
		Publish: a.carrier.Publish, MaxPacket: a.carrier.MaxPayload()}
	for peer, public := range a.keys {
		secret, err := a.secret.ECDH(public)
		if err != nil {
			return &EndedError{Party: peer, Code: CodeProtocol}
		}
		if c.Send[peer], err = linkKey(secret, a.run, alignEpoch, a.id.Party, peer); err != nil {
			return err
		}
		if c.Receive[peer], err = linkKey(secret, a.run, alignEpoch, peer, a.id.Party); err != nil {
			return err
		}
	}
	if a.link, err = transport.NewEndpoint(c); err != nil {
		return err
	}
	a.active.Store(a.link)
	party := &align.Participant{Names: a.names, Own: a.id.Party,
		ID:        transport.ChainID{Run: id, Epoch: alignEpoch},
		Messenger: a.link, Rules: a.Rules}
	if a.Table != nil {
		party.Keys = a.Table.keys.Normal
	}
	go func() {
		result, err := align.Run(ctx, party)
		a.result = result
		a.done <- err
	}()
	return nil
}
