package session

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/transport"
)

// mostWords is how many words of all parties together are on their way at once: 32 MB.
const mostWords = 2 * density.MostNumbers

// A cargo is bytes on their way from party to party, as words, in pieces.
type cargo struct {
	exchange *density.Exchange
	to       int
	bytes    []int // by sender, or by receiver where each has its own
	own, got [][]byte
	words    [][]uint64 // of this piece, by the same order
	piece    int        // words of one in a message
	from     int        // words of each that have gone
}

// carrying brings a piece to the server, and from there to whom it is for.
var carrying = []turn{
	{down: silent, work: (*evaluator).sendBytes, up: bytesUp, take: (*evaluator).takeBytes},
	{before: (*evaluator).loadBytes, down: bytesDown, load: (*evaluator).passBytes,
		work: (*evaluator).receiveBytes, up: silent},
}

// RelayBytes implements density.ByteRelaying. In one process nothing moves.
func (e *evaluator) RelayBytes(ctx context.Context, x *density.Exchange, to int, bytes []int,
	own [][]byte) ([][]byte, error) {
	if !e.plan.Wire.Encrypted {
		panic("session: bytes are for a wire with encrypted rows: elsewhere clients share what " +
			"is written for each here")
	}
	b := &cargo{
		exchange: x, to: to, bytes: bytes, own: own, got: make([][]byte, len(bytes)),
		words: make([][]uint64, len(bytes)),
		piece: max(1, mostWords/len(e.plan.Names)),
	}
	copy(b.got, own)
	most := 0
	for _, n := range bytes {
		most = max(most, (n+wordBytes-1)/wordBytes)
	}
	for b.from = 0; b.from < most; b.from += b.piece {
		if err := e.meeting(ctx, &call{bytes: b}, carrying, price{rounds: 1}); err != nil {
			return nil, err
		}
	}
	for k, v := range b.got {
		if own[k] == nil && v != nil {
			b.got[k] = v[:bytes[k]]
		}
	}
	return b.got, nil
}

// Blame implements density.ByteRelaying.
func (e *evaluator) Blame(ctx context.Context, parties []int, what string) error {
	var names []string
	for _, p := range parties {
		names = append(names, e.plan.Names[p])
	}
	peer := strings.Join(names, " or ")
	return e.executor.end(ctx, &ProtocolError{Peer: peer, What: what, Value: true})
}

const wordBytes = 8

// left is how many words of this piece are of one party.
func (b *cargo) left(of int) int {
	return min(b.piece, max(0, (b.bytes[of]+wordBytes-1)/wordBytes-b.from))
}

// message is that of a client, as long as the piece has it.
func (b *cargo) message(c *client, up, apart bool) *frame {
	p := c.relay(b.exchange)
	f := &p.up
	switch {
	case up && c.number == b.to, !up && b.to >= 0 && c.number != b.to:
		return &c.none
	case !up:
		f = &p.down
	}
	for k := range f.channels {
		if !f.channels[k].seals() {
			f.resize(k, b.left(b.slot(c, f.channels[k].of)))
		}
	}
	if f.said != nil && apart && c.party != nil {
		f.said.arrays[0] = transport.Channel{Name: f.said.arrays[0].Name, Words: b.load(c.number),
			Encoding: transport.Fixed}
	}
	return f
}

// slot is where what a party sends to a client stands.
func (b *cargo) slot(c *client, from int) int {
	if b.to == density.Each {
		return c.number
	}
	return from
}

// load are the words of this piece of a party of this process.
func (b *cargo) load(of int) []uint64 {
	words := make([]uint64, b.left(of))
	rest := b.own[of][min(len(b.own[of]), b.from*wordBytes):]
	var last [wordBytes]byte
	for i := range words {
		if len(rest) < wordBytes {
			copy(last[:], rest)
			rest = last[:]
		}
		words[i], rest = binary.LittleEndian.Uint64(rest), rest[wordBytes:]
	}
	return words
}

// store keeps the words of this piece that a party has received.
func (b *cargo) store(of int, words []uint64) {
	if b.got[of] == nil {
		b.got[of] = make([]byte, 0, b.bytes[of]+wordBytes)
	}
	for _, w := range words {
		b.got[of] = binary.LittleEndian.AppendUint64(b.got[of], w)
	}
}

// sendBytes loads what a client sends.
func (e *evaluator) sendBytes(c *client, _, up *frame) {
	if e.Apart() && len(up.channels) > 0 {
		up.arrays[0].Words, up.arrays[0].Encoding = e.bytes.load(c.number), transport.Fixed
	}
}

// takeBytes takes, at the server, what a client has sent: what is for it or all is kept.
func (e *evaluator) takeBytes(c *client, up *frame) {
	if b := e.bytes; e.Apart() && len(up.channels) > 0 {
		b.words[c.number] = up.arrays[0].Words
		if b.to <= 0 {
			b.store(c.number, up.arrays[0].Words)
		}
	}
}

// loadBytes readies what the server sends itself.
func (e *evaluator) loadBytes() {
	for k, v := range e.bytes.own {
		if v != nil && e.Apart() {
			e.bytes.words[k] = e.bytes.load(k)
		}
	}
}

// passBytes loads what a client receives.
func (e *evaluator) passBytes(c *client, down *frame) {
	for k := range down.channels {
		if e.Apart() && !down.channels[k].seals() {
			down.arrays[k].Words = e.bytes.words[e.bytes.slot(c, down.channels[k].of)]
			down.arrays[k].Encoding = transport.Fixed
		}
	}
}

// receiveBytes takes what a client has received.
func (e *evaluator) receiveBytes(c *client, down, _ *frame) {
	for k := range down.channels {
		if e.Apart() && !down.channels[k].seals() {
			e.bytes.store(e.bytes.slot(c, down.channels[k].of), down.arrays[k].Words)
		}
	}
}
