package session

import (
	"bytes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// Masks cover what a client adds to a sum (Bonawitz et al. 2017, without recovery of dropouts: every party
// is needed in every round). Each pair of clients has keys of the session (pairs.go). AES-256 under one of
// them gives in counter mode a stream of words for each flight, the messages of a client that leave
// together. The first of the pair, in party order, adds them to its words mod 2⁶⁴ and the other subtracts
// them. Whoever lacks the key sees uniformly distributed words; in the sum over all clients the masks are
// gone, if the server has asked all of them the same: the block from which a stream counts has 5 bytes of
// the number of the flight and 7 of what HMAC-SHA-256 under another key of the two makes of this number
// and of the messages: their lanes, chains, rounds and kinds, and the digests of all that both have
// received until then (seals.go). Where two have received unlike numbers, or send other messages together,
// their streams begin at unlike blocks, but for 1 in 2⁵⁶ flights, and no later sum of theirs is more than
// random words. A client counts its flights, so that no two share a part of a stream, whatever was
// received and asked.
//
// Flights are those of all chains where all clients send the same messages (sameMessages). Elsewhere one
// client may wait where another goes on, and what leaves together is not the same: each message then is a
// flight, under keys of its chain.

// MaskKeys are what masks and seals are made from: the own keys of clients of this process, and the public
// ones of all clients. A deployment pins the latter. One session may use them for a run, its epoch and a
// chain, and no second one: it would begin its rounds anew, and masks of the first would come again.
type MaskKeys struct {
	Private map[string]*ecdh.PrivateKey
	Public  map[string]*ecdh.PublicKey

	mutex sync.Mutex
	used  map[maskUse]*pairs
}

// A maskUse is what one session has keys for.
type maskUse struct {
	client string
	id     transport.ChainID
}

// claim keeps the keys of a client for one session. It reports whether no other has them.
func (k *MaskKeys) claim(p *pairs, id transport.ChainID) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	use := maskUse{p.names[p.own], id}
	if k.used == nil {
		k.used = map[maskUse]*pairs{}
	}
	if k.used[use] == nil {
		k.used[use] = p
	}
	return k.used[use] == p
}

// simulatedMaskKeys derives the keys of all clients from their private streams.
func simulatedMaskKeys(names []string, private map[string]vector.Key) (*MaskKeys, error) {
	keys := &MaskKeys{Private: map[string]*ecdh.PrivateKey{}, Public: map[string]*ecdh.PublicKey{}}
	for _, name := range names[1:] {
		seed, ok := private[name]
		if !ok {
			return nil, &KeyError{name}
		}
		secret := sha256.Sum256(append([]byte("vflc mask key "), seed[:]...))
		key, err := ecdh.X25519().NewPrivateKey(secret[:])
		if err != nil {
			return nil, err
		}
		keys.Private[name], keys.Public[name] = key, key.PublicKey()
	}
	return keys, nil
}

// only returns the keys as one party holds them.
func (k *MaskKeys) only(name string) *MaskKeys {
	if k == nil {
		return nil
	}
	own := &MaskKeys{Private: map[string]*ecdh.PrivateKey{}, Public: k.Public}
	if key, ok := k.Private[name]; ok {
		own.Private[name] = key
	}
	return own
}

// A MaskError is the error where a client's masks and seals cannot be made. Peer is the other client of the
// pair, "" where there is none.
type MaskError struct{ Party, Peer, What string }

func (e *MaskError) Error() string {
	if e.Peer == "" {
		return fmt.Sprintf("session: masks and seals of %s: %s", e.Party, e.What)
	}
	return fmt.Sprintf("session: masks and seals of %s and %s: %s", e.Party, e.Peer, e.What)
}

// A masker makes masks and seals of what one client sends.
type masker struct {
	pairs   *pairs
	shared  bool       // by all chains
	mutex   sync.Mutex // of what waits, where it is
	waiting []letter   // messages of the next flight
	leaving []letter
	flights []uint64             // by party: how many of this client had anything for the two
	masked  []*transport.Channel // of those that leave, what a peer's masks cover
	pad     []byte
	text    []byte // of the messages, as the last peer has them, and its digest
	digest  [sha256.Size]byte
	next    []byte
}

// A letter is a message on its way: what it is in the script, and the numbers that leave.
type letter struct {
	lane    int
	id      transport.ChainID
	round   uint64
	frame   *frame
	arrays  []transport.Channel
	witness *witness // nil inside a process, where all receive the same
}

// mostFlights is how many flights a pair of clients can number.
const mostFlights = 1 << 40

func newMasker(p *pairs, shared bool) *masker {
	return &masker{pairs: p, shared: shared, flights: make([]uint64, len(p.names))}
}

// concerns reports whether a message has masks or a seal of the client and a peer.
func (l *letter) concerns(peer int) bool {
	for k := range l.frame.channels {
		if c := &l.frame.channels[k]; c.seals() || l.masks(k, peer) {
			return true
		}
	}
	return false
}

// masks reports whether channel k has masks of the client and a peer.
func (l *letter) masks(k, peer int) bool {
	c := l.frame.channels[k].coding
	return c != nil && l.frame.masked && slices.Contains(c.contributors, peer)
}

