package protocol_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/release"
)

// A released is a small release of three parties: y at the registry, a matrix of two and a binary column at
// a, x at b.
type released struct {
	rows    int
	terms   func([]release.BoundedColumn, int) release.Terms
	scores  int  // of them
	binary  bool // response
	values  map[string][]protocol.DeclaredColumns
	charged *[]string
	charge  error
	noise   func(party int) io.Reader
	change  func(party int, o *protocol.Releasing)
	alter   func(party int) func(message string, own [][]byte)
	alike   bool // all end by themselves
}

var releasedColumns = []release.BoundedColumn{
	{Name: "Z", Owner: "a", Lower: -2, Upper: 2}, {Name: "g", Owner: "a", Upper: 1, Binary: true},
	{Name: "x", Owner: "b", Lower: 0, Upper: 5}, {Name: "y", Owner: "registry", Lower: -3, Upper: 3},
}

// declared are the columns, of a binary response too.
func (r *released) declared() []release.BoundedColumn {
	out := slices.Clone(releasedColumns)
	if r.binary {
		out[3] = release.BoundedColumn{Name: "y", Owner: "registry", Upper: 1, Binary: true}
	}
	return out
}

// private are terms with noise; without, those of exact sums.
func private(columns []release.BoundedColumn, _ int) release.Terms {
	rho := release.Rho(3, 1e-6)
	return release.Terms{Epsilon: 3, Delta: 1e-6, Rho: rho, Mu: release.Mu(rho), Part: .5,
		Norms: release.Widest(columns)}
}

func exact(columns []release.BoundedColumn, _ int) release.Terms {
	return release.Terms{NoNoise: true, Norms: release.Widest(columns)}
}

func newReleased(terms func([]release.BoundedColumn, int) release.Terms) *released {
	const n = 70 // of which the small ring has 32 in a ciphertext
	r := rand.New(rand.NewPCG(8, 9))
	column := func(f func() float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f()
		}
		return out
	}
	normal, binary := r.NormFloat64, func() float64 { return float64(r.IntN(2)) }
	return &released{rows: n, terms: terms, charged: &[]string{},
		values: map[string][]protocol.DeclaredColumns{
			"a": {
				{Names: []string{"Z[u]", "Z[v]"}, Values: [][]float64{column(normal), column(normal)}},
				{Names: []string{"g"}, Values: [][]float64{column(binary)}},
			},
			"b": {{Names: []string{"x"}, Values: [][]float64{column(func() float64 {
				return 6*r.Float64() - .5
			})}}},
			"registry": {{Names: []string{"y"}, Values: [][]float64{column(normal)}}},
		}}
}

// first leaves so many rows.
func (r *released) first(n int) {
	r.rows = n
	for _, list := range r.values {
		for _, d := range list {
			for k, v := range d.Values {
				d.Values[k] = v[:n]
			}
		}
	}
}

// next is a score at a point that follows from the number of earlier ones.
func (r *released) next(m *release.Moments) *release.Step {
	if m.Gradients == nil && r.scores > 0 {
		m.Gradients = &release.Gradients{Map: [][]float64{{1, 0, 0, 0, 0}, {.2, 1.5, .3, 0, 0},
			{0, .3, 1.2, .1, 0}, {-.1, 0, .1, 1, 0}, {.1, 0, 0, 0, 1.5}}}
		m.Hold(1.7)
	}
	if r.scores == 0 || len(m.Gradients.Steps) == r.scores {
		return nil
	}
	s := &release.Step{At: []float64{.1, .2, -.3, .25, .1 * float64(len(m.Gradients.Steps))},
		Shape: .7, Rho: m.Terms.Rho / 2 / float64(r.scores)}
	if !r.binary {
		s.Scale = .4
	}
	return s
}

// in makes a process's part of the release.
func (r *released) in(ctx context.Context, j *protocol.Journal, via *recorder, party int) (*release.Moments,
	error) {
	via.on = j
	o := protocol.Releasing{
		Family: "normal", Declared: r.declared(), Terms: r.terms, Parties: []string{"registry", "a", "b"},
		Insecure: 5, Journal: j, Next: r.next,
		Own: func(name string) []protocol.DeclaredColumns { return r.values[name] },
		Charge: func(keys string, m *release.Moments) error {
			*r.charged = append(*r.charged, keys)
			return r.charge
		},
		Sign: func(party string, m *release.Moments) (release.Signature, error) {
			return release.Signature{Party: party, Text: []byte(m.Digest)}, nil
		},
	}
	if r.noise != nil {
		o.Noise = r.noise(party)
	}
	if r.change != nil {
		r.change(party, &o)
	}
	return protocol.Release(ctx, via, o)
}

