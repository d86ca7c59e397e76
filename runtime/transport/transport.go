// Package transport carries messages between the server and its clients. It does not interpret them: which message may be sent, and
// when, is decided by package session.
package transport

import "context"

// A Message is one transmission between two parties. Arrays and their elements belong to the sender until Send returns,
// and to the receiver until it next receives from the same peer.
type Message struct {
	Round  uint64 // number of the round, the same at both ends
	Kind   string // the step of the round
	Arrays []Array
	Reason string // the code of why the sender ended the run; empty in all other messages
	Party  string // with a Reason: the party where the cause is
}

// An Array is a named vector.
type Array struct {
	Name string
	Data []float64
}

// Transport is one party's end of its connections: a client is connected to the server only, the server to every client. Messages between
// two parties arrive once and in order. One goroutine at a time may use it, except Close, which any goroutine may call at any time.
type Transport interface {
	// Send sends m to the named party. It may wait until that party has read earlier messages.
	Send(ctx context.Context, to string, m Message) error
	// Recv waits for the next message from the named party. Messages sent before a party closed can still be received.
	Recv(ctx context.Context, from string) (Message, error)
	// Close ends all connections; calls at the other ends then return a *ClosedError.
	Close()
}

// A ClosedError is the error where a party has closed its connections.
type ClosedError struct{ Party string }

func (e *ClosedError) Error() string { return "transport: " + e.Party + " has closed its connection" }

// An UnconnectedError is the error where there is no connection between two parties.
type UnconnectedError struct{ From, To string }

func (e *UnconnectedError) Error() string {
	return "transport: " + e.From + " has no connection to " + e.To
}
