package session

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"github.com/vflc/vflc/runtime/transport"
)

// Clients answer what the server asks, and what they answer is harmless only as far as it asks all of them
// the same. So each client keeps, for each chain and each other client, a digest of all that both have
// received: it begins with the digest of what they were told before the session (Keys.Agreed), and goes on
// with SHA-256 of the digest before and of every array, with its round, kind of message and channel. It
// enters the next masks of the two (masks.go). And both compare it: with the first message that a client
// sends in an exchange goes a seal for each other client, which the server brings to the other with its
// answer. The last exchange of a session has nothing else. A seal that does not fit ends the run.
//
// Seals are parts of what HMAC-SHA-256 makes of a flight, one for each of the two; another part enters its
// masks. Whoever lacks the key finds all parts random. The messages of a flight have one seal, which stands
// in each of them that has seals.

// sealWords is the length of a seal in words: 64 bits, as one that does not fit ends the run.
const sealWords = 1

// An UnlikeError is the error at a client where a seal of another one does not fit.
type UnlikeError struct {
	Server, Client string // who sent, and who else should have received the same
	Found          uint64 // round
	Before         bool   // no seal had fitted until then: what was told before the first round may be unlike
	More           int    // that have arrived since, of which one may be meant
	Beside         int    // or one of those that other chains have sealed with them
	Address
}

// An Address is the place of an array that the server has sent.
type Address struct {
	Chain         uint32
	Round         uint64
	Kind, Channel string
}

// String names the place of an array.
func (a Address) String() string {
	return fmt.Sprintf("channel %q of message %q in round %d, chain %d", a.Channel, a.Kind, a.Round, a.Chain)
}

func (e *UnlikeError) Error() string {
	more := ""
	if e.More > 0 {
		more = fmt.Sprintf(", or one of %d channels after it", e.More)
	}
	if e.Beside > 0 {
		more += fmt.Sprintf(", or one of %d of other chains at that time, of which the ledgers tell more",
			e.Beside)
	}
	if e.Before {
		return fmt.Sprintf("session: %s has not told %s the same as this client before the first round "+
			"(settings, seed, rows, sizes, keys, sums, or where the run goes on), or has altered its "+
			"seal (found in round %d)", e.Server, e.Client, e.Found)
	}
	return fmt.Sprintf("session: %s has not sent %s what it sent this client, or has altered its seal: "+
		"%v%s (found in round %d)", e.Server, e.Client, e.Address, more, e.Found)
}

// A witness is what a client knows of what it and each other client have received.
type witness struct {
	pairs  *pairs
	seen   [][sha256.Size]byte // by party: the digest of what both have received
	due    []uint64            // by party: the seal that answers the last one for it
	fitted bool                // a seal of each of the others
	round  uint64              // of the last seal
	kind   kind
	// What has arrived since the seals that fitted last: from unsealed on, also since the last seal.
	since    []arrival
	unsealed int
	beside   int // what other chains have sealed with it
	chain    uint32
	digest   hash.Hash
	text     []byte
	sum      [sha256.Size]byte
}

// An arrival is a channel with the parties that receive it.
type arrival struct {
	frame   *frame
	channel int
	round   uint64
}

func newWitness(p *pairs, agreed [sha256.Size]byte) *witness {
	n := len(p.names)
	return &witness{pairs: p, seen: slices.Repeat([][sha256.Size]byte{agreed}, n), due: make([]uint64, n),
		digest: sha256.New()}
}

// of is the digest of what the client and a peer have received.
func (w *witness) of(peer int) []byte { return w.seen[peer][:] }

// take takes what has arrived, in the order of the parties that have made it where it is bytes: what the
// client itself has said among them.
func (w *witness) take(f *frame, round uint64) {
	said := f.said
	for k := range f.channels {
		if c := &f.channels[k]; said != nil && (c.seals() || c.of > w.pairs.own) {
			w.include(said, 0, round)
			said = nil
		}
		w.include(f, k, round)
	}
}

