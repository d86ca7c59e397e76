package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vflc/vflc/runtime/transport"
)

// endTimeout is how long a party that ends the run waits for a peer to take the message with the reason.
const endTimeout = 2 * time.Second

// A ProtocolError is the error where a peer sent a message that the plan does not have there.
type ProtocolError struct{ Peer, What string }

func (e *ProtocolError) Error() string { return "session: " + e.Peer + " sent a " + e.What }

// A PeerError is the error where a peer has ended the run, with its reason.
type PeerError struct{ Peer, Reason string }

func (e *PeerError) Error() string { return "session: " + e.Peer + " ended the run: " + e.Reason }

// A wire is a party's end of its connections. After the first error it is dead: every later call returns that error.
type wire struct {
	transport transport.Transport
	peers     []string
	round     uint64 // exchanges begun, counted alike at all parties
	bytes     *int64 // payload sent and received
	err       error
}

// begin starts the next exchange.
func (w *wire) begin(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	if ctx.Err() != nil {
		return w.end(ctx, context.Cause(ctx))
	}
	w.round++
	return nil
}

// send sends the data that were loaded into f.
func (w *wire) send(ctx context.Context, to string, f *frame) error {
	if len(f.arrays) == 0 {
		return nil
	}
	if err := w.transport.Send(ctx, to, transport.Message{Round: w.round, Kind: f.kind, Arrays: f.arrays}); err != nil {
		return w.end(ctx, w.closedReason(ctx, to, err))
	}
	*w.bytes += f.bytes()
	return nil
}

// closedReason returns the reason that a closed peer has sent, if there is one in its messages, in place of err.
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
			return &PeerError{peer, m.Reason}
		}
	}
}

// recv waits for what f expects and leaves the data in f until the next recv from the same peer.
func (w *wire) recv(ctx context.Context, from string, f *frame) error {
	if len(f.arrays) == 0 {
		return nil
	}
	m, err := w.transport.Recv(ctx, from)
	if err != nil {
		return w.end(ctx, err)
	}
	if m.Kind == kindEnd {
		return w.end(ctx, &PeerError{from, m.Reason})
	}
	if err := f.accept(m, w.round); err != nil {
		return w.end(ctx, &ProtocolError{from, err.Error()})
	}
	*w.bytes += f.bytes()
	return nil
}

// end makes err the end of the run, sends it to all peers and returns it. A peer that does not get the message has ended by itself or finds the connection
// closed.
func (w *wire) end(ctx context.Context, err error) error {
	w.err = err
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	for _, peer := range w.peers {
		_ = w.transport.Send(ctx, peer, transport.Message{Round: w.round, Kind: kindEnd, Reason: fmt.Sprint(err)})
	}
	return err
}
