package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vflc/vflc/runtime/transport"
)

// endTimeout is how long a party that ends the run waits for a peer to take the message with the reason.
const endTimeout = 2 * time.Second

// A ProtocolError is the error where a peer sent a message that the plan does not have there.
type ProtocolError struct {
	Peer, What string
	Value      bool // the message has its form, but numbers that it cannot have
}

func (e *ProtocolError) Error() string { return "session: " + e.Peer + " sent a " + e.What }

// A PeerError is the error where a peer has ended the run. Party is where the cause is: the peer itself, or
// one that it names.
type PeerError struct {
	Peer  string
	Code  EndCode
	Party string
	At    *Address // of EndUnlike: what may be unlike, where the peer has said it of a channel that there is
}

func (e *PeerError) Error() string {
	who := e.Party
	if who == e.Peer {
		who = "it"
	}
	at := ""
	if e.At != nil {
		at = ": " + e.At.String()
	}
	return fmt.Sprintf("session: %s ended the run: %s %s%s (code %s)", e.Peer, who, endMeanings[e.Code], at,
		e.Code)
}

// An EndCode is all that a party sends its peers about why it ended the run: texts of errors may hold data,
// and stay where they are.
type EndCode string

// The codes.
const (
	EndProtocol  EndCode = "protocol"  // a message that the plan does not have
	EndLost      EndCode = "lost"      // a connection that is closed
	EndCancelled EndCode = "cancelled" // somebody or something stopped the run
	EndUnlike    EndCode = "unlike"    // clients that have not received the same
	EndFailed    EndCode = "failed"    // anything else
)

// endMeanings say of a party what each code means.
var endMeanings = map[EndCode]string{
	EndProtocol:  "sent a message that the plan does not have",
	EndLost:      "has closed its connection",
	EndCancelled: "was told to stop",
	EndUnlike:    "has not sent all clients the same, or has altered what they say of it",
	EndFailed:    "met an error",
}

// endOf is the code of an error at a party, and the party where the cause is.
func endOf(err error, own string) (EndCode, string) {
	var protocol *ProtocolError
	var peer *PeerError
	var closed *transport.ClosedError
	var unlike *UnlikeError
	switch {
	case errors.As(err, &unlike):
		return EndUnlike, unlike.Server
	case errors.As(err, &protocol):
		return EndProtocol, protocol.Peer
	case errors.As(err, &peer):
		return peer.Code, peer.Party
	case errors.As(err, &closed):
		return EndLost, closed.Party
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return EndCancelled, own
	}
	return EndFailed, own
}

// ended reads the message of a peer that has ended the run. What is no code or no party of the run is not
// repeated.
func (w *wire) ended(peer string, m transport.Message) *PeerError {
	e := &PeerError{Peer: peer, Code: EndCode(m.Reason), Party: m.Party}
	if _, known := endMeanings[e.Code]; !known {
		e.Code = EndFailed
	}
	if !slices.Contains(w.names, e.Party) {
		e.Party = peer
	}
	if e.Code == EndUnlike && len(m.Arrays) == 2 && slices.ContainsFunc(w.clients, func(c *client) bool {
		return c.answers(m.Arrays[0].Name, m.Arrays[1].Name)
	}) {
		e.At = &Address{m.Chain, m.Round, m.Arrays[0].Name, m.Arrays[1].Name}
	}
	return e
}

// A wire is the executor of one party, at its end of the connections. After the first error it is dead: every
// later call returns that error.
type wire struct {
	shared    *common // with the Env
	transport transport.Transport
	own       string
	peers     []string
	names     []string          // of all parties
	others    *witness          // at a client, where there are others
	masker    *masker           // with it
	lane      int               // of the masker
	seals     [][]uint64        // at the server, of the exchange: what each client has sent
	clients   []*client         // of the Env
	ahead     transport.Message // received, of a kind that another turn expects
	early     bool              // there is one
	err       error
}

func (*wire) apart() bool { return true }

func (w *wire) ready(ctx context.Context) error {
	if w.err == nil && ctx.Err() != nil {
		return w.end(ctx, context.Cause(ctx))
	}
	return w.err
}

func (w *wire) turn(ctx context.Context, e *evaluator, t *turn) error {
	if e.server == nil {
		return w.answer(ctx, e, t)
	}
	if t.when != nil && !t.when(e) {
		return nil
	}
	if t.before != nil {
		t.before(e)
	}
	for k, c := range e.clients {
		down := e.message(c, t.down)
		if t.load != nil {
			t.load(e, c, down)
		}
		if err := w.send(ctx, w.peers[k], down); err != nil {
			return err
		}
	}
	if !e.wanted {
		return nil
	}
	if t.beside != nil {
		t.beside(e)
	}
	for k, c := range e.clients {
		up := e.message(c, t.up)
		if err := w.recv(ctx, w.peers[k], up); err != nil {
			return err
		}
		if t.take != nil {
			t.take(e, c, up)
		}
		up.release()
	}
	if t.after != nil {
		t.after(e)
	}
	return nil
}

// answer is a client's part of a turn.
func (w *wire) answer(ctx context.Context, e *evaluator, t *turn) error {
	c := e.clients[0]
	down, up := e.message(c, t.down), e.message(c, t.up)
	if t.when != nil {
		if comes, err := w.comes(ctx, down); err != nil || !comes {
			return err
		}
	}
	if err := w.recv(ctx, w.peers[0], down); err != nil {
		return err
	}
	if t.work != nil {
		t.work(e, c, down, up)
	}
	if down.optional() && down.lacks == e.wanted {
		return w.end(ctx, &ProtocolError{Peer: w.peers[0], What: fmt.Sprintf(
			"message %q whose totals do not say whether it has other numbers", down.kind.Name)})
	}
	if !e.wanted {
		return nil
	}
	return w.send(ctx, w.peers[0], up)
}

