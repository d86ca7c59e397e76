package session

import (
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// Masks cover what a client adds to a sum (Bonawitz et al. 2017, without recovery of dropouts: every party
// is needed in every round). Each pair of clients has keys of the session (pairs.go). AES-256 under one of
// them gives in counter mode a stream of words for each message. The first of the pair, in party order,
// adds them to its words mod 2⁶⁴ and the other subtracts them. Whoever lacks the key sees uniformly
// distributed words; in the sum over all clients the masks are gone, if the server has asked all of them
// the same: the block from which a stream counts has 5 bytes of round and kind and 7 of what HMAC-SHA-256
// under another key of the two makes of these and of the digest of all that both have received until then
// (seals.go). Where two have received unlike numbers, their streams begin at unlike blocks, but for 1 in
// 2⁵⁶ messages, and no later sum of theirs is more than random words. A round and a kind have one message
// under a key of the session, so that no two messages share a part of a stream, whatever was received.

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

// A masker makes the masks of one client.
type masker struct {
	pairs   *pairs
	seen    func(peer int) []byte // the digest of what the client and a peer have received
	streams []cipher.Stream       // by party, of the message in the making
	round   uint64
	used    uint64 // kinds of message of the round that have been masked, a bit each
	kind    int
	pad     []byte
}

// maskedKinds is how many kinds of message a masker keeps apart.
const maskedKinds = 64

func newMasker(p *pairs, seen func(int) []byte) *masker {
	return &masker{pairs: p, seen: seen, streams: make([]cipher.Stream, len(p.names))}
}

// begin goes to a kind of message of a round. Masks are used once: the error is a *MaskError where they have
// been.
func (m *masker) begin(id transport.ChainID, round uint64, kind kind) error {
	if err := m.pairs.begin(id); err != nil {
		return err
	}
	if kind.number >= maskedKinds {
		return &MaskError{Party: m.pairs.names[m.pairs.own],
			What: fmt.Sprintf("message %q has number %d: which masks have been used is known of %d kinds",
				kind.Name, kind.number, maskedKinds)}
	}
	if round > m.round {
		m.round, m.used = round, 0
	}
	if round < m.round || round > math.MaxUint32 || m.used>>kind.number&1 == 1 {
		return &MaskError{Party: m.pairs.names[m.pairs.own],
			What: fmt.Sprintf("message %q of round %d has had its masks", kind.Name, round)}
	}
	m.used |= 1 << kind.number
	m.kind = kind.number
	clear(m.streams)
	return nil
}

// mask masks the words of the next array of the message, to which these clients contribute.
func (m *masker) mask(a *transport.Channel, contributors []int) error {
	own := m.pairs.own
	for _, peer := range contributors {
		if peer == own {
			continue
		}
		if m.streams[peer] == nil {
			if err := m.open(peer); err != nil {
				return err
			}
		}
		size := sizeOf(a.Size)
		n := size * len(a.Words)
		if cap(m.pad) < n+8 {
			m.pad = make([]byte, n+8)
		}
		pad := m.pad[:n]
		clear(pad)
		m.streams[peer].XORKeyStream(pad, pad)
		words, flip := a.Words, uint64(0)
		if peer < own {
			flip = math.MaxUint64 // -x is ^x + 1
		}
		pad = pad[:n+8] // a word is read as 8 bytes, of which the first are its own
		if size == 3 {
			words, pad = transport.AddThrees(words, pad, flip)
		}
		for i := range words {
			words[i] += binary.LittleEndian.Uint64(pad[size*i:]) ^ flip - flip
		}
	}
	for i, drop := 0, 64-8*sizeOf(a.Size); drop > 0 && i < len(a.Words); i++ {
		a.Words[i] = a.Words[i] << drop >> drop
	}
	a.Encoding = transport.Masked
	return nil
}

// open begins the stream that this client and a peer have for the message.
func (m *masker) open(peer int) error {
	made, err := m.pairs.message(peer, m.round, m.kind, m.seen(peer))
	if err != nil {
		return err
	}
	m.streams[peer] = made.stream()
	return nil
}
