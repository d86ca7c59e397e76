package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/transport"
)

// Masks hide what a client adds to a sum (Bonawitz et al. 2017, without recovery of dropouts: every party is needed in every round). Each pair of clients agrees on a secret by
// X25519; HKDF-SHA-256 makes of it, of the run, of its resumption and of the chain a key of AES-256, which in counter mode gives a stream of words for each round and
// kind of message. The first of the pair, in party order, adds them to its words mod 2⁶⁴ and the other subtracts them. Whoever lacks the key sees
// uniformly distributed words; in the sum over all clients the masks are gone.

// MaskKeys are what masks are made from: the own keys of clients of this process, and the public ones of all clients. A deployment pins the latter.
type MaskKeys struct {
	Private map[string]*ecdh.PrivateKey
	Public  map[string]*ecdh.PublicKey
}

// simulatedMaskKeys derives the keys of all clients from their private streams.
func simulatedMaskKeys(names []string, private map[string]rng.Key) (*MaskKeys, error) {
	keys := &MaskKeys{map[string]*ecdh.PrivateKey{}, map[string]*ecdh.PublicKey{}}
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
	own := &MaskKeys{map[string]*ecdh.PrivateKey{}, k.Public}
	if key, ok := k.Private[name]; ok {
		own.Private[name] = key
	}
	return own
}

// A MaskError is the error where a client's masks cannot be made. Peer is the other client of the pair, "" where there is none.
type MaskError struct{ Party, Peer, What string }

func (e *MaskError) Error() string {
	if e.Peer == "" {
		return fmt.Sprintf("session: masks of %s: %s", e.Party, e.What)
	}
	return fmt.Sprintf("session: masks of %s and %s: %s", e.Party, e.Peer, e.What)
}

// A masker makes the masks of one client.
type masker struct {
	plan    *model.Plan
	own     int
	private *ecdh.PrivateKey
	public  map[string]*ecdh.PublicKey
	id      transport.ID
	blocks  []cipher.Block  // by party, under id
	streams []cipher.Stream // by party, of the message in the making
	round   uint64
	used    uint64 // kinds of message of the round that have been masked, a bit each
	kind    int
	pad     []byte
}

func newMasker(plan *model.Plan, own int, keys *MaskKeys) (*masker, error) {
	name := plan.Names[own]
	if keys == nil || keys.Private[name] == nil {
		return nil, &MaskError{Party: name, What: "it has no key for them"}
	}
	for _, peer := range plan.Names[1:] {
		if keys.Public[peer] == nil {
			return nil, &MaskError{name, peer, "the public key is not known"}
		}
	}
	if !keys.Private[name].PublicKey().Equal(keys.Public[name]) {
		return nil, &MaskError{Party: name, What: "its key is not the one whose public part the others have"}
	}
	n := len(plan.Names)
	return &masker{plan: plan, own: own, private: keys.Private[name], public: keys.Public, blocks: make([]cipher.Block, n), streams: make([]cipher.Stream, n)}, nil
}

// begin goes to a kind of message of a round. Masks are used once: the error is a *MaskError where they have been.
func (m *masker) begin(id transport.ID, round uint64, kind int) error {
	if id != m.id {
		m.id = id
		clear(m.blocks)
	}
	if round > m.round {
		m.round, m.used = round, 0
	}
	if round < m.round || m.used>>kind&1 == 1 {
		return &MaskError{Party: m.plan.Names[m.own], What: fmt.Sprintf("message %q of round %d has had its masks", kinds[kind].name, round)}
	}
	m.used |= 1 << kind
	m.kind = kind
	clear(m.streams)
	return nil
}

// mask masks the words of the next array of the message, to which these clients contribute.
func (m *masker) mask(a *transport.Array, contributors []int) error {
	for _, peer := range contributors {
		if peer == m.own {
			continue
		}
		if m.streams[peer] == nil {
			if err := m.open(peer); err != nil {
				return err
			}
		}
		n := 8 * len(a.Words)
		if cap(m.pad) < n {
			m.pad = make([]byte, n)
		}
		pad := m.pad[:n]
		clear(pad)
		m.streams[peer].XORKeyStream(pad, pad)
		for i := range a.Words {
			w := binary.LittleEndian.Uint64(pad[8*i:])
			if peer < m.own {
				w = -w
			}
			a.Words[i] += w
		}
	}
	a.Encoding = transport.Masked
	return nil
}

// open begins the stream that this client and a peer have for the message.
func (m *masker) open(peer int) error {
	if m.blocks[peer] == nil {
		block, err := m.agree(peer)
		if err != nil {
			return &MaskError{m.plan.Names[m.own], m.plan.Names[peer], err.Error()}
		}
		m.blocks[peer] = block
	}
	var at [aes.BlockSize]byte // round and kind; the other half counts blocks
	binary.BigEndian.PutUint64(at[:8], m.round<<8|uint64(m.kind))
	m.streams[peer] = cipher.NewCTR(m.blocks[peer], at[:])
	return nil
}

// agree makes the key of a pair.
func (m *masker) agree(peer int) (cipher.Block, error) {
	public := m.public[m.plan.Names[peer]]
	secret, err := m.private.ECDH(public)
	if err != nil {
		return nil, err
	}
	first, second := m.own, peer
	if peer < m.own {
		first, second = peer, m.own
	}
	info := []byte("vflc masks 1")
	info = binary.BigEndian.AppendUint32(info, m.id.Epoch)
	info = binary.BigEndian.AppendUint32(info, m.id.Chain)
	for _, party := range []int{first, second} {
		name := m.plan.Names[party]
		info = binary.BigEndian.AppendUint32(info, uint32(len(name)))
		info = append(append(info, name...), m.public[name].Bytes()...)
	}
	key, err := hkdf.Key(sha256.New, secret, m.id.Run[:], string(info), 32)
	if err != nil {
		return nil, err
	}
	return aes.NewCipher(key)
}
