package align

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudflare/circl/group"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/brief"
)

// written is an identifier as somebody may write it.
func written(r *rand.Rand, id string) string {
	if r.IntN(2) == 0 {
		id = strings.ToUpper(id)
	}
	id = strings.ReplaceAll(id, " ", strings.Repeat(" ", 1+r.IntN(3)))
	return strings.Repeat(" ", r.IntN(3)) + id + strings.Repeat("\t", r.IntN(2))
}

// The rows found are those of the plain intersection, in one order, in hundreds of cases with duplicates,
// blanks and case differences.
func TestEqualsThePlainIntersection(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	folded, empty, cases := 0, 0, brief.Draws(300, 1000)
	for n := range cases {
		rules := Rules{Exact: n%4 == 3}
		names := []string{"s", "a", "b", "c"}[:2+r.IntN(3)]
		var tables, keys [][]string
		var parsed []Identifiers
		for range names {
			var table []string
			for len(table) == 0 || r.IntN(8) > 0 {
				table = append(table, written(r, fmt.Sprintf("é p%d", r.IntN(6))))
				if r.IntN(6) == 0 {
					table = append(table, strings.Repeat(" ", r.IntN(3)))
				}
			}
			k := rules.Normalise(table)
			tables, parsed, keys = append(tables, table), append(parsed, k), append(keys, k.Normal)
		}
		// The plain intersection, by other means than Normal.
		same := func(id string) string {
			id = strings.Trim(id, " \t")
			for strings.Contains(id, "  ") {
				id = strings.ReplaceAll(id, "  ", " ")
			}
			if !rules.Exact {
				id = strings.ToLower(id)
			}
			return id
		}
		var want []string
		for _, id := range tables[0] {
			id = same(id)
			everywhere := id != "" && !slices.Contains(want, id)
			for _, table := range tables[1:] {
				everywhere = everywhere && slices.ContainsFunc(table, func(other string) bool {
					return same(other) == id
				})
			}
			if everywhere {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		results, _, err := Simulate(t.Context(), names, rules, keys)
		if err != nil {
			t.Fatal(err)
		}
		for i, result := range results {
			var got []string
			for k, row := range result.Rows {
				id := same(tables[i][parsed[i].Row[row]])
				if first := same(tables[0][parsed[0].Row[results[0].Rows[k]]]); id != first {
					t.Fatalf("case %d: row %d is %q at %s and %q at the server", n, k, id, names[i], first)
				}
				got = append(got, id)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || result.Digest != results[0].Digest {
				t.Fatalf("case %d, %s: %q, the plain intersection is %q", n, names[i], got, want)
			}
		}
		if len(want) == 0 {
			empty++
		} else if !rules.Exact {
			folded++
		}
	}
	if folded < cases*3/10 || empty < cases/20 {
		t.Errorf("only %d cases with common rows and %d without", folded, empty)
	}
}

// A server without rows leads the alignment of the others.
func TestServerWithoutRows(t *testing.T) {
	results, _, err := Simulate(t.Context(), []string{"s", "a", "b"}, Rules{},
		[][]string{nil, {"1", "2", "3"}, {"3", "4", "1"}})
	if err != nil || len(results[1].Rows) != 2 || results[0].Rows != nil ||
		results[0].Digest != results[2].Digest {
		t.Fatalf("%+v %v", results, err)
	}
}

// An altered end changes the messages that it sends.
type altered struct {
	transport.Transport
	change func(*transport.Message)
}

func (a altered) Send(ctx context.Context, to string, m transport.Message) error {
	a.change(&m)
	return a.Transport.Send(ctx, to, m)
}

// between runs an alignment of a server and a client, of which one alters what it sends, and returns the
// error at the other.
func between(t *testing.T, liar int, change func(*transport.Message)) error {
	t.Helper()
	names := []string{"s", "a"}
	ends := transport.NewMem(names)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := make([]chan error, 2)
	for i := range names {
		out[i] = make(chan error, 1)
		p := &Participant{Names: names, Own: names[i], Messenger: ends[i],
			Keys: []string{"1", "2", "3", fmt.Sprint("own ", i)}}
		if i == liar {
			p.Messenger = altered{ends[i], change}
		}
		go func() {
			_, err := Run(ctx, p)
			out[i] <- err
		}()
	}
	err := <-out[1-liar]
	cancel()
	<-out[liar]
	return err
}

func TestWhatIsNotOfTheProtocolIsRefused(t *testing.T) {
	on := func(step string, change func(*transport.Message)) func(*transport.Message) {
		return func(m *transport.Message) {
			if m.Kind == step {
				change(m)
			}
		}
	}
	neutral := make([]uint64, 4)
	base, err := group.Ristretto255.Generator().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	point := func(words ...uint64) func(*transport.Message) {
		return func(m *transport.Message) { copy(m.Arrays[0].Words, words) }
	}
	for _, c := range []struct {
		what   string
		liar   int
		change func(*transport.Message)
		why    Reason
	}{
		{"the neutral element", 0, on(stepPass, point(neutral...)), BadPoint},
		{"an element twice", 0, on(stepPass, func(m *transport.Message) {
			copy(m.Arrays[0].Words[4:8], m.Arrays[0].Words[:4])
		}), BadPoint},
		{"bytes that are no element", 0, on(stepPass, point(1<<63|1, 2, 3, 4)), BadPoint},
		{"an element of larger bytes than the prime", 0,
			on(stepPass, point(^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)>>1)), BadPoint},
		{"a list that is too short", 0, on(stepPass, func(m *transport.Message) {
			m.Arrays[0].Words = m.Arrays[0].Words[4:]
		}), OtherCount},
		{"a list that is too long", 1, on(stepOwn, func(m *transport.Message) {
			m.Arrays[0].Words = append(m.Arrays[0].Words, words(base)...)
		}), OtherCount},
		{"an element twice, from a client", 1, on(stepPassed, func(m *transport.Message) {
			copy(m.Arrays[0].Words[4:8], m.Arrays[0].Words[:4])
		}), BadPoint},
		{"another alignment", 1, on(stepOwn, func(m *transport.Message) {
			m.ChainID.Run[0]++
		}), OtherAlignment},
		{"another step", 1, on(stepPassed, func(m *transport.Message) { m.Kind = stepOwn }), OtherAlignment},
		{"another hop", 0, on(stepPass, func(m *transport.Message) { m.Round++ }), OtherAlignment},
		{"a place that is not there", 0, on(stepCommon, func(m *transport.Message) {
			m.Arrays[0].Words[0] = 4
		}), OtherCount},
		{"a place twice", 0, on(stepCommon, func(m *transport.Message) {
			m.Arrays[0].Words[0] = m.Arrays[0].Words[1]
		}), OtherCount},
		{"another order", 0, on(stepCommon, func(m *transport.Message) {
			slices.Reverse(m.Arrays[0].Words)
		}), ""},
		{"another digest", 1, on(stepDigest, func(m *transport.Message) {
			m.Arrays[0].Words[0]++
		}), OtherDigest},
		{"other rules", 1, on(stepSize, func(m *transport.Message) { m.Arrays[0].Words[0]++ }), OtherRules},
		{"no rows", 1, on(stepSize, func(m *transport.Message) { m.Arrays[0].Words[1] = 0 }), NoRows},
		{"other sizes", 0, on(stepSizes, func(m *transport.Message) { m.Arrays[0].Words[1]++ }), OtherCount},
	} {
		t.Run(c.what, func(t *testing.T) {
			if c.why == "" { // the server finds that the digests differ, and tells both
				c.why = OtherDigest
			}
			var bad *Error
			if err := between(t, c.liar, c.change); !errors.As(err, &bad) || bad.Why != c.why {
				t.Errorf("%v, want %s", err, c.why)
			}
		})
	}
}

// A list that comes back as another is refused: the party would raise its own list to its secret twice.
func TestReplayedListIsRefused(t *testing.T) {
	var own []uint64
	names := []string{"s", "a"}
	ends := transport.NewMem(names)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, &Participant{Names: names, Own: "a", Messenger: ends[1], Keys: []string{"1", "2"}})
		done <- err
	}()
	s := &run{Participant: &Participant{Names: names, Own: "s", Messenger: ends[0]}, ctx: ctx}
	if _, err := s.recv("a", stepSize, 0, 2); err != nil {
		t.Fatal(err)
	}
	if err := s.send("a", stepSizes, 0, []uint64{2, 2, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	own, err := s.recv("a", stepOwn, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.send("a", stepPass, 1, own); err != nil {
		t.Fatal(err)
	}
	var bad *Error
	if err := <-done; !errors.As(err, &bad) || bad.Why != OtherAlignment {
		t.Errorf("%v", err)
	}
}

// No message holds an identifier or its digest without salt, and lists of two alignments have no element in
// common.
func TestListsOfTwoAlignmentsHaveNothingInCommon(t *testing.T) {
	s := newSecret()
	one, err := s.hash(t.Context(), transport.ChainID{}, []string{"x"}, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.hash(t.Context(), transport.ChainID{Run: [16]byte{1}}, []string{"x"}, []int{0})
	if err != nil || slices.Equal(one, other) {
		t.Errorf("%x %x %v", one, other, err)
	}
}

func TestNormalIsStable(t *testing.T) {
	for _, id := range []string{"", " a  B ", "ΑΣ ς", "e\u0301", "\u00a0x\u2003y", "İ", "ﬁ", "00 7"} {
		for _, r := range []Rules{{}, {Exact: true}} {
			if once := r.Normal(id); r.Normal(once) != once {
				t.Errorf("%q: %q, then %q", id, once, r.Normal(once))
			}
		}
	}
	if (Rules{}).Normal("e\u0301 A") != (Rules{}).Normal("É  a") {
		t.Error("two forms of é differ")
	}
}

func BenchmarkHashAndRaise(b *testing.B) {
	s := newSecret()
	keys, order := make([]string, 1000), shuffled(1000)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	for b.Loop() {
		list, err := s.hash(b.Context(), transport.ChainID{}, keys, order)
		if err == nil {
			_, err = s.raise(b.Context(), list)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A party that would send what its peers refuse ends the alignment itself, before it has sent it.
func TestListsWithoutAForm(t *testing.T) {
	id := transport.ChainID{Run: [16]byte{1}}
	out := told{own: "a", mutex: &sync.Mutex{}, sent: map[string][]sentVector{}}
	r := &run{Participant: &Participant{Names: []string{"server", "a"}, Own: "a", ID: id, Messenger: out},
		ctx: t.Context()}
	list, err := newSecret().hash(t.Context(), id, []string{"x", "y", "x"}, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var bad *Error
	if err := r.sendList("server", stepOwn, 0, list); !errors.As(err, &bad) || bad.Party != "a" ||
		bad.Why != BadPoint || len(out.sent) > 0 {
		t.Error(err, out.sent)
	}
	for _, places := range [][]uint64{{2}, {0, 0}, {1, 0, 2}} {
		if placed(places, 2) {
			t.Errorf("places %v of two", places)
		}
	}
	if !placed([]uint64{1, 0}, 2) || counted(0, false) || counted(mostKeys+1, true) || !counted(0, true) ||
		!counted(mostKeys, false) {
		t.Error("places or counts")
	}
}
