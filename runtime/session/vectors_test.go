package session

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/vectors"
)

type codingVector struct {
	Name      string         `json:"name"`
	Clients   int            `json:"clients"`
	Grid      int16          `json:"grid"`
	Size      uint8          `json:"size"` // 0: 8
	Saturates bool           `json:"saturates"`
	Limit     vectors.Word   `json:"limit"`
	Numbers   []vectors.Word `json:"numbers"`
	Invalid   bool           `json:"invalid"`
	Words     []vectors.Word `json:"words"`
	Total     []vectors.Word `json:"total"`     // of as many clients, each with these numbers
	Largest   vectors.Word   `json:"largest"`   // of the total
	NextGrid  int16          `json:"next_grid"` // that the server tells
}

// codedVector codes numbers of several clients, and adds them up.
func codedVector(name string, clients int, exponent int16, saturates bool, numbers ...float64) codingVector {
	return coded(name, clients, grid{exponent: exponent}, saturates, numbers...)
}

func coded(name string, clients int, at grid, saturates bool, numbers ...float64) codingVector {
	contributors := make([]int, clients)
	for k := range contributors {
		contributors[k] = k + 1
	}
	c := newCoding(contributors, &at)
	if c.saturates = saturates; saturates { // scalars have no grid
		c.grid = nil
	}
	parts := make([]transport.Channel, clients)
	for k := range parts {
		c.write(&parts[k], numbers)
	}
	total := make([]float64, len(numbers))
	largest, valid := c.add(total, parts)
	v := codingVector{
		name, clients, at.exponent, at.size, saturates, vectors.Word(math.Float64bits(c.limit())),
		vectors.Bits(numbers),
		parts[0].Invalid, vectors.Words(parts[0].Words),
		vectors.Bits(total), vectors.Word(math.Float64bits(largest)), 0,
	}
	c.follow(largest, valid)
	v.NextGrid = c.exponent()
	return v
}

// Words of numbers, their sums and the grids that follow are those of docs/protocol.
func TestVectorsOfCoding(t *testing.T) {
	half := math.Ldexp(1, -38) / 2
	vectors.Check(t, "../../docs/protocol/coding.json", []codingVector{
		codedVector("two words", 2, none, false, 0.5, -2.25, 1e-17, -1e-17, 3, 1<<40),
		codedVector("a number beyond two words", 2, none, false, 1, 0x1p60),
		codedVector("scalars", 3, none, true, 1.5, -7.125, 0x1p54, math.Inf(-1), math.NaN()),
		codedVector("no number but 0, and no grid yet", 2, none, false, 0),
		codedVector("on a grid, rounded to even", 2, -38, false, half, 3*half, -half, 1, -1, 0.3),
		codedVector("on a grid, beyond it", 2, -38, false, 1, 0x1p23),
		codedVector("on a grid, not finite", 5, -38, false, math.NaN()),
		codedVector("a total that vanishes", 2, -38, false, 0, 0),
		codedVector("a total that grows", 17, -38, false, 1000),
		codedVector("the finest grid", 2, -995, false, 0),
		coded("words of 2 bytes", 2, grid{exponent: -9, size: 2}, false, 1, -1, 0.3, 15.99),
		coded("words of 3 bytes", 10, grid{exponent: -12, size: 3}, false, 63.9, -63.9),
		coded("beyond words of 3 bytes", 10, grid{exponent: -12, size: 3}, false, 64.1),
	})
}

type shortVector struct {
	Adjoint   []vectors.Word `json:"adjoint"`
	Rounded   []vectors.Word `json:"rounded"`
	Size      uint8          `json:"size"` // of the adjoint; 0: encoding 0
	Step      int16          `json:"step"`
	NotFinite bool           `json:"not_finite"`
	Clients   int            `json:"clients"`
	Largest   vectors.Word   `json:"largest"` // of the total
	Before    gridVector     `json:"before"`
	Outgrown  bool           `json:"sent_anew"`
	After     gridVector     `json:"after"`
}

type gridVector struct {
	Grid int16 `json:"grid"`
	Size uint8 `json:"size"`
	Room room  `json:"room"`
}