// send sends the data that were loaded into f.
func (w *wire) send(ctx context.Context, to string, f *frame) error {
	if len(f.arrays) == 0 {
		return nil
	}
	f.announce()
	w.seal(to, f)
	for k, a := range f.arrays {
		if err := f.formed(k, a); err != nil {
			return w.end(ctx,
				&ProtocolError{Peer: w.own, What: fmt.Sprintf("message %q: %v", f.kind.Name, err)})
		}
	}
	if w.masker != nil {
		l := letter{w.lane, w.shared.id, w.shared.round, f, f.arrays, w.others}
		if err := w.masker.send(l); err != nil {
			return w.end(ctx, err)
		}
	}
	if err := w.transport.Send(ctx, to,
		w.message(transport.Message{Kind: f.kind.Name, Arrays: f.arrays})); err != nil {
		return w.end(ctx, w.closedReason(ctx, to, err))
	}
	w.shared.work.Bytes += f.bytes()
	return nil
}

// seal readies the arrays of a message for what the masker writes into them, and writes into its seals what
// the others have sent.
func (w *wire) seal(to string, f *frame) {
	a := f.seals()
	if w.others != nil {
		f.covered()
		if a != nil {
			w.others.seal(f, w.shared.id, w.shared.round)
		}
		return
	}
	if a == nil {
		return
	}
	a.Words, a.Encoding = a.Words[:0], transport.Fixed
	own := slices.Index(w.peers, to)
	for k, words := range w.seals {
		at := own // among the clients without k
		if k < own {
			at--
		}
		if k != own {
			a.Words = append(a.Words, words[at*sealWords:][:sealWords]...)
		}
	}
}

// unseal takes the seals of a message, and at a client what it has received with them.
func (w *wire) unseal(from string, f *frame) error {
	a := f.seals()
	switch {
	case w.others == nil && a != nil:
		k := slices.Index(w.peers, from)
		w.seals[k] = append(w.seals[k][:0], a.Words...)
	case w.others != nil && a != nil:
		if err := w.others.check(f, w.shared.round); err != nil {
			return err
		}
	}
	if w.others != nil {
		w.others.take(f, w.shared.round)
	}
	return nil
}

// message completes a message.
func (w *wire) message(m transport.Message) transport.Message {
	m.ChainID, m.Sender, m.Round = w.shared.id, w.own, w.shared.round
	return m
}

// from compares the head of a message with its peer and the run. Which message is due, the script says: every
// round has each kind once.
func (w *wire) from(peer string, m transport.Message) error {
	switch {
	case m.Sender != peer:
		return &ProtocolError{Peer: peer, What: "message of another sender"}
	case m.ChainID != w.shared.id:
		return &ProtocolError{Peer: peer,
			What: "message of another run, another epoch of it or another chain"}
	}
	return nil
}

// closedReason returns the reason that a closed peer has sent, if there is one in its messages, in place of
// err.
func (w *wire) closedReason(ctx context.Context, peer string, err error) error {
	var closed *transport.ClosedError
	if !errors.As(err, &closed) || closed.Party != peer {
		return err
	}
	for {
		m, gone := w.transport.Recv(ctx, peer)
		if gone != nil {
			return err
		}
		if m.Kind == kindEnd {
			return w.ended(peer, m)
		}
	}
}

// comes reports whether the next message from the server is of the kind of f, which it need not be. It is
// received next.
func (w *wire) comes(ctx context.Context, f *frame) (bool, error) {
	if len(f.arrays) == 0 {
		return false, nil
	}
	m, err := w.transport.Recv(ctx, w.peers[0])
	if err != nil {
		return false, w.end(ctx, err)
	}
	w.ahead, w.early = m, true
	return m.Kind == f.kind.Name, nil
}

// next is the next message from a peer.
func (w *wire) next(ctx context.Context, from string) (m transport.Message, err error) {
	if w.early {
		w.early = false
		return w.ahead, nil
	}
	return w.transport.Recv(ctx, from)
}

// recv waits for what f expects and leaves the data in f until the next recv from the same peer.
func (w *wire) recv(ctx context.Context, from string, f *frame) error {
	if len(f.arrays) == 0 {
		return nil
	}
	m, err := w.next(ctx, from)
	if err != nil {
		return w.end(ctx, err)
	}
	if m.Kind == kindEnd {
		return w.end(ctx, w.ended(from, m))
	}
	if err := w.from(from, m); err != nil {
		return w.end(ctx, err)
	}
	if err := f.accept(m, w.shared.round); err != nil {
		var value *valueError
		return w.end(ctx, &ProtocolError{Peer: from, What: err.Error(), Value: errors.As(err, &value)})
	}
	if err := w.unseal(from, f); err != nil {
		return w.end(ctx, err)
	}
	w.shared.work.Bytes += f.bytes()
	return nil
}

// end makes err the end of the run, sends its code to all peers and returns it. A peer that does not get the
// message has ended by itself or finds the connection closed.
func (w *wire) end(ctx context.Context, err error) error {
	w.err = err
	code, party := endOf(err, w.own)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	last := transport.Message{Kind: kindEnd, Reason: string(code), Party: party}
	var unlike *UnlikeError
	if errors.As(err, &unlike) {
		last.Arrays = []transport.Channel{{Name: unlike.Kind}, {Name: unlike.Channel}} // without numbers
	}
	for _, peer := range w.peers {
		m := w.message(last)
		if unlike != nil {
			m.Round = unlike.Round
		}
		_ = w.transport.Send(ctx, peer, m)
	}
	return err
}