// begin readies the keys. The error is a *MaskError where another session has them, or where there are none.
func (m *masker) begin(id transport.ChainID) error {
	if m.shared {
		id.Chain = 0
	}
	if err := m.pairs.begin(id); err != nil {
		return err
	}
	for k := range m.pairs.others() {
		if _, err := m.pairs.ready(m.pairs.other(k)); err != nil {
			return err
		}
	}
	return nil
}

// send masks and seals a message, or keeps it for the flight with which it leaves.
func (m *masker) send(l letter) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.begin(l.id); err != nil {
		return err
	}
	if m.shared {
		m.waiting = append(m.waiting, l)
		return nil
	}
	m.leaving = append(m.leaving[:0], l)
	return m.cover()
}

// depart masks and seals the messages of a flight (transport.Lanes.Before).
func (m *masker) depart(lanes []int, messages []transport.Message) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.leaving = m.leaving[:0]
	for i := range messages {
		of := &messages[i]
		k := slices.IndexFunc(m.waiting, func(l letter) bool {
			return l.lane == lanes[i] && l.round == of.Round && l.frame.kind.Name == of.Kind
		})
		if k < 0 { // it has neither, as the last word of a run
			continue
		}
		l := m.waiting[k]
		l.arrays, m.waiting = of.Arrays, slices.Delete(m.waiting, k, k+1)
		m.leaving = append(m.leaving, l)
	}
	return m.cover()
}

// cover masks and seals the messages that leave.
func (m *masker) cover() error {
	m.text = m.text[:0]
	for k := range m.pairs.others() {
		peer := m.pairs.other(k)
		made, err := m.open(peer)
		if err != nil {
			return err
		}
		m.masked = m.masked[:0]
		for i := range m.leaving {
			l := &m.leaving[i]
			if w := l.witness; w != nil && l.frame.seals() != nil {
				l.arrays[len(l.arrays)-1].Words[k] = w.exchange(peer, made)
			}
			for at := range l.arrays {
				if l.masks(at, peer) {
					m.masked = append(m.masked, &l.arrays[at])
				}
			}
		}
		if len(m.masked) > 0 {
			m.add(made.stream(), peer < m.pairs.own)
		}
	}
	arrived := 0 // since the seals before, at all chains
	for i := range m.leaving {
		if l := &m.leaving[i]; l.witness != nil && l.frame.seals() != nil {
			arrived += l.witness.unsealed
		}
		m.leaving[i].end()
	}
	for i := range m.leaving {
		if w := m.leaving[i].witness; w != nil {
			w.beside = arrived - w.unsealed
		}
	}
	return nil
}

// open begins what this client and a peer have for the messages that leave. It is nil where they have
// nothing.
func (m *masker) open(peer int) (*made, error) {
	text := m.next[:0]
	for i := range m.leaving {
		l := &m.leaving[i]
		if !l.concerns(peer) {
			continue
		}
		text = binary.BigEndian.AppendUint32(text, uint32(l.lane))
		text = binary.BigEndian.AppendUint32(text, l.id.Chain)
		text = append(binary.BigEndian.AppendUint64(text, l.round), byte(l.frame.kind.number))
		if l.witness != nil {
			text = append(text, l.witness.of(peer)...)
		}
	}
	if m.next = text; len(text) == 0 {
		return nil, nil
	}
	if m.flights[peer]++; m.flights[peer] >= mostFlights {
		return nil, &MaskError{m.pairs.names[m.pairs.own], m.pairs.names[peer], "all masks were used"}
	}
	if !bytes.Equal(text, m.text) { // mostly all have received the same
		m.text, m.next, m.digest = text, m.text, sha256.Sum256(text)
	}
	return m.pairs.flight(peer, m.flights[peer], m.digest[:])
}

// add adds the words of a stream to those of the masked arrays, one after another, or subtracts them.
func (m *masker) add(stream cipher.Stream, less bool) {
	n := 0
	for _, a := range m.masked {
		n += a.Bytes()
	}
	if cap(m.pad) < n+8 {
		m.pad = make([]byte, n+8)
	}
	pad := m.pad[:n+8] // a word is read as 8 bytes, of which the first are its own
	clear(pad)
	stream.XORKeyStream(pad[:n], pad[:n])
	for _, a := range m.masked {
		words, size := a.Words, sizeOf(a.Size)
		switch {
		case size == 3 && less:
			words, pad = transport.SubtractThrees(words, pad)
		case size == 3:
			words, pad = transport.AddThrees(words, pad)
		}
		for i := range words {
			w := binary.LittleEndian.Uint64(pad[size*i:])
			if less {
				w = -w
			}
			words[i] += w
		}
		pad = pad[size*len(words):]
	}
}

// end leaves the words of masked arrays the bytes that they have. Between processes nothing else of them
// leaves.
func (l *letter) end() {
	for at := range l.arrays {
		if l.frame.channels[at].coding == nil || !l.frame.masked || l.witness != nil {
			continue
		}
		a := &l.arrays[at]
		for i, drop := 0, 64-8*sizeOf(a.Size); drop > 0 && i < len(a.Words); i++ {
			a.Words[i] = a.Words[i] << drop >> drop
		}
	}
}