// Short adjoints, and the grids and sizes of the words that follow them, are those of docs/protocol.
func TestVectorsOfShort(t *testing.T) {
	var out []shortVector
	one := func(clients int, largest float64, before grid, outgrown bool, adjoint ...float64) {
		g, r := before, rounded{data: make([]float64, len(adjoint))}
		r.set(adjoint)
		c := newCoding(make([]int, clients), &g)
		c.shorten(largest, true, &r, outgrown)
		out = append(out, shortVector{vectors.Bits(adjoint), vectors.Bits(r.data), r.size, r.step,
			r.notFinite, clients, vectors.Word(math.Float64bits(largest)),
			gridVector{before.exponent, before.size, before.room}, outgrown,
			gridVector{g.exponent, g.size, g.room}})
	}
	first := grid{exponent: none, room: leastRoom}
	one(2, 3.5, first, false, 0.5, -0.25, 0.3, -1e-9)
	one(10, 3.5, grid{-9, 3, leastRoom + 1}, false, 0.999, -0.999, 0.1, 0.2)
	one(10, 300, grid{-9, 3, leastRoom}, true, 5, 6)
	one(50, 1e9, grid{-9, 3, leastRoom}, false, 1)
	one(2, 0, grid{-9, 2, leastRoom}, false, 0, 0)
	one(2, 1, first, false, 1, math.Inf(1))
	one(2, 1, first, false, 0x1p-1000)
	vectors.Check(t, "../../docs/protocol/short.json", out)
}

type pairVector struct {
	Clients [2]string   `json:"clients"`
	Secret  vectors.Hex `json:"x25519"`
	Seen    vectors.Hex `json:"digest_of_what_both_have_received"`
	Masks   keyVector   `json:"masks"`
	Seals   keyVector   `json:"seals"`
	// of the flight, and the text of HMAC, which has its digest
	Messages vectors.Hex `json:"messages"`
	Text     vectors.Hex `json:"text"`
	Sum      vectors.Hex `json:"hmac"`
	Counter  vectors.Hex `json:"first_counter_block"`
	Stream   vectors.Hex `json:"stream"`
	// of the first for the second, and of the second for the first
	Sealed [2]vectors.Hex `json:"sealed"`
}

type keyVector struct {
	Info vectors.Hex `json:"info"`
	Key  vectors.Hex `json:"key"`
}

type clientVector struct {
	Name    string           `json:"name"`
	Private vectors.Hex      `json:"private"`
	Public  vectors.Hex      `json:"public"`
	Plain   [][]vectors.Word `json:"words"` // of the arrays that the client has part in
	Masked  [][]vectors.Word `json:"masked"`
	Seals   [][]vectors.Word `json:"seals"` // of each message
}

const vectorRound, vectorFlight = 0x01020304, 0x0506070809

// vectorChains are those of the two messages of a flight, of which the second is a round later.
var vectorChains = [2]uint32{2, 4}

// keyOf is a key of a pair, with the text that it follows from; both of the pair have the same.
func keyOf(t *testing.T, p, other *pairs, purpose string, id transport.ChainID) keyVector {
	t.Helper()
	key, err := p.key(other.own, purpose, id)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := other.key(p.own, purpose, id); err != nil || string(key) != string(again) {
		t.Errorf("the two have unlike keys of %s: %v", purpose, err)
	}
	info := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte(purpose), id.Epoch), id.Chain)
	for _, one := range []*pairs{p, other} {
		name := one.names[one.own]
		info = append(binary.BigEndian.AppendUint32(info, uint32(len(name))), name...)
		info = append(info, one.private.PublicKey().Bytes()...)
	}
	if of, err := hkdf.Key(sha256.New, p.secrets[other.own], id.Run[:], string(info), 32); err != nil ||
		string(of) != string(key) {
		t.Errorf("the key of %s follows from another text: %v", purpose, err)
	}
	return keyVector{info, key}
}

// xored is the beginning of a stream.
func xored(s cipher.Stream, n int) []byte {
	out := make([]byte, n)
	s.XORKeyStream(out, out)
	return out
}

