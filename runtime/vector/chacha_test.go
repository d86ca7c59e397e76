package vector

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"
)

// The first two blocks of ChaCha8 with a key and a nonce of zeros: test vector TC1 of
// draft-strombergson-chacha-test-vectors-01, 256-bit key, 8 rounds.
func TestChaCha8IsChaCha8(t *testing.T) {
	const want = "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42" +
		"d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa"
	state := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
	for _, set := range Sets() {
		y := make([]uint64, Batch)
		chaCha8(set, 1, y, &state)
		var stream []byte
		for b := range 2 {
			for w := range 16 {
				stream = binary.LittleEndian.AppendUint32(stream, uint32(y[8*w+b/2]>>(32*(b%2))))
			}
		}
		if got := hex.EncodeToString(stream); got != want {
			t.Errorf("%v: %s", set, got)
		}
	}
}

func TestChaCha8AgreesBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n := r.IntN(4)
		var state [16]uint32
		for i := range state {
			state[i] = r.Uint32()
		}
		state[12] |= ^uint32(0) << (8 * r.IntN(4)) // the counter may wrap around
		want, before := make([]uint64, Batch*n), state
		chaCha8(Portable, n, want, &state)
		for _, set := range Sets()[1:] {
			got := append(make([]uint64, Batch*n), guard)
			chaCha8(set, n, got, &state)
			if !slices.Equal(got[:Batch*n], want) || got[Batch*n] != guard {
				t.Fatalf("%d batches on %v differ from portable ones, or go beyond their end", n, set)
			}
		}
		if state != before {
			t.Fatal("the state has changed")
		}
	}
}
