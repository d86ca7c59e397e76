package session

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// Purposes of keys: what they serve, and its form. All have the same length, so that what follows them stands
// at one place.
const (
	maskPurpose = "vflc masks 3"
	sealPurpose = "vflc seals 1"
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
}

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
		secrets: make([][]byte, len(plan.Names))}, nil
}

// begin readies the keys of a run, its epoch and a chain. The error is a *MaskError where another session has
// them.
func (p *pairs) begin(id transport.ChainID) error {
	if !p.keys.claim(p, id) {
		return &MaskError{Party: p.names[p.own],
			What: "a second session would have the keys of an earlier one, and its masks again"}
	}
	return nil
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

// sumOf appends to dst what a hash makes of a text.
func sumOf(dst []byte, h hash.Hash, text []byte) []byte {
	h.Reset()
	h.Write(text)
	return h.Sum(dst)
}