// pairOf is what two clients have for one another.
func pairOf(t *testing.T, p, other *pairs, id transport.ChainID, seen []byte) pairVector {
	t.Helper()
	all := id
	all.Chain = 0 // keys of flights are of all chains
	v := pairVector{Clients: [2]string{p.names[p.own], p.names[other.own]}, Seen: seen,
		Masks: keyOf(t, p, other, maskPurpose, all), Seals: keyOf(t, p, other, sealPurpose, all)}
	v.Secret = p.secrets[other.own]
	alone := make([]uint64, 5)
	letters := func(p *pairs, seen []byte, words []uint64) []letter {
		w := []*witness{newWitness(p, [32]byte(seen)), newWitness(p, [32]byte(seen))}
		second := id
		second.Chain = vectorChains[1]
		return []letter{letterOf(0, id, vectorRound, w[0], words[:3], p.own, other.own),
			letterOf(1, second, vectorRound+1, w[1], words[3:], p.own, other.own)}
	}
	m := newMasker(p, true)
	m.flights[other.own] = vectorFlight - 1
	pads(t, m, letters(p, seen, alone)...)
	for _, w := range alone { // the first of a pair adds the stream as it is
		v.Stream = binary.LittleEndian.AppendUint64(v.Stream, w)
	}
	for k, chain := range vectorChains {
		v.Messages = binary.BigEndian.AppendUint32(v.Messages, uint32(k))
		v.Messages = binary.BigEndian.AppendUint32(v.Messages, chain)
		v.Messages = append(binary.BigEndian.AppendUint64(v.Messages, vectorRound+uint64(k)), kindAux)
		v.Messages = append(v.Messages, seen...)
	}
	digest := sha256.Sum256(v.Messages)
	v.Text = append(binary.BigEndian.AppendUint64(nil, vectorFlight), digest[:]...)
	mac := hmac.New(sha256.New, v.Seals.Key)
	mac.Write(v.Text)
	v.Sum = mac.Sum(nil)
	v.Counter = append(binary.BigEndian.AppendUint64(nil, vectorFlight)[3:], v.Sum[16:23]...)
	v.Counter = append(v.Counter, 0, 0, 0, 0)
	block, err := aes.NewCipher(v.Masks.Key)
	if err != nil || !bytes.Equal(v.Stream, xored(cipher.NewCTR(block, v.Counter), len(v.Stream))) {
		t.Errorf("the mask is of another key or counter: %v", err)
	}
	v.Sealed = [2]vectors.Hex{v.Sum[:8], v.Sum[8:16]}
	for k, ends := range [][2]*pairs{{p, other}, {other, p}} {
		w := newWitness(ends[0], [32]byte(seen))
		own := w.exchange(ends[1].own, &made{sum: [32]byte(v.Sum)})
		if due := w.due[ends[1].own]; own != binary.LittleEndian.Uint64(v.Sealed[k]) ||
			due != binary.LittleEndian.Uint64(v.Sealed[1-k]) {
			t.Errorf("the seals are %x and %x, not %v", own, due, v.Sealed)
		}
	}
	return v
}

