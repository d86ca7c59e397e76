package session

import (
	"crypto/ecdh"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// vectorPairs are the secrets of two of three clients with fixed keys.
func vectorPairs(t *testing.T) (all []*pairs, id transport.ChainID) {
	t.Helper()
	plan := &model.Plan{Names: []string{"server", "a", "b", "lab[1]"}}
	public := map[string]*ecdh.PublicKey{}
	var private []*ecdh.PrivateKey
	for k, name := range plan.Names[1:] {
		var secret [32]byte
		for i := range secret {
			secret[i] = byte(32*k + i)
		}
		key, err := ecdh.X25519().NewPrivateKey(secret[:])
		if err != nil {
			t.Fatal(err)
		}
		private, public[name] = append(private, key), key.PublicKey()
	}
	for k, name := range plan.Names[1:] {
		p, err := newPairs(plan, k+1, &MaskKeys{Private: map[string]*ecdh.PrivateKey{name: private[k]},
			Public: public})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for k := range id.Run {
		id.Run[k] = byte(0xf0 + k)
	}
	id.Epoch, id.Chain = 3, 2
	return all, id
}

// Keys differ wherever run, epoch, chain, purpose or pair do.
func TestKeysOfPairsDiffer(t *testing.T) {
	all, id := vectorPairs(t)
	other := []func(*transport.ChainID){
		func(*transport.ChainID) {}, func(i *transport.ChainID) { i.Run[15]++ },
		func(i *transport.ChainID) { i.Epoch++ }, func(i *transport.ChainID) { i.Chain++ },
		func(i *transport.ChainID) { i.Epoch, i.Chain = i.Chain, i.Epoch },
	}
	seen := map[string]bool{}
	for _, purpose := range []string{maskPurpose, sealPurpose, pairPurpose} {
		for _, change := range other {
			for _, peer := range []int{2, 3} {
				at := id
				change(&at)
				key, err := all[0].key(peer, purpose, at)
				if err != nil || seen[string(key)] {
					t.Fatal(purpose, peer, at, err)
				}
				seen[string(key)] = true
			}
		}
	}
}

// A session that would begin the masks or the seals of an earlier one again ends with an error; another chain
// or epoch, and the same session later, do not.
func TestSecondSessionHasNoMasks(t *testing.T) {
	all, id := vectorPairs(t)
	plan := &model.Plan{Names: all[0].names}
	again, err := newPairs(plan, 1, all[0].keys)
	if err != nil {
		t.Fatal(err)
	}
	if err := newMasker(all[0], false).begin(id); err != nil {
		t.Fatal(err)
	}
	var refused *MaskError
	if err := newMasker(again, false).begin(id); !errors.As(err, &refused) || refused.Party != "a" {
		t.Errorf("a second session has masks: %v", err)
	}
	if err := newMasker(all[0], false).begin(id); err != nil {
		t.Errorf("the first has none: %v", err)
	}
	id.Chain++
	if err := newMasker(again, false).begin(id); err != nil {
		t.Errorf("another chain has none: %v", err)
	}
	for _, of := range []*pairs{all[0], again} { // what chains share is of one session too
		err := newMasker(of, true).begin(id)
		if id.Chain++; errors.As(err, &refused) != (of == again) {
			t.Errorf("masks of all chains: %v", err)
		}
	}
}

// letterOf is a message of one array of words, to which these clients contribute, and of seals; without
// words, of seals.
func letterOf(lane int, id transport.ChainID, round uint64, w *witness, words []uint64,
	contributors ...int) letter {
	f := &frame{kind: ownKind(kindAux), masked: true}
	if words != nil {
		f.channel("s", channel{content: density.BareCut,
			coding: newCoding(contributors, &grid{exponent: none})})
		f.arrays[0].Words = words
	}
	f.channel(sealsName, channel{content: Seal, of: -1, len: 2 * sealWords})
	if w != nil {
		w.seal(f, id, round)
	}
	return letter{lane: lane, id: id, round: round, frame: f, arrays: f.arrays, witness: w}
}

// pads are the streams of a flight of two chains, a number each: what is added to words that are 0.
func pads(t *testing.T, m *masker, all ...letter) (out []uint64) {
	t.Helper()
	var lanes []int
	var messages []transport.Message
	for _, l := range all {
		if err := m.send(l); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, transport.Message{ChainID: l.id, Round: l.round, Kind: l.frame.kind.Name,
			Arrays: l.arrays})
		lanes = append(lanes, l.lane)
	}
	if err := m.depart(lanes, messages); err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if len(l.arrays) > 1 {
			out = append(out, l.arrays[0].Words...)
		}
	}
	return out
}