// one makes the release in one process.
func (r *released) one(t *testing.T, j *protocol.Journal, via *recorder) (*release.Moments, error) {
	t.Helper()
	via.Env = newTrial().clearing(t).Env(0, 1, 2)
	return r.in(t.Context(), j, via, 0)
}

// apart makes it in three, and ends all where one ends.
func (r *released) apart(t *testing.T, journals [3]*protocol.Journal) (via [3]*recorder,
	out [3]*release.Moments, errs [3]error) {
	t.Helper()
	c := newTrial().clearing(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	charged := [3][]string{}
	var wait sync.WaitGroup
	for k := range via {
		own := *r
		own.charged = &charged[k]
		via[k] = &recorder{Env: c.Env(k)}
		if r.alter != nil {
			via[k].alter = r.alter(k)
		}
		wait.Go(func() {
			if out[k], errs[k] = own.in(ctx, journals[k], via[k], k); errs[k] != nil && !r.alike {
				cancel()
			}
		})
	}
	wait.Wait()
	for _, c := range charged {
		*r.charged = append(*r.charged, c...)
	}
	return via, out, errs
}

// plain is the release of the same rows where one process adds them up.
func (r *released) plain(t *testing.T) *release.Moments {
	t.Helper()
	columns, values := r.table()
	m, err := release.Open("normal", columns, values, exact(columns, 0))
	for s := r.next(m); err == nil && s != nil; s = r.next(m) {
		err = m.Step(s, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// table are the columns of all parties.
func (r *released) table() (columns []release.BoundedColumn, values [][]float64) {
	at := map[string]int{}
	for _, c := range r.declared() {
		d := r.values[c.Owner][at[c.Owner]]
		at[c.Owner]++
		for k, name := range d.Names {
			one := c
			one.Name = name
			columns, values = append(columns, one), append(values, d.Values[k])
		}
	}
	return columns, values
}

func sameSums(a, b []*big.Int) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Without noise the release of three processes is, bit for bit, that of one process that adds up the rows,
// and each party signs it; with noise it differs from that by what all parties have drawn, exactly, and by
// less where the share of one of them is left out.
func TestReleaseAcrossProcesses(t *testing.T) {
	t.Parallel()
	r := newReleased(exact)
	want := r.plain(t)
	_, got, errs := r.apart(t, [3]*protocol.Journal{})
	for k, m := range got {
		if errs[k] != nil || !sameSums(m.Sums, want.Sums) || m.Digest != want.Digest ||
			len(m.Signatures) != 3 {
			t.Fatal(k, errs[k], "the sums of three processes are not those of one")
		}
	}
	if len(*r.charged) != 3 {
		t.Error("charged", *r.charged)
	}
	seeded := func(party int) io.Reader { return rand.NewChaCha8([32]byte{byte(party + 1)}) }
	noisy := newReleased(private)
	noisy.noise = seeded
	_, got, errs = noisy.apart(t, [3]*protocol.Journal{})
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	sums := func(parties ...int) (out []*big.Int) {
		for i, s := range want.Sums { // of which the grid is the same
			v := new(big.Int).Set(s)
			for _, p := range parties {
				v.Add(v, got[0].Noise(seeded(p))[i])
			}
			out = append(out, v)
		}
		return out
	}
	if got[0].Bits != want.Bits || !sameSums(got[0].Sums, sums(0, 1, 2)) ||
		sameSums(got[0].Sums, sums(0, 1)) {
		t.Errorf("the noise of a release is not that of all parties:\n%v\n%v", got[0].Sums, sums(0, 1, 2))
	}
}

// Without noise the scores of three processes are those of one process that adds up the rows, to what the
// noise that hides the key leaves of them; of a normal response and of a binary one.
func TestScoresAcrossProcesses(t *testing.T) {
	t.Parallel()
	for _, binary := range []bool{false, true} {
		r := newReleased(exact)
		if r.scores, r.binary = 2, binary; binary {
			y := r.values["registry"][0].Values[0]
			for i, v := range y {
				y[i] = float64(int(v+9) % 2)
			}
		}
		want := r.plain(t)
		_, got, errs := r.apart(t, [3]*protocol.Journal{})
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		for k, s := range want.Gradients.Steps {
			for i, v := range s.Sums {
				other := got[1].Gradients.Steps[k].Sums[i]
				d, _ := new(big.Float).SetInt(new(big.Int).Sub(v, other)).Float64()
				if d = math.Ldexp(d, -int(s.Bits)); math.Abs(d) > 1e-6 {
					t.Errorf("binary %t, score %d, sum %d differs by %g", binary, k, i, d)
				}
			}
		}
		if got[0].Digest != got[1].Digest || got[0].Digest != got[2].Digest || len(got[0].Signatures) != 3 {
			t.Error("parties have other releases, or have not signed them")
		}
	}
}

// What the parties do not have alike ends the run before there are keys, and what one of them has not charged
// before any share is sent.
func TestReleaseIsAgreedAndCharged(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(o *protocol.Releasing){
		"another budget": func(o *protocol.Releasing) { o.Terms = private },
		"another bound": func(o *protocol.Releasing) {
			o.Declared = append([]release.BoundedColumn{{Name: "Z", Owner: "a", Lower: -2, Upper: 3}},
				o.Declared[1:]...)
		},
		"fewer rows": func(o *protocol.Releasing) {
			own := o.Own
			o.Own = func(p string) []protocol.DeclaredColumns {
				d := own(p)[0]
				return []protocol.DeclaredColumns{{Names: d.Names, Values: [][]float64{d.Values[0][:60]}}}
			}
		},
		"a charge that is refused": func(o *protocol.Releasing) {
			o.Charge = func(string, *release.Moments) error { return errors.New("spent") }
		},
	} {
		r := newReleased(exact)
		r.change = func(party int, o *protocol.Releasing) {
			if party == 2 {
				change(o)
			}
		}
		via, _, errs := r.apart(t, [3]*protocol.Journal{})
		if errs[2] == nil {
			t.Errorf("%s: nothing is refused", what)
		}
		most := 3
		if strings.Contains(what, "charge") {
			most = 17 // of 20: no commitment to shares, no shares, no signature
		}
		if n := len(via[2].sent[2]); n > most {
			t.Errorf("%s: %d messages were sent", what, n)
		}
	}
}

// A share that is another than its party has committed to ends the run by the party's name; one that was
// wrong before, because it is missing, stands twice or is that of another sum, is seen in sums that no rows
// have, by all others, who know that it is not theirs. Nothing is released then, and the one release is
// charged, once.
func TestWrongSharesReleaseNothing(t *testing.T) {
	t.Parallel()
	const sums = 19 // 21, of which the squares of 1 and g are known
	for what, forge := range map[string]func(shares []byte, score bool) []byte{
		"missing": func(shares []byte, _ bool) []byte { return make([]byte, len(shares)) },
		"twice": func(shares []byte, _ bool) []byte {
			n := len(shares) / sums
			return append(slices.Clone(shares[:n]), shares[:len(shares)-n]...)
		},
		"of a score missing": func(shares []byte, score bool) []byte {
			if score {
				return make([]byte, len(shares))
			}
			return shares
		},
	} {
		r := newReleased(private)
		if strings.Contains(what, "score") {
			r.scores = 1
		}
		r.change = func(party int, o *protocol.Releasing) {
			if party == 2 {
				o.Forge(forge)
			}
		}
		refused(t, what, r, "party [0 2]: share of another sum")
	}
	r := newReleased(private)
	r.alter = func(party int) func(string, [][]byte) {
		return func(message string, own [][]byte) {
			if party == 2 && message == "release shares" {
				own[2] = slices.Clone(own[2])
				own[2][0] ^= 1
			}
		}
	}
	refused(t, "altered", r, "party [2]: message \"release shares\" with something else than it committed to")
}

// refused makes a release of which a gets nothing but an error, and which is charged once by each.
func refused(t *testing.T, what string, r *released, want string) {
	t.Helper()
	r.alike = true
	_, out, errs := r.apart(t, [3]*protocol.Journal{})
	if errs[1] == nil || !strings.Contains(errs[1].Error(), want) || out != [3]*release.Moments{} {
		t.Errorf("%s: %v, want %q; released: %v", what, errs, want, out)
	}
	if c := *r.charged; len(c) != 3 || c[0] != c[1] || c[0] != c[2] {
		t.Errorf("%s: charged %q", what, c)
	}
}

// A release is killed within or after every entry that it writes down, made again, and killed again. Each
// time it sends all that it had sent as it was, with one noise, and charges one key; in the end it is the
// release of a run with its journal that nobody killed.
func TestReleaseIsKilledAtEntries(t *testing.T) {
	t.Parallel()
	r, path := newReleased(private), filepath.Join(t.TempDir(), "journal")
	r.scores = 1
	r.first(30)
	sent, kills := &recorder{}, 0
	var made *release.Moments
	for i := 0; made == nil; i++ {
		j, via := open(t, path), &recorder{}
		j.Kill(i-j.Entries(), i%4)
		m, err := r.one(t, j, via)
		if err != nil && !errors.Is(err, protocol.ErrKilled) {
			t.Fatal(i, err)
		}
		if !sent.begins(via) {
			t.Fatalf("after %d entries other bytes are sent than before", i)
		}
		if sent, made = via, m; err != nil {
			kills++
		}
	}
	again, err := r.one(t, open(t, path), &recorder{})
	if err != nil || !sameSums(again.Sums, made.Sums) || again.Digest != made.Digest || kills < 30 {
		t.Error(err, kills, "the run is not that of its journal")
	}
	for _, keys := range *r.charged {
		if keys != (*r.charged)[0] {
			t.Error("one release is charged as two")
		}
	}
	if other, err := r.one(t, nil, &recorder{}); err != nil || sameSums(other.Sums, made.Sums) {
		t.Error(err, "another release has the same noise")
	}
}

// Parties that are apart go on where one of them was killed, at every entry: each sends what it had sent as
// it was.
func TestReleaseGoesOnWhereOneWasKilled(t *testing.T) {
	t.Parallel()
	paths := func(dir string) (out [3]string) {
		for k := range out {
			out[k] = filepath.Join(dir, fmt.Sprint(k))
		}
		return out
	}
	for entries := 0; ; entries++ {
		r, dir := newReleased(private), t.TempDir()
		var journals [3]*protocol.Journal
		for k, path := range paths(dir) {
			journals[k] = open(t, path)
		}
		journals[entries%3].Kill(entries, 0)
		before, _, errs := r.apart(t, journals)
		if errs == [3]error{} {
			if entries < 7 {
				t.Error(entries, "steps are written down")
			}
			return
		}
		for k, path := range paths(dir) {
			journals[k] = open(t, path)
		}
		resumed, got, errs := r.apart(t, journals)
		for k := range resumed {
			if errs[k] != nil || !before[k].begins(resumed[k]) || !sameSums(got[k].Sums, got[0].Sums) {
				t.Errorf("party %d, %d entries: %v, or other bytes are sent than before", k, entries, errs[k])
			}
		}
	}
}

// No column is in what the parties send, keys and scores among it, from the first byte to the last: no eighth
// bytes, wherever they begin, go with its numbers. One that is planted behind all others is found, and alone.
func TestReleaseSendsNoRow(t *testing.T) {
	t.Parallel()
	r, via := newReleased(private), &recorder{keep: true}
	r.scores = 1
	if _, err := r.one(t, nil, via); err != nil {
		t.Fatal(err)
	}
	sent := append(bytes.Join(via.all, nil), 0, 0, 0)
	planted := len(sent)
	if planted < 1<<18 {
		t.Errorf("no more than %d bytes are sent", planted)
	}
	columns, values := r.table()
	for k, x := range values {
		var want []int
		if columns[k].Name == "x" {
			want = []int{planted}
			for _, v := range x {
				sent = fmt.Appendf(sent, "%c0000000", rune(int(18*(v+1))))
			}
		}
		if found := correlated(x, sent, 8, .7); !slices.Equal(found, want) {
			t.Errorf("of %d bytes those at %v go with %s, not those at %v", len(sent), found, columns[k].Name,
				want)
		}
	}
}

// correlated are the places from which on every so many bytes have a correlation with numbers of more than
// least, or less than its negative.
func correlated(x []float64, data []byte, stride int, least float64) (out []int) {
	n, sx, sxx := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		sx, sxx = sx+v, sxx+v*v
	}
	own := make([]float64, len(data)/stride+1) // the bytes of one stride, one after the other
	for first := range stride {
		own = own[:0]
		for at := first; at < len(data); at += stride {
			own = append(own, float64(data[at]))
		}
		for k := 0; k+len(x) <= len(own); k++ {
			sy, syy, sxy := 0.0, 0.0, 0.0
			for i, w := range own[k : k+len(x)] {
				sy, syy, sxy = sy+w, syy+w*w, sxy+x[i]*w
			}
			if math.Abs(n*sxy-sx*sy) > least*math.Sqrt(max(1e-9, (n*sxx-sx*sx)*(n*syy-sy*sy))) {
				out = append(out, first+k*stride)
			}
		}
	}
	slices.Sort(out)
	return out
}