// Keys of pairs, masks and seals are those of docs/protocol; both of a pair have the same, and masks cancel.
func TestVectorsOfMasks(t *testing.T) {
	all, id := vectorPairs(t)
	file := struct {
		Run          vectors.Hex      `json:"run"`
		Epoch        uint32           `json:"epoch"`
		Flight       vectors.Word     `json:"flight"`
		Chains       [2]uint32        `json:"chains"` // of its two messages, by lane
		Rounds       [2]vectors.Word  `json:"rounds"`
		Kinds        []string         `json:"kinds"` // of messages, in the order of their numbers
		Kind         int              `json:"kind"`
		Clients      []clientVector   `json:"clients"`
		Pairs        []pairVector     `json:"pairs"`
		Contributors [][]int          `json:"contributors"` // of the array of each message
		Sums         [][]vectors.Word `json:"sums"`
	}{Run: id.Run[:], Epoch: id.Epoch, Flight: vectorFlight, Chains: vectorChains,
		Rounds: [2]vectors.Word{vectorRound, vectorRound + 1}, Kind: kindAux,
		Contributors: [][]int{{1, 2, 3}, {1, 3}}}
	for _, k := range kinds {
		file.Kinds = append(file.Kinds, k.Name)
	}
	file.Kinds = append(file.Kinds, "what goes up in a relay", "what comes down in a relay")
	seen := func(a, b int) []byte { return vectors.Count(byte(16*(a+b)), 32) }
	sums := [][]uint64{make([]uint64, 3), make([]uint64, 2)}
	for k, p := range all {
		for _, other := range all[k+1:] {
			file.Pairs = append(file.Pairs, pairOf(t, p, other, id, seen(p.own, other.own)))
		}
		m := newMasker(p, true)
		m.flights = slices.Repeat([]uint64{vectorFlight - 1}, len(p.names))
		c := clientVector{Name: p.names[p.own], Private: p.private.Bytes(),
			Public: p.private.PublicKey().Bytes()}
		var letters []letter
		for i, contributors := range file.Contributors {
			w := newWitness(p, [32]byte{})
			for _, other := range all {
				w.seen[other.own] = [32]byte(seen(p.own, other.own))
			}
			at := id
			at.Chain = vectorChains[i]
			var words []uint64
			if slices.Contains(contributors, p.own) {
				words = []uint64{uint64(p.own), math.MaxUint64, 1 << 63}[:len(sums[i])]
				c.Plain = append(c.Plain, vectors.Words(words))
			}
			letters = append(letters, letterOf(i, at, vectorRound+uint64(i), w, words, contributors...))
		}
		pads(t, m, letters...)
		for i, l := range letters {
			c.Seals = append(c.Seals, vectors.Words(l.arrays[len(l.arrays)-1].Words))
			if len(l.arrays) < 2 {
				continue
			}
			for j, w := range l.arrays[0].Words {
				sums[i][j] += w
			}
			c.Masked = append(c.Masked, vectors.Words(l.arrays[0].Words))
		}
		file.Clients = append(file.Clients, c)
	}
	if want := [][]uint64{{6, math.MaxUint64 - 2, 1 << 63}, {4, math.MaxUint64 - 1}}; !reflect.DeepEqual(sums,
		want) {
		t.Errorf("the masks do not cancel: %x", sums)
	}
	for _, sum := range sums {
		file.Sums = append(file.Sums, vectors.Words(sum))
	}
	vectors.Check(t, "../../docs/protocol/masks.json", file)
}

// The digests of what two clients have received are those of docs/protocol.
func TestVectorsOfSeals(t *testing.T) {
	type array struct {
		Name      string         `json:"name"`
		Invalid   bool           `json:"invalid"`
		NotFinite bool           `json:"not_finite"`
		Grid      int16          `json:"grid"`
		Data      []vectors.Word `json:"data"`
		Receivers []int          `json:"receivers"`
		Digest    vectors.Hex    `json:"digest"`
	}
	type arrival struct {
		Round  vectors.Word  `json:"round"`
		Kind   int           `json:"kind"`
		Arrays []array       `json:"arrays"`
		Seen   []vectors.Hex `json:"digests_with_the_others"` // clients 2 and 3, of client 1
	}
	file := struct {
		Agreed   vectors.Hex `json:"agreed"`
		Arrivals []arrival   `json:"arrivals"`
	}{Agreed: vectors.Count(0x20, 32)}
	all, _ := vectorPairs(t)
	w := newWitness(all[0], [sha256.Size]byte(file.Agreed))
	for round, f := range []*frame{
		{kind: ownKind(kindReply), channels: []channel{{alike: []int{1, 2}}, {alike: []int{1, 2, 3}},
			{alike: []int{1}}}, arrays: []transport.Channel{
			{Name: "adjoint s", Data: []float64{0.5, -2}, Grid: -37},
			{Name: "adjoint t", Data: []float64{math.Inf(1)}, NotFinite: true},
			{Name: "adjoint u", Data: []float64{1}},
		}},
		{kind: ownKind(kindSum), channels: []channel{{alike: []int{1, 2, 3}}},
			arrays: []transport.Channel{{Name: "größe", Invalid: true, Grid: none,
				Data: make([]float64, 3)}}},
	} {
		one := arrival{Round: vectors.Word(round + vectorRound), Kind: f.kind.number}
		for k, a := range f.arrays {
			w.digestOf(f, k, uint64(one.Round))
			one.Arrays = append(one.Arrays, array{a.Name, a.Invalid, a.NotFinite, a.Grid,
				vectors.Bits(a.Data), f.channels[k].alike, append([]byte(nil), w.sum[:]...)})
		}
		w.take(f, uint64(one.Round))
		one.Seen = []vectors.Hex{append([]byte(nil), w.of(2)...), append([]byte(nil), w.of(3)...)}
		file.Arrivals = append(file.Arrivals, one)
	}
	vectors.Check(t, "../../docs/protocol/seals.json", file)
}