// The attack: a server has a client answer once more, or one of two, in a flight of two chains, with another
// number in one of them, or with another chain beside. No word of a mask comes again, and where the two have
// received unlike numbers, or send other messages, no masks of theirs cancel, also those of chains that
// agree.
func TestFlightsShareNoMasks(t *testing.T) {
	all, id := vectorPairs(t)
	maskers := []*masker{newMasker(all[0], true), newMasker(all[1], true)}
	other := id
	other.Chain++
	seen := map[uint64]bool{}
	for name, cancel := range map[string]bool{"alike": true, "again": true, "unlike": false, "in turn": false,
		"round": false, "alone": false} {
		var sums []uint64
		var due uint64 // of the first client, from the second
		for k, m := range maskers {
			w := []*witness{newWitness(all[k], [32]byte{}), newWitness(all[k], [32]byte{})}
			letters := []letter{letterOf(0, id, 3, w[0], make([]uint64, 2), 1, 2),
				letterOf(1, other, 5, w[1], make([]uint64, 2), 1, 2)}
			switch own := k == 0; {
			case name == "unlike" && own:
				w[1].seen[2][7]++
			case name == "in turn" && own:
				letters[0], letters[1] = letterOf(0, other, 5, w[1], make([]uint64, 2), 1, 2),
					letterOf(1, id, 3, w[0], make([]uint64, 2), 1, 2)
			case name == "round" && own:
				letters[1].round++
			case name == "alone" && own:
				letters = letters[:1]
			}
			words := pads(t, m, letters...)
			for i, x := range words {
				if k == 0 && seen[x] {
					t.Errorf("%s: a word of a mask comes again", name)
				}
				if seen[x] = true; k == 0 {
					sums = append(sums, x)
				} else if i < len(sums) {
					sums[i] += x
				}
			}
			if k == 0 {
				due = letters[0].witness.due[2]
			}
			if got := letters[0].arrays[1].Words; k == 1 && (got[0] == due) != cancel {
				t.Errorf("%s: the seal is %x", name, got)
			}
		}
		for i, x := range sums {
			if x == 0 != cancel {
				t.Errorf("%s: the sum of masks %d is %x", name, i, x)
			}
		}
	}
}

// Clients that send unlike messages have masks with those that send the same, in whatever order of chains.
func TestMasksOfUnlikeClients(t *testing.T) {
	all, id := vectorPairs(t)
	sums := make([]uint64, 2)
	for round := range uint64(3) {
		for k, p := range all {
			m := newMasker(p, false)
			m.flights = slices.Repeat([]uint64{round}, len(p.names))
			for i, contributors := range [][]int{{1, 2, 3}, {1, 3}} {
				if !slices.Contains(contributors, k+1) {
					continue
				}
				l := letterOf(0, id, round, nil, make([]uint64, 1), contributors...)
				l.frame.channels, l.frame.arrays = l.frame.channels[:1], l.frame.arrays[:1] // no seals
				l.arrays = l.frame.arrays
				if err := m.send(l); err != nil {
					t.Fatal(err)
				}
				if l.arrays[0].Words[0] == 0 {
					t.Error("a word has no mask")
				}
				sums[i] += l.arrays[0].Words[0]
			}
		}
	}
	if sums[0] != 0 || sums[1] != 0 {
		t.Errorf("masks do not cancel: %x", sums)
	}
}

// Streams of flights begin apart by more than any flight is long, whatever has been received; two clients
// that have received other things have other streams. The last flight has masks, and one beyond has none.
func TestStreamsBeginApart(t *testing.T) {
	all, id := vectorPairs(t)
	if err := all[0].begin(id); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, number := range []uint64{1, 2, 255, 256, 1 << 32, mostFlights - 1} {
		for _, digest := range []string{"one", "another"} {
			m, err := all[0].flight(2, number, []byte(digest))
			if err != nil {
				t.Fatal(err)
			}
			var zero, text [64]byte
			m.stream().XORKeyStream(text[:], zero[:])
			place := fmt.Sprint(number, digest)
			for at := 0; at < len(text); at += 16 { // no block comes twice
				block := string(text[at : at+16])
				if other, is := seen[block]; is {
					t.Fatalf("%s and %s share a part of a stream", place, other)
				}
				seen[block] = place
			}
		}
	}
	m := newMasker(all[0], false)
	m.flights[2] = mostFlights - 2
	var refused *MaskError
	for _, none := range []bool{false, true} {
		if err := m.send(letterOf(0, id, 1, nil, make([]uint64, 1), 1, 2)); errors.As(err, &refused) != none {
			t.Errorf("masks of the last flights: %v", err)
		}
	}
}

// Short words change a log density by no more than unnoticed, as a standard deviation: errors of sums times
// adjoints, for any size of these, and clients from two to many.
func TestShortWordsAreNotNoticed(t *testing.T) {
	const rows, repetitions = 100, 200
	random := vector.NewGenerator(vector.SharedKey(1), "short")
	for _, clients := range []int{2, 10, 50} {
		for _, scale := range []float64{1e-3, 1, 30} {
			adjoint, v := make([]float64, rows), make([]float64, rows)
			random.Normals(adjoint)
			for i := range adjoint {
				adjoint[i] *= scale
			}
			r := rounded{data: make([]float64, rows)}
			r.set(adjoint)
			c := newCoding(make([]int, clients), &grid{exponent: none, room: leastRoom})
			c.shorten(5, true, &r, false)
			if c.size() == 0 {
				t.Fatalf("%d clients, adjoints of %v: words of 8 bytes", clients, scale)
			}
			squares, parts := 0.0, make([]transport.Channel, clients)
			total, want := make([]float64, rows), make([]float64, rows)
			for range repetitions {
				clear(want)
				for k := range parts {
					random.Normals(v)
					c.write(&parts[k], v)
					for i := range want {
						want[i] += v[i]
					}
				}
				if _, valid := c.add(total, parts); !valid {
					t.Fatal("a number of the size of totals has no word")
				}
				off := 0.0
				for i := range total {
					off += float64(adjoint[i] * (total[i] - want[i]))
				}
				squares += float64(off * off)
			}
			// the mean of 200 squares is within 3 of its standard errors
			most := unnoticed * math.Sqrt(1+3*math.Sqrt(2.0/repetitions))
			if sd := math.Sqrt(squares / repetitions); sd > most {
				t.Errorf("%d clients, adjoints of %v: %v nats", clients, scale, sd)
			}
		}
	}
}
