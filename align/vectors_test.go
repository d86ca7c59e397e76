package align

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/cloudflare/circl/group"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/vectors"
)

type partyVector struct {
	Name   string        `json:"name"`
	Secret vectors.Hex   `json:"secret"`
	Raw    []string      `json:"identifiers"`
	Keys   []string      `json:"normal"`
	Order  []int         `json:"order"`
	Hashed []vectors.Hex `json:"hashed"` // H of each key
	Powers []vectors.Hex `json:"own_list"`
	Rows   []int         `json:"common_rows"`
}

type sentVector struct {
	Kind  string         `json:"kind"`
	Step  uint64         `json:"step"`
	Words []vectors.Word `json:"words"`
	Frame vectors.Hex    `json:"frame"`
}

// told keeps what a party sends.
type told struct {
	Messenger
	own   string
	mutex *sync.Mutex
	sent  map[string][]sentVector
}

func (e told) Send(ctx context.Context, to string, m transport.Message) error {
	v := sentVector{m.Kind, m.Round, nil, transport.Append(nil, m)}
	for _, a := range m.Arrays {
		v.Words = vectors.Words(a.Words)
	}
	e.mutex.Lock()
	e.sent[e.own+" to "+to] = append(e.sent[e.own+" to "+to], v)
	e.mutex.Unlock()
	return e.Messenger.Send(ctx, to, m)
}

// scalar is a secret from 32 bytes, the lowest first.
func scalar(t *testing.T, b []byte) secret {
	t.Helper()
	k := group.Ristretto255.NewScalar()
	if err := k.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return secret{k}
}

// one is the number 1, under which a hash stays as it is.
func one(t *testing.T) secret {
	t.Helper()
	return scalar(t, append([]byte{1}, make([]byte, 31)...))
}

func points(list []byte) (out []vectors.Hex) {
	for p := range slices.Chunk(list, pointSize) {
		out = append(out, p)
	}
	return out
}

// An alignment of three parties with fixed secrets has the messages of docs/protocol.
func TestVectorsOfAlignment(t *testing.T) {
	file := struct {
		Run     vectors.Hex             `json:"run"`
		Epoch   uint32                  `json:"epoch"`
		Domain  vectors.Hex             `json:"domain"`
		Salt    vectors.Hex             `json:"salt"`
		Parties []partyVector           `json:"parties"`
		Sent    map[string][]sentVector `json:"sent"`
		Digest  vectors.Hex             `json:"digest"`
	}{Run: vectors.Count(0xf0, 16), Epoch: 1, Salt: vectors.Count(0x60, 32), Sent: map[string][]sentVector{}}
	id := transport.ChainID{Run: [16]byte(file.Run), Epoch: file.Epoch}
	file.Domain = domain(id)
	file.Parties = []partyVector{
		{Name: "server", Raw: []string{"P-03", " p  01", "Straße 7", "only here"}, Order: []int{2, 0, 3, 1}},
		{Name: "a", Raw: []string{"p 01", "STRASSE 7", "p-02", "p-03"}, Order: []int{3, 1, 0, 2}},
		{Name: "b", Raw: []string{"ｐ－０３", "p\u00a001", "p-02", "straße\t7", "另"},
			Order: []int{0, 4, 2, 1, 3}},
	}
	var names []string
	for _, p := range file.Parties {
		names = append(names, p.Name)
	}
	var wait sync.WaitGroup
	var mutex sync.Mutex
	results := make([]*Result, len(names))
	for k, end := range transport.NewMem(names) {
		p := &file.Parties[k]
		p.Keys = Rules{}.Normalise(p.Raw).Normal
		p.Secret = append(vectors.Count(byte(0x11*(k+1)), 31), byte(k+1))
		r := &run{Participant: &Participant{Names: names, Own: p.Name, ID: id,
			Messenger: told{end, p.Name, &mutex, file.Sent}, Keys: p.Keys}, ctx: t.Context(),
			secret: scalar(t, p.Secret), order: p.Order, sizes: make([]int, len(names))}
		plain, err := one(t).hash(t.Context(), id, p.Keys, []int{0, 1, 2, 3, 4}[:len(p.Keys)])
		if err != nil {
			t.Fatal(err)
		}
		p.Hashed = points(plain)
		list, err := r.work(0, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Powers = points(list)
		wait.Go(func() {
			var err error
			if k == 0 {
				copy(r.salt[:], file.Salt)
				results[k], err = r.lead()
			} else {
				results[k], err = r.follow(k)
			}
			if err != nil {
				t.Error(p.Name, err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	for k, r := range results {
		file.Parties[k].Rows, file.Digest = r.Rows, r.Digest[:]
	}
	vectors.Check(t, "../docs/protocol/alignment.json", file)
}
