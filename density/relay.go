package density

import "context"

// A RelaySize is how much crosses in a Relay: columns for each element of a cut, on the way up, and on the
// way down as many and Back more, or fewer where it is negative; numbers that are added up, and numbers that
// the server answers with.
type RelaySize struct {
	Columns, Back, Scalars, Answers int
	// Over: Answer has read sum before it writes down, which may have its place in memory.
	Over bool
}

// Down is how many columns there are on the way down.
func (s RelaySize) Down() int { return s.Columns + s.Back }

// Relayed is the algorithm's part in a Relay. Slices of slices are by the block's memberships
// (Linear.Members) or, at the server, by sum; columns follow one another. Every slice belongs to the Env and
// is valid during the call alone. What is the part of several fits, each with as many columns, one fit after
// another, has a method Fits that returns their numbers in rising order.
type Relayed interface {
	// Send sets what block b, a client, sends.
	Send(b int, up [][]float64, scalars []float64)
	// Answer is called at the server, with everything added up in party order, the server's own scalars not
	// included. It sets what every client receives. It may change total, and leaves sum as it is,
	// unless what it writes is Over it.
	Answer(sum [][]float64, total []float64, down [][]float64, answers []float64)
	// Receive takes what the server answered at block b, a client.
	Receive(b int, down [][]float64, answers []float64)
}

// Relaying is an Env over which vectors that go with the cuts are added and answered. It must have clients.
type Relaying interface {
	// Relay is one round trip, as the exchange x.
	Relay(ctx context.Context, x *Exchange, size RelaySize, by Relayed) error
	// Piece is how many of so many columns of draws an algorithm is to give to one Relay, so that the vectors
	// of all clients together have no more than MostNumbers: an even number, 2 at least, or all. It is the
	// same at every party.
	Piece(columns int) int
}

// MostNumbers is how many numbers of draws are on their way at once, from all clients together, unless two
// draws have more: 16 MB. What a server holds does not grow with the number of its clients then.
const MostNumbers = 1 << 21

// Piece is how many columns of draws one message takes, of which all clients together send so many numbers
// each.
func Piece(column int) int { return max(2, MostNumbers/max(1, column)/2*2) }
