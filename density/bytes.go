package density

import "context"

// ByteRelaying is an Env that takes bytes from party to party: those of a client for another through the
// server.
type ByteRelaying interface {
	// RelayBytes is one exchange x of bytes. Where to is All, every party receives what each sends; where it
	// is Each, every party what the server has for it; else the party to alone receives what each sends.
	// Clients send where x has a message that goes up. bytes is how many bytes are sent, by sender, or with
	// Each by receiver: all parties know it, and a message that is longer or shorter ends the run. own has
	// what parties of this process send, in that order, and what is returned what they receive; nil is
	// elsewhere. What all receive enters the seals of clients. Nothing crosses where no bytes are sent.
	RelayBytes(ctx context.Context, x *Exchange, to int, bytes []int, own [][]byte) ([][]byte, error)
	// Blame ends the run with an error: a party, one of those given, has sent what has its form, and what it
	// cannot have sent.
	Blame(ctx context.Context, parties []int, what string) error
}

// Receivers of ByteRelaying.RelayBytes that are no single party.
const (
	All  = -1
	Each = -2
)