// include takes a channel.
func (w *witness) include(f *frame, k int, round uint64) {
	parties := f.channels[k].alike
	if len(parties) < 2 {
		return
	}
	w.digestOf(f, k, round)
	w.since = append(w.since, arrival{f, k, round})
	var before, after [sha256.Size]byte // mostly those of the last party
	for i, p := range parties {
		if p == w.pairs.own {
			continue
		}
		if i == 0 || w.seen[p] != before || after == before {
			before = w.seen[p]
			w.text = append(append(w.text[:0], before[:]...), w.sum[:]...)
			after = sha256.Sum256(w.text)
		}
		w.seen[p] = after
	}
}

// pieceMost is how many numbers are digested at once.
const pieceMost = 1 << 12

// digestOf digests an array with its place.
func (w *witness) digestOf(f *frame, k int, round uint64) {
	a := &f.arrays[k]
	t := binary.LittleEndian.AppendUint64(w.text[:0], round)
	t = append(t, byte(f.kind.number), byte(a.Encoding), mark(a.Invalid), mark(a.NotFinite), a.Size,
		a.NextSize)
	t = binary.LittleEndian.AppendUint16(t, uint16(a.Step))
	t = binary.LittleEndian.AppendUint16(t, uint16(a.Grid))
	t = binary.LittleEndian.AppendUint32(t, uint32(len(a.Name)))
	t = append(t, a.Name...)
	t = binary.LittleEndian.AppendUint64(t, uint64(a.Len()))
	w.digest.Reset()
	for part := *a; ; { // long arrays piece by piece
		piece := part
		data, words := min(len(part.Data), pieceMost), min(len(part.Words), pieceMost)
		piece.Data, part.Data = part.Data[:data], part.Data[data:]
		piece.Words, part.Words = part.Words[:words], part.Words[words:]
		t = piece.AppendNumbers(t)
		w.digest.Write(t)
		if t = t[:0]; part.Len() == 0 {
			break
		}
	}
	w.text = t
	w.digest.Sum(w.sum[:0])
}

func mark(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// seal makes room for the client's seals in a message, which say what has arrived until now.
func (w *witness) seal(f *frame, id transport.ChainID, round uint64) {
	a := f.seals()
	n := sealWords * w.pairs.others()
	a.Words, a.Encoding = slices.Grow(a.Words[:0], n)[:n], transport.Fixed
	w.chain, w.round, w.kind, w.unsealed, w.beside = id.Chain, round, f.kind, len(w.since), 0
}

// exchange returns the seal of the client for a peer, and keeps that of the peer for it.
func (w *witness) exchange(peer int, m *made) uint64 {
	own, due := binary.LittleEndian.Uint64(m.sum[:]), binary.LittleEndian.Uint64(m.sum[sealBytes:])
	if peer < w.pairs.own {
		own, due = due, own
	}
	w.due[peer] = due
	return own
}

// check compares the others' seals with what the client has received until its own last one. The error is an
// *UnlikeError.
func (w *witness) check(f *frame, round uint64) error {
	a := f.seals()
	for k := range w.pairs.others() {
		if peer := w.pairs.other(k); a.Words[k] != w.due[peer] {
			return w.unlike(peer, round)
		}
	}
	w.since = w.since[:copy(w.since, w.since[w.unsealed:])]
	w.unsealed, w.fitted = 0, true
	return nil
}

// unlike names the first array that may be unlike at a peer.
func (w *witness) unlike(peer int, round uint64) error {
	e := &UnlikeError{Server: w.pairs.names[0], Client: w.pairs.names[peer], Found: round, Before: !w.fitted,
		Beside: w.beside, Address: Address{w.chain, round, w.kind.Name, sealsName}}
	for _, one := range w.since[:w.unsealed] {
		if slices.Contains(one.frame.channels[one.channel].alike, peer) {
			if e.Channel != sealsName {
				e.More++
				continue
			}
			e.Round, e.Kind, e.Channel = one.round, one.frame.kind.Name, one.frame.arrays[one.channel].Name
		}
	}
	return e
}
