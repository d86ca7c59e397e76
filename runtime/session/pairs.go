package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// Purposes of keys: what they serve, and its form. All have the same length, so that what follows them stands
// at one place.
const (
	maskPurpose = "vflc masks 5"
	sealPurpose = "vflc seals 3"
	pairPurpose = "vflc pairs 1"
)

// Pairs returns the secrets that clients of this process have each with another alone, of the run and epoch.
func (k Keys) Pairs(plan *model.Plan) func(own, peer int) ([]byte, error) {
	return func(own, peer int) ([]byte, error) {
		p, err := newPairs(plan, own, k.Masks)
		if err != nil {
			return nil, err
		}
		return p.key(peer, pairPurpose, k.ID)
	}
}

// pairs are the secrets that one client has with each of the others, by X25519.
type pairs struct {
	names   []string // of all parties
	own     int
	keys    *MaskKeys
	private *ecdh.PrivateKey
	public  map[string]*ecdh.PublicKey
	secrets [][]byte // by party, once they are needed
	id      transport.ChainID
	made    []made // by party, under id
}

// A made is what a client and a peer have for masks and seals: AES under a key of the two, HMAC under
// another, and what the latter has made for the last flight.
type made struct {
	block cipher.Block
	mac   hash.Hash
	text  [8 + sha256.Size]byte // the number of the flight and the digest of its messages
	sum   [sha256.Size]byte
}

// Parts of what HMAC makes for a flight.
const (
	sealBytes = 8 // of the first of the pair for the second, and then of the second for the first
	maskFrom  = 2 * sealBytes
	maskBytes = 7 // of the first block of the stream of masks
)

func newPairs(plan *model.Plan, own int, keys *MaskKeys) (*pairs, error) {
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
	return &pairs{names: plan.Names, own: own, keys: keys, private: keys.Private[name], public: keys.Public,
		secrets: make([][]byte, len(plan.Names)), made: make([]made, len(plan.Names))}, nil
}

// begin readies the keys of a run, its epoch and a chain. The error is a *MaskError where another session has
// them.
func (p *pairs) begin(id transport.ChainID) error {
	if id == p.id {
		return nil
	}
	if !p.keys.claim(p, id) {
		return &MaskError{Party: p.names[p.own],
			What: "a second session would have the keys of an earlier one, and its masks again"}
	}
	p.id = id
	clear(p.made)
	return nil
}

// ready makes the keys of the client and a peer under the run, its epoch and the chain.
func (p *pairs) ready(peer int) (*made, error) {
	m := &p.made[peer]
	if m.mac != nil {
		return m, nil
	}
	key, err := p.key(peer, sealPurpose, p.id)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	if key, err = p.key(peer, maskPurpose, p.id); err != nil {
		return nil, err
	}
	if m.block, err = aes.NewCipher(key); err != nil {
		return nil, err
	}
	m.mac = mac
	return m, nil
}

// flight makes what the client and a peer have for a flight, which has a number and a digest of its messages.
func (p *pairs) flight(peer int, number uint64, digest []byte) (*made, error) {
	m, err := p.ready(peer)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint64(m.text[:], number)
	copy(m.text[8:], digest)
	m.mac.Reset()
	m.mac.Write(m.text[:])
	m.mac.Sum(m.sum[:0])
	return m, nil
}

// stream is that of the masks of the flight.
func (m *made) stream() cipher.Stream {
	var first [aes.BlockSize]byte // the last 4 bytes count
	copy(first[:], m.text[3:8])   // number < 2⁴⁰
	copy(first[5:], m.sum[maskFrom:][:maskBytes])
	return cipher.NewCTR(m.block, first[:])
}

// key makes a key of the client and a peer for one purpose, by HKDF-SHA-256 of their secret, the run, its
// epoch and the chain. Both make the same.
func (p *pairs) key(peer int, purpose string, id transport.ChainID) (key []byte, err error) {
	if p.secrets[peer] == nil {
		if p.secrets[peer], err = p.private.ECDH(p.public[p.names[peer]]); err != nil {
			return nil, &MaskError{p.names[p.own], p.names[peer], err.Error()}
		}
	}
	info := []byte(purpose)
	info = binary.BigEndian.AppendUint32(info, id.Epoch)
	info = binary.BigEndian.AppendUint32(info, id.Chain)
	for _, party := range []int{min(p.own, peer), max(p.own, peer)} {
		name := p.names[party]
		info = binary.BigEndian.AppendUint32(info, uint32(len(name)))
		info = append(append(info, name...), p.public[name].Bytes()...)
	}
	return hkdf.Key(sha256.New, p.secrets[peer], id.Run[:], string(info), 32)
}

// others is how many other clients there are; other is the k-th of them.
func (p *pairs) others() int { return len(p.names) - 2 }

func (p *pairs) other(k int) int {
	if k+1 < p.own {
		return k + 1
	}
	return k + 2
}
