package transport

import "encoding/binary"

// Words of three bytes, which most messages have, are written and read eight at a time, as three numbers of
// eight bytes: in half the time.

const (
	threes  = 8 // words at a time
	inBytes = 3 * threes
	three   = 1<<24 - 1
)

// putThrees writes words, and returns those that are left.
func putThrees(to []byte, words []uint64) (rest []byte, left []uint64) {
	for len(words) >= threes && len(to) >= inBytes {
		w, b := words[:threes:threes], to[:inBytes:inBytes]
		binary.LittleEndian.PutUint64(b, w[0]&three|w[1]&three<<24|w[2]<<48)
		binary.LittleEndian.PutUint64(b[8:], w[2]&three>>16|w[3]&three<<8|w[4]&three<<32|w[5]<<56)
		binary.LittleEndian.PutUint64(b[16:], w[5]&three>>8|w[6]&three<<16|w[7]<<40)
		words, to = words[threes:], to[inBytes:]
	}
	return to, words
}

// threesOf reads words, and returns what is left.
func threesOf(words []uint64, from []byte) (left []uint64, rest []byte) {
	for len(words) >= threes && len(from) >= inBytes {
		w, b := words[:threes:threes], from[:inBytes:inBytes]
		x, y, z := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:])
		w[0], w[1], w[2] = x&three, x>>24&three, (x>>48|y<<16)&three
		w[3], w[4], w[5] = y>>8&three, y>>32&three, (y>>56|z<<8)&three
		w[6], w[7] = z>>16&three, z>>40
		words, from = words[threes:], from[inBytes:]
	}
	return words, from
}

// AddThrees adds to words those that stand in bytes, and returns what is left. Bits from the 24th on mean
// nothing then.
func AddThrees(words []uint64, from []byte) (left []uint64, rest []byte) {
	for len(words) >= threes && len(from) >= inBytes {
		w, b := words[:threes:threes], from[:inBytes:inBytes]
		x, y, z := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:])
		w[0] += x
		w[1] += x >> 24
		w[2] += x>>48 | y<<16
		w[3] += y >> 8
		w[4] += y >> 32
		w[5] += y>>56 | z<<8
		w[6] += z >> 16
		w[7] += z >> 40
		words, from = words[threes:], from[inBytes:]
	}
	return words, from
}

// SubtractThrees is AddThrees with a minus.
func SubtractThrees(words []uint64, from []byte) (left []uint64, rest []byte) {
	for len(words) >= threes && len(from) >= inBytes {
		w, b := words[:threes:threes], from[:inBytes:inBytes]
		x, y, z := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:])
		w[0] -= x
		w[1] -= x >> 24
		w[2] -= x>>48 | y<<16
		w[3] -= y >> 8
		w[4] -= y >> 32
		w[5] -= y>>56 | z<<8
		w[6] -= z >> 16
		w[7] -= z >> 40
		words, from = words[threes:], from[inBytes:]
	}
	return words, from
}
