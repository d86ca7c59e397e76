// Package rng provides named, counter-based random streams: no result depends on thread count, transport, or a crash and resume in between.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// A Key is the secret of one party (private streams) or what all parties share (shared streams).
type Key [32]byte

// SharedKey is derived from the run's seed: every party can compute it.
func SharedKey(seed uint64) Key { return derive("vflc shared stream v1", seed, "") }

// SimulatedKey is the private key of a party in a simulation; in a deployment a party draws its key from the operating system instead.
func SimulatedKey(seed uint64, party string) Key {
	return derive("vflc private stream v1", seed, party)
}

func derive(purpose string, seed uint64, party string) Key {
	b := binary.LittleEndian.AppendUint64([]byte(purpose), seed)
	return sha256.Sum256(append(b, party...))
}

// A Stream is an endless sequence for one name, divided into rounds. Round r gives the same numbers whenever it is asked for.
// It is not safe for concurrent use.
type Stream struct {
	seed  [32]byte
	cha   rand.ChaCha8
	rand  *rand.Rand
	round uint64
}

// New returns the stream of key with the given name, at round 0.
func New(key Key, name string) *Stream {
	h := sha256.New()
	h.Write(key[:])
	h.Write([]byte(name))
	s := &Stream{}
	copy(s.seed[:24], h.Sum(nil))
	s.rand = rand.New(&s.cha)
	s.Round(0)
	return s
}

// Round moves to the start of round r. The last 8 bytes of the ChaCha8 seed count rounds, so rounds never overlap.
func (s *Stream) Round(r uint64) {
	s.round = r
	binary.LittleEndian.PutUint64(s.seed[24:], r)
	s.cha.Seed(s.seed)
}

// Next moves to the start of the following round.
func (s *Stream) Next() { s.Round(s.round + 1) }

// Position returns the current round, for checkpoints taken at round boundaries.
func (s *Stream) Position() uint64 { return s.round }

// Rand exposes the stream as a source for samplers.
func (s *Stream) Rand() *rand.Rand { return s.rand }

// Float64 returns a uniform number in [0, 1).
func (s *Stream) Float64() float64 { return s.rand.Float64() }

// Normals fills dst with independent standard normals.
func (s *Stream) Normals(dst []float64) {
	for i := range dst {
		dst[i] = s.rand.NormFloat64()
	}
}
