package vector

import "math/bits"

// Batch is how many 64-bit words ChaCha8 generates at a time: 16 blocks of 64 bytes.
const Batch = 128

// ChaCha8 fills y with n batches of the output of ChaCha with 8 rounds (Bernstein 2008, with the layout of
// RFC 8439: constants, key, a counter in word 12, the nonce). The blocks of batch k have counters state[12] +
// 16k to state[12] + 16k + 15, modulo 2^32; taken as 32-bit words, lower half first, word w of the b-th of
// them is word 16w + b of the batch. The state is not changed.
func ChaCha8(n int, y []uint64, state *[16]uint32) { chaCha8(active, n, y, state) }

func chaCha8Go(n int, y []uint64, state *[16]uint32) {
	for b := range uint32(16 * n) {
		block := *state
		block[12] += b
		chaChaBlock(&block)
		batch, lane := y[b/16*Batch:][:Batch], b%16
		for w, v := range block {
			at := &batch[8*uint32(w)+lane/2]
			if lane%2 == 0 {
				*at = uint64(v)
			} else {
				*at |= uint64(v) << 32
			}
		}
	}
}

// chaChaBlock computes the output block of an input block.
func chaChaBlock(block *[16]uint32) {
	x := *block
	for range 4 {
		for i := range 4 {
			quarterRound(&x[i], &x[4+i], &x[8+i], &x[12+i])
		}
		for i := range 4 {
			quarterRound(&x[i], &x[4+(i+1)%4], &x[8+(i+2)%4], &x[12+(i+3)%4])
		}
	}
	for i, v := range x {
		block[i] += v
	}
}

func quarterRound(a, b, c, d *uint32) {
	*a += *b
	*d = bits.RotateLeft32(*d^*a, 16)
	*c += *d
	*b = bits.RotateLeft32(*b^*c, 12)
	*a += *b
	*d = bits.RotateLeft32(*d^*a, 8)
	*c += *d
	*b = bits.RotateLeft32(*b^*c, 7)
}
