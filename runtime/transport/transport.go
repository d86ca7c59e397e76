// Package transport carries messages between the server and its clients. It does not interpret them: which
// message may be sent, and when, is decided by package session.
//
// Within a process messages pass through memory (NewMem). Between processes an Endpoint turns them into
// packets, and over a carrier that may lose, repeat, delay and forge packets gives connections on which each
// message arrives once, in order, from an authenticated sender, and unread by others. Nothing else numbers
// messages.
//
// An Endpoint numbers the messages of a direction and splits each into parts of at most MaxPart bytes. Every
// packet is encrypted with AES-256-GCM under a key of one direction between two parties, which they agree on
// anew for every epoch of a run; the nonce is the number of the message and of the part, so that a packet
// that is sent again has the same bytes, and its heading (run, epoch, sender, receiver, numbers) is
// authenticated with it. The receiver takes packets in their order, drops everything else, and acknowledges
// the last message up to which it has all; the sender keeps messages until then, and sends them again after a
// while, when the receiver misses one, and when a connection is back.
package transport

import "context"

// A Message is one transmission between two parties. Arrays and their elements belong to the sender until
// Send returns, and to the receiver until it next receives from the same peer. Append and Parse are its form
// as bytes.
type Message struct {
	ChainID
	Sender string // the party that has made the message; "" where the connection alone says so
	Round  uint64 // number of the round, the same at both ends
	Kind   string // the step of the round: with the round, which message of the script this is
	Arrays []Channel
	Reason string // the code of why the sender ended the run; empty in all other messages
	Party  string // with a Reason: the party where the cause is
}

// A ChainID names the messages that belong together. No two epochs of a run have the same, so that a sum
// never has parts of both.
type ChainID struct {
	Run   [16]byte
	Epoch uint32 // how often the run has been resumed
	Chain uint32 // from 1; 0 where there are no chains
}

// A Channel is a named vector: Data where the encoding is Plain, else Words.
type Channel struct {
	Name     string
	Data     []float64
	Words    []uint64 // integers mod 2^(8 Size); what they stand for is known to package session
	Encoding Encoding
	Invalid  bool // a number is not on the grid: the words mean nothing
	// NotFinite says of numbers that are not words that one of them is not finite: a receiver refuses such
	// numbers where the sender did not say so.
	NotFinite bool
	Size      uint8 // bytes of a number: 2, 3 or 4; 0: 8
	Step      int16 // of Short numbers, which are integers times 2^Step
	Grid      int16 // from a client: of its words; from the server: of the client's next words
	NextSize  uint8 // from the server: of the client's next words
}

// An Encoding is how the numbers of an array are written.
type Encoding uint8

// The encodings.
const (
	Plain  Encoding = iota // float64
	Fixed                  // integers on a grid
	Masked                 // the same with masks, which cancel in the sum over all contributors
	Short                  // float64 that are integers of less than 8 bytes times a power of two, or all NaN
	encodings
)

// keep makes a a copy of another array, in its own buffers.
func (a *Channel) keep(other Channel) {
	data, words := append(a.Data[:0], other.Data...), append(a.Words[:0], other.Words...)
	*a = other
	a.Data, a.Words = data, words
}

// Len is how many numbers the array has.
func (a Channel) Len() int { return len(a.Data) + len(a.Words) }

// Bytes is how many bytes the numbers of the array are.
func (a Channel) Bytes() int { return a.Len() * a.bytes() }

// bytes are those of a number.
func (a *Channel) bytes() int {
	if a.Size == 0 {
		return bytesPerNumber
	}
	return int(a.Size)
}

// Transport is one party's end of its connections: a client is connected to the server only, the server to
// every client. Messages between two parties arrive once and in order. One goroutine at a time may use it,
// except Close, which any goroutine may call at any time.
type Transport interface {
	// Send sends m to the named party. It may wait until that party has read earlier messages.
	Send(ctx context.Context, to string, m Message) error
	// Recv waits for the next message from the named party. Messages sent before a party closed can still be
	// received.
	Recv(ctx context.Context, from string) (Message, error)
	// Close ends all connections; calls at the other ends then return a *ClosedError.
	Close()
}

// A Departure is a message with its receiver.
type Departure struct {
	To string
	Message
}

// together is a Transport that sends messages to several peers in one call.
type together interface {
	SendAll(ctx context.Context, all []Departure) error
}

// A ClosedError is the error where a party has closed its connections.
type ClosedError struct{ Party string }

func (e *ClosedError) Error() string { return "transport: " + e.Party + " has closed its connection" }

// An UnconnectedError is the error where there is no connection between two parties.
type UnconnectedError struct{ From, To string }

func (e *UnconnectedError) Error() string {
	return "transport: " + e.From + " has no connection to " + e.To
}
