package transport_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/transport"
)

// Words of three bytes are on the wire one after another, whatever stands above their 24 bits, and are read
// and added as one by one.
func TestWordsOfThreeBytes(t *testing.T) {
	const low = 1<<24 - 1
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 50 {
		a := transport.Channel{Encoding: transport.Masked, Size: 3}
		var want, pad []byte
		for range n {
			w, b := random.Uint64(), binary.LittleEndian.AppendUint64(nil, random.Uint64())
			a.Words, pad = append(a.Words, w), append(pad, b[:3]...)
			want = append(want, binary.LittleEndian.AppendUint64(nil, w)[:3]...)
		}
		if got := a.AppendNumbers([]byte{7}); !bytes.Equal(got, append([]byte{7}, want...)) {
			t.Fatalf("%d words are %x and not %x", n, got[1:], want)
		}
		var read transport.Message
		if err := transport.Parse(transport.Append(nil, transport.Message{Arrays: []transport.Channel{a}}),
			&read); err != nil {
			t.Fatal(err)
		}
		sum, none := slices.Clone(a.Words), slices.Clone(a.Words)
		left, rest := transport.AddThrees(sum, pad)
		if also, _ := transport.SubtractThrees(none, pad); len(also) != len(left) {
			t.Fatalf("of %d words %d are left, and %d", n, len(left), len(also))
		}
		if 3*len(left) != len(rest) || len(left) != n%8 {
			t.Fatalf("of %d words %d are left, and %d bytes", n, len(left), len(rest))
		}
		for k, w := range a.Words {
			if read.Arrays[0].Words[k] != w&low {
				t.Fatalf("word %d of %d is %x and was %x", k, n, read.Arrays[0].Words[k], w&low)
			}
			one := binary.LittleEndian.Uint64(append(pad[3*k:3*k+3:3*k+3], 0, 0, 0, 0, 0))
			if done := n - len(left); k < done && ((sum[k]-w-one)&low != 0 || (none[k]-w+one)&low != 0) {
				t.Fatalf("word %d of %d: %x and %x are %x, and %x", k, n, w, one, sum[k], none[k])
			}
		}
	}
}
