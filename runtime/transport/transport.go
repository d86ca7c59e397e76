// Package transport carries messages between the server and its clients. It does not interpret them: which message may be sent, and
// when, is decided by package session.
package transport

import "context"

// A Message is what crosses between two parties at once. Arrays and their elements belong to the sender until Send returns,
// and to the receiver until it next receives from the same peer.
type Message struct {
	Round  uint64 // number of the exchange it belongs to, counted alike at both ends
	Kind   string // which step of the exchange
	Arrays []Array
	Reason string // why the sender ended the run; empty in all other messages
}

// An Array is a named vector.
type Array struct {
	Name string
	Data []float64
}

// Transport is one party's end of its connections: a client is connected to the server alone, the server to every client. Messages between
// two parties arrive once and in order. It is for one goroutine at a time, except Close, which may be called from anywhere.
type Transport interface {
	// Send hands over m for the named party. It may wait for the party to read earlier messages.
	Send(ctx context.Context, to string, m Message) error
	// Recv waits for the next message of the named party. What a party sent before it closed can still be received.
	Recv(ctx context.Context, from string) (Message, error)
	// Close ends all connections; the other ends then get a *ClosedError.
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
