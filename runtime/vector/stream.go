package vector

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
)

// A Key determines streams: the secret key of one party (private streams) or the key that all parties have
// (shared streams).
type Key [32]byte

// SharedKey returns the key derived from the run's seed: every party can compute it.
func SharedKey(seed uint64) Key { return deriveKey("vflc shared stream v1", seed, "") }

// SimulatedKey returns the private key of a party in a simulation; in a deployment a party draws its key from
// the operating system instead.
func SimulatedKey(seed uint64, party string) Key {
	return deriveKey("vflc private stream v1", seed, party)
}

func deriveKey(purpose string, seed uint64, party string) Key {
	b := binary.LittleEndian.AppendUint64([]byte(purpose), seed)
	return sha256.Sum256(append(b, party...))
}

// bulkNormals is how many normals are generated at a time. It is even, and that many words are whole batches.
const bulkNormals = 4 * Batch

// A Generator is an endless sequence for one name, divided into rounds. Round r has the same numbers whenever
// it is entered. It is not safe for concurrent use.
//
// Numbers one by one (Float64, Rand, Normals) and normals in bulk (FillNormals) come from two ChaCha8
// generators with keys of their own, each of which starts anew with every round: using one does not advance
// the other.
type Generator struct {
	seed  [32]byte
	cha   rand.ChaCha8
	stale bool // cha is not yet set to the round
	rand  *rand.Rand
	round uint64
	// input of the generator for bulk, in the layout of RFC 8439: constants, key, counter, nonce
	block [16]uint32
	words [bulkNormals]uint64
}

// NewGenerator returns the stream of key with the given name, at round 0.
func NewGenerator(key Key, name string) *Generator {
	h := sha256.New()
	h.Write(key[:])
	h.Write([]byte(name))
	s := &Generator{}
	digest := h.Sum(nil)
	copy(s.seed[:24], digest)
	s.rand = rand.New((*source)(s))
	s.block = [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	own := sha256.Sum256(append([]byte("vflc normals in bulk v1"), digest...))
	for i := range 8 {
		s.block[4+i] = binary.LittleEndian.Uint32(own[4*i:])
	}
	s.Round(0)
	return s
}

// Round moves to the start of round r. The last 8 bytes of the one ChaCha8 seed and of the other's nonce
// count rounds, so rounds never overlap.
func (s *Generator) Round(r uint64) {
	s.round = r
	s.stale = true
	s.block[12], s.block[14], s.block[15] = 0, uint32(r), uint32(r>>32)
}

// A source is a stream as a source of words. It sets up its generator at a round's first number only, since
// that costs as much as sixty numbers and many rounds use only normals in bulk.
type source Generator

// Uint64 implements rand.Source.
func (s *source) Uint64() uint64 {
	if s.stale {
		s.stale = false
		binary.LittleEndian.PutUint64(s.seed[24:], s.round)
		s.cha.Seed(s.seed)
	}
	return s.cha.Uint64()
}

// Next moves to the start of the following round.
func (s *Generator) Next() { s.Round(s.round + 1) }

// Position returns the current round, for checkpoints taken at round boundaries.
func (s *Generator) Position() uint64 { return s.round }

// Rand returns the stream as a *rand.Rand, for samplers of distribut
// skips the rest of the last batch of words. A round holds 2^35 numbers.ions.
func (s *Generator) Rand() *rand.Rand { return s.rand }

// Float64 returns a uniform number in [0, 1).
func (s *Generator) Float64() float64 { return s.rand.Float64() }

// Normals fills dst with independent standard normals, one by one. Generated data depends on these numbers,
// so they must not change.
func (s *Generator) Normals(dst []float64) {
	for i := range dst {
		dst[i] = portable.Normal(s.rand)
	}
}

// FillNormals fills dst with independent standard normals, ten times as fast as Normals. Every call starts
// where the last one of the round ended, but
func (s *Generator) FillNormals(dst []float64) {
	for len(dst) > 0 {
		n := min(len(dst), bulkNormals)
		batches := (n + Batch - 1) / Batch
		ChaCha8(batches, s.words[:], &s.block)
		s.block[12] += uint32(16 * batches)
		Normals(n, dst, s.words[:])
		dst = dst[n:]
	}
}
