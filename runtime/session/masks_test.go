package session

import (
	"crypto/ecdh"
	"errors"
	"fmt"
	"math"
	"testing"

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
	seen := func(int) []byte { return nil }
	if err := newMasker(all[0], seen).begin(id, 1, ownKind(kindAux)); err != nil {
		t.Fatal(err)
	}
	var refused *MaskError
	if err := newMasker(again, seen).begin(id, 1, ownKind(kindAux)); !errors.As(err, &refused) ||
		refused.Party != "a" {
		t.Errorf("a second session has masks: %v", err)
	}
	f := &frame{kind: ownKind(kindAux)}
	f.channel(sealsName, channel{content: Seal, of: -1, len: 2 * sealWords})
	if err := newWitness(again, [32]byte{}).seal(f, id, 1); !errors.As(err, &refused) {
		t.Errorf("a second session has seals: %v", err)
	}
	if err := newWitness(all[0], [32]byte{}).seal(f, id, 1); err != nil {
		t.Errorf("the first has none: %v", err)
	}
	id.Chain++
	if err := newMasker(again, seen).begin(id, 1, ownKind(kindAux)); err != nil {
		t.Errorf("another chain has none: %v", err)
	}
}

// A kind of message has masks once in a round, and the last that a masker can keep apart as well; one beyond
// has none, since nobody would notice that it had them twice.
func TestKindHasMasksOnce(t *testing.T) {
	all, id := vectorPairs(t)
	m := newMasker(all[0], func(int) []byte { return nil })
	at := func(number int, round uint64) error {
		k := ownKind(kindAux)
		k.number = number
		return m.begin(id, round, k)
	}
	var refused *MaskError
	for _, number := range []int{kindAux, bytesDown, maskedKinds - 1} {
		if err := at(number, 2); err != nil {
			t.Errorf("kind %d has no masks: %v", number, err)
		}
		if err := at(number, 2); !errors.As(err, &refused) {
			t.Errorf("kind %d has masks twice: %v", number, err)
		}
	}
	for _, number := range []int{maskedKinds, 255, 256 + kindAux} {
		if err := at(number, 3); !errors.As(err, &refused) {
			t.Errorf("kind %d has masks, which nobody keeps apart: %v", number, err)
		}
	}
	if err := at(kindAux, 1); !errors.As(err, &refused) {
		t.Errorf("an earlier round has masks again: %v", err)
	}
}

// The streams of a message begin apart from those of every other kind and round by more than any message is
// long, whatever has been received; two clients that have received other things have other streams.
func TestStreamsBeginApart(t *testing.T) {
	all, id := vectorPairs(t)
	if err := all[0].begin(id); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for round := range uint64(3) {
		for kind := range bytesDown + 1 {
			for _, digest := range []string{"one", "another"} {
				m, err := all[0].message(2, round, kind, []byte(digest))
				if err != nil {
					t.Fatal(err)
				}
				var zero, text [64]byte
				m.stream().XORKeyStream(text[:], zero[:])
				place := fmt.Sprint(round, kind, digest)
				for at := 0; at < len(text); at += 16 { // no block comes twice
					block := string(text[at : at+16])
					if other, is := seen[block]; is {
						t.Fatalf("%s and %s share a part of a stream", place, other)
					}
					seen[block] = place
				}
			}
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
