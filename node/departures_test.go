package node

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// The table of departures: a server runs the product, and a wrapper of its connections changes what leaves
// it. The clients run the product, with its guard and ledger.

const departedModel = `client a, b, c
data y : int<lower=0, upper=1>[N] @ server
data xa : real[N] @ a
data xb : real[N] @ b
data xc : real[N] @ c
param m ~ normal(0, 2)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
param bc ~ normal(0, 1) @ c
y ~ bernoulli_logit(m + xa * ba + xb * bb + xc * bc)
transform exact
`

// departedRows are those of the stage of rows that cross, and encryptedRows those of encrypted ones, of which
// there must be as many as the numbers that are decrypted take.
const (
	departedRows  = 24
	encryptedRows = 4400
)

// A departure is a way of a server to leave the protocol.
type departure struct {
	name, backend string // backend: "" of encrypted rows
	masks         string // "on" where it is not set
	policy        string // of the clients
	// alter changes a message to a client, the n-th of its kind; false: it does not apply.
	alter func(m *parting, n int) bool
	has   string // what the server has by then, in the table
	code  diag.Code
	when  string
	ended bool // the other clients have had all that they need
	told  bool // a was told something else before the first round
}

// A parting is a message of a session on its way to a client; head is that of the lane.
type parting struct {
	to     string
	kind   *string
	head   []float64
	arrays []transport.Channel
	twice  bool // it is sent again
}

func (m *parting) array(prefix string) *transport.Channel {
	for k := range m.arrays {
		if strings.HasPrefix(m.arrays[k].Name, prefix) {
			return &m.arrays[k]
		}
	}
	return nil
}

// numbers sets all numbers of an array.
func numbers(a *transport.Channel, f func(k int, x float64) float64) {
	for k, x := range a.Data {
		a.Data[k] = f(k, x)
	}
}

// Positions in the head of a lane.
const (
	headRound  = 2
	headArrays = 3
)

// An evil server's connections.
type evil struct {
	transport.Transport
	d       *departure
	mutex   sync.Mutex
	seen    map[string]int
	started uint64 // round of the first message that was altered
}

func (e *evil) Send(ctx context.Context, to string, m transport.Message) error {
	e.mutex.Lock()
	var again []transport.Channel
	for rest := m.Arrays; len(rest) > 0; {
		head := rest[0]
		n := int(head.Data[headArrays]) + 2*int(head.Data[headArrays+1])
		one := &parting{to: to, kind: &rest[0].Name, head: head.Data, arrays: rest[1 : 1+n]}
		key := to + " " + head.Name
		round := uint64(head.Data[headRound])
		if e.seen[key]++; head.Data[headArrays+1] == 0 && e.d.alter(one, e.seen[key]) && e.started == 0 {
			e.started = round
		}
		if one.twice {
			again = append(again, rest[:1+n]...)
		}
		rest = rest[1+n:]
	}
	m.Arrays = append(m.Arrays, again...)
	e.mutex.Unlock()
	return e.Transport.Send(ctx, to, m)
}

// on changes the array of a kind of message to these clients from the n-th message on.
func on(kind, array string, from int, to string, change func(a *transport.Channel)) func(*parting, int) bool {
	return func(m *parting, n int) bool {
		a := m.array(array)
		if *m.kind != kind || n < from || !strings.Contains(to, m.to) || a == nil {
			return false
		}
		change(a)
		return true
	}
}

func tilted(a *transport.Channel) {
	numbers(a, func(k int, x float64) float64 { return x + 0.1*float64(1-2*(k%2)) })
}

func units(a *transport.Channel) {
	numbers(a, func(k int, _ float64) float64 {
		if k/departedRows == k%departedRows {
			return 1
		}
		return 0
	})
}

func times(c float64) func(*transport.Channel) {
	return func(a *transport.Channel) { numbers(a, func(_ int, x float64) float64 { return c * x }) }
}

const noNewAnswer = "no masked sum after it: random words"

var departures = []departure{
	{name: "unlike adjoints, to one client", backend: "nuts", alter: on("reply", "adjoint", 3, "a", tilted),
		code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "the same without masks", backend: "nuts", masks: "off", policy: "unmasked = true",
		alter: on("reply", "adjoint", 3, "a", tilted), code: diag.UnlikeAnswers, when: "next round",
		has: "one answer of that client to them"},
	{name: "adjoints of an earlier round, to one client", backend: "nuts", alter: stale("a"),
		code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "adjoints of two clients exchanged for others", backend: "nuts", alter: swapped(),
		code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "unit vectors as directions to one client, zeros to the others", backend: "sfvi", alter: oneByOne,
		code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "unlike slopes, without masks", backend: "sfvi", masks: "off", policy: "unmasked = true",
		alter: on("slopes", "slopes", 2, "b", times(0.9)), code: diag.UnlikeAnswers, when: "next round",
		has: "one answer of that client to them"},
	{name: "unlike totals of scalars", backend: "nuts", alter: on("reply", "scalars", 3, "c", times(1.01)),
		code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "unlike steps of grids", backend: "nuts",
		alter: on("reply", "adjoint", 3, "a", func(a *transport.Channel) {
			a.Grid--
		}), code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "unlike decisions of a fit, without masks", backend: "sfvi", masks: "off",
		policy: "unmasked = true", alter: on("slopes", "scalars", 2, "a", func(a *transport.Channel) {
			a.Data[2] += 0.5
		}), code: diag.UnlikeAnswers, when: "next round", has: "one answer of that client to them"},
	{name: "one client's adjoints marked as not finite", backend: "nuts",
		alter: on("reply", "adjoint", 3, "b", func(a *transport.Channel) {
			a.Invalid = true
		}), code: diag.UnlikeAnswers, when: "next round", has: noNewAnswer},
	{name: "another seed, other settings or rows, or another place to go on, to one " +
		"client before the first round", backend: "nuts", told: true, alter: func(*parting, int) bool {
		return true
	}, code: diag.UnlikeAnswers, when: "first round", has: "no masked sum: random words"},
	{name: "a seal altered", backend: "nuts", alter: on("reply", "seals", 4, "a", func(a *transport.Channel) {
		a.Words[0]++
	}), code: diag.UnlikeAnswers, when: "same round", has: "what an honest one has"},
	{name: "seals of an earlier round", backend: "nuts", alter: replayedSeals(), code: diag.UnlikeAnswers,
		when: "same round", has: "what an honest one has"},
	{name: "seals left out", backend: "nuts", alter: func(m *parting, n int) bool {
		if *m.kind != "reply" || n != 4 || m.to != "a" {
			return false
		}
		m.arrays[len(m.arrays)-1].Name = "nothing"
		return true
	}, code: diag.OffScript, when: "same round", has: "what an honest one has"},
	{name: "unlike numbers in the last round, before the end", backend: "nuts", alter: lastRound(),
		code: diag.UnlikeAnswers, when: "at the end", has: "what an honest one has"},
	{name: "an end without the last seals", backend: "nuts", alter: func(m *parting, _ int) bool {
		if *m.kind != "closed" || m.to != "a" {
			return false
		}
		*m.kind = "values"
		return true
	}, code: diag.OffScript, when: "at the end", ended: true, has: "what an honest one has"},
	{name: "a round again", backend: "nuts", alter: head("reply", headRound, -1), code: diag.OffScript,
		when: "same round", has: "what an honest one has"},
	{name: "a message more, or again", backend: "nuts", alter: func(m *parting, n int) bool {
		m.twice = *m.kind == "reply" && n == 3 && m.to == "a"
		return m.twice
	}, code: diag.OffScript, when: "next round", has: "what an honest one has"},
	{name: "another chain or epoch", backend: "nuts", alter: head("reply", 1, 1), code: diag.OffScript,
		when: "same round", has: "what an honest one has"},
	{name: "another script: a channel of another name", backend: "nuts",
		alter: on("reply", "adjoint", 3, "a", func(a *transport.Channel) {
			a.Name = "adjoint of all"
		}), code: diag.OffScript, when: "same round", has: "what an honest one has"},
	{name: "another number of draws or directions", backend: "sfvi",
		alter: on("direction", "direction", 1, "abc", func(a *transport.Channel) {
			a.Data = a.Data[:len(a.Data)-departedRows]
		}), code: diag.OffScript, when: "same round", has: "what an honest one has"},
	{name: "NaN, to all", backend: "nuts",
		alter: on("reply", "adjoint", 3, "abc", func(a *transport.Channel) {
			a.Data[0] = math.NaN()
		}), code: diag.ValueRefused, when: "same round", has: "what an honest one has"},
	{name: "adjoints too large, to all", backend: "nuts", policy: "max_adjoint = 1.5",
		alter: on("reply", "adjoint", 3, "abc", times(1000)), code: diag.PolicyValue, when: "same round",
		has: "what an honest one has"},
	{name: "slopes too large, to all", backend: "sfvi", policy: "max_adjoint = 1.5",
		alter: on("slopes", "slopes", 2, "abc", times(1000)), code: diag.PolicyValue, when: "same round",
		has: "what an honest one has"},
	{name: "curvatures too large, to all", backend: "sfvi", policy: "max_curvature = 0.25",
		alter: on("slopes", "slopes", 2, "abc", func(a *transport.Channel) {
			for k := departedRows; k < 2*departedRows; k++ {
				a.Data[k] *= 1000
			}
		}), code: diag.PolicyValue, when: "same round", has: "what an honest one has"},
	{name: "more directions than max_products", backend: "sfvi", policy: "max_products = 5",
		alter: on("direction", "direction", 1, "abc", func(*transport.Channel) {}), code: diag.PolicyValue,
		when: "same round", has: "what an honest one has"},
	{name: "more rounds than max_rounds", backend: "nuts", policy: "max_rounds = 12",
		alter: on("reply", "adjoint", 1, "abc", func(*transport.Channel) {}), code: diag.PolicyRounds,
		when: "round after the last", has: "that many rounds"},
	{name: "the same wrong adjoints to all, within the bound", backend: "nuts", policy: "max_adjoint = 1.5",
		alter: on("reply", "adjoint", 3, "abc", tilted),
		has: "totals as an honest one, at steps of its choice: the span of all clients' covariates " +
			"together, and by [the separation of totals](#masked-sums) each client's"},
	{name: "unit vectors as directions to all", backend: "sfvi", alter: on("direction", "direction", 1, "abc",
		units), has: "the matrix Σ X P⁻¹ Xᵀ of all clients together, which as many honest directions as " +
		"there are coefficients give too"},
	{name: "all totals scaled, to all", backend: "nuts",
		alter: on("reply", "scalars", 3, "abc", times(1.001)),
		has:   "draws that are wrong; nothing of the data"},
}

// secretDepartures are those of runs of encrypted rows.
var secretDepartures = []departure{
	{name: "encrypted rows: one client's share of a key altered for another",
		alter: on("second rounds", "of b", 1, "a", func(a *transport.Channel) {
			a.Words[99] = 0
		}), code: diag.UnlikeAnswers, when: "next round", has: noShare},
	{name: "encrypted rows: columns of two clients exchanged for another",
		alter: exchanged("columns", "a", "of b", "of c"), code: diag.ValueRefused, when: "same round",
		has: noShare},
	{name: "encrypted rows: its columns, other than it committed to, to all",
		alter: on("columns", "of server", 1, "abc", func(a *transport.Channel) {
			a.Words[99]++
		}), code: diag.ValueRefused, when: "same round", has: noShare},
	{name: "encrypted rows: a share of a key with more bytes", alter: on("first rounds", "of server", 1, "a",
		func(a *transport.Channel) {
			a.Words = append(a.Words, 0)
		}), code: diag.OffScript, when: "same round", has: noShare},
	{name: "encrypted rows: other parameters of the encryption, to all",
		alter: on("parameters", "of server", 1, "abc", func(a *transport.Channel) {
			a.Words[1]++
		}), code: diag.ValueRefused, when: "same round", has: "sizes"},
	{name: "encrypted rows: a contribution of an earlier evaluation for that of a client",
		alter: staleBytes("contributions", "of b"), code: diag.ValueRefused, when: "same round",
		has: "no share of that evaluation; each names the client, and the server, which has brought it"},
	{name: "encrypted rows: its own contribution with another bound than it told",
		alter: on("bounds", "of server", 1, "abc", func(a *transport.Channel) {
			a.Words[0]--
		}), code: diag.ValueRefused, when: "next round", has: noShare},
	{name: "encrypted rows: its own share of a gradient altered", alter: on("gradient shares", "of server", 1,
		"a", func(a *transport.Channel) {
			a.Words[1] ^= 1 << 40
		}), code: diag.ValueRefused, when: "same round",
		has: "what an honest one has; a share that is altered by less gives a gradient that is wrong"},
}

const noShare = "no share of a sum"

// exchanged exchanges two arrays of a message to a client.
func exchanged(kind, to, one, other string) func(*parting, int) bool {
	return func(m *parting, _ int) bool {
		if *m.kind != kind || m.to != to {
			return false
		}
		a, b := m.array(one), m.array(other)
		a.Words, b.Words = b.Words, a.Words
		return true
	}
}

// staleBytes sends all clients bytes of the message of that kind before.
func staleBytes(kind, array string) func(*parting, int) bool {
	before := map[string][]uint64{}
	return func(m *parting, n int) bool {
		a := m.array(array)
		if *m.kind != kind || a == nil {
			return false
		}
		now := slices.Clone(a.Words)
		if n > 1 {
			a.Words = before[m.to]
		}
		before[m.to] = now
		return n > 1
	}
}

// head changes a number of the head of a message to one client.
func head(kind string, at int, by float64) func(*parting, int) bool {
	return func(m *parting, n int) bool {
		if *m.kind != kind || n != 3 || m.to != "a" {
			return false
		}
		m.head[at] += by
		return true
	}
}

// stale sends the adjoints of the message before.
func stale(to string) func(*parting, int) bool {
	var before []float64
	return func(m *parting, n int) bool {
		a := m.array("adjoint")
		if *m.kind != "reply" || m.to != to || a == nil {
			return false
		}
		now := slices.Clone(a.Data)
		if n > 3 {
			copy(a.Data, before)
		}
		before = now
		return n > 3
	}
}

// swapped turns the adjoints of a over, and those of b back to front.
func swapped() func(*parting, int) bool {
	return func(m *parting, n int) bool {
		a := m.array("adjoint")
		if *m.kind != "reply" || n < 3 || m.to == "c" || a == nil {
			return false
		}
		if m.to == "a" {
			times(-1)(a)
		} else {
			slices.Reverse(a.Data)
		}
		return true
	}
}

func oneByOne(m *parting, n int) bool {
	if *m.kind != "direction" || n > 1 {
		return false
	}
	if a := m.array("direction"); m.to == "a" {
		units(a)
	} else {
		times(0)(a)
	}
	return true
}

// replayedSeals sends a the seals of the round before.
func replayedSeals() func(*parting, int) bool {
	var before []uint64
	return func(m *parting, n int) bool {
		a := m.array("seals")
		if *m.kind != "reply" || m.to != "a" || a == nil {
			return false
		}
		now := slices.Clone(a.Words)
		if n == 4 {
			copy(a.Words, before)
		}
		before = now
		return n == 4
	}
}

// departedDraws is the number of draws that are kept: each has a message with values, of which the last is
// the last that carries numbers.
const departedDraws = 4

// lastRound alters the last answer before the end, which is found by a run that is not altered.
func lastRound() func(*parting, int) bool {
	return func(m *parting, n int) bool {
		if *m.kind != "reply" || m.to != "a" || n != lastReply {
			return false
		}
		a := m.array("adjoint")
		if a.Len() == 0 { // no evaluation was wanted
			a = m.array("scalars")
		}
		tilted(a)
		return true
	}
}

var lastReply int

// An outcome is how a run with a departure has ended.
type outcome struct {
	errs    []error // by party
	started uint64
	dirs    []string
	seen    map[string]int
}

// A stage holds what the runs of all departures share.
type stageOfDepartures struct {
	t     *testing.T
	dir   string
	model *compile.Model
	ids   []*identity.Identity
}

func newDepartures(t *testing.T, rows int) *stageOfDepartures {
	m, diags := compile.Compile(source.New("m.vfl", departedModel), check.Options{})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	s := &stageOfDepartures{t: t, dir: t.TempDir(), model: m}
	s.ids = provisioned(t, s.dir, "127.0.0.1:1", "server", "a", "b", "c")
	files := map[string]string{"server.csv": "id,y\n", "a.csv": "id,xa\n", "b.csv": "id,xb\n",
		"c.csv": "id,xc\n"}
	for i := range rows {
		files["server.csv"] += fmt.Sprintf("%d,%d\n", i, (i*i+i/3)%2)
		files["a.csv"] += fmt.Sprintf("%d,%v\n", i, 0.3*float64(i%5)-0.6)
		files["b.csv"] += fmt.Sprintf("%d,%v\n", i, 0.7*float64(i%3)-0.7)
		files["c.csv"] += fmt.Sprintf("%d,%v\n", i, 0.2*float64(i%7)-0.6)
	}
	for name, text := range files {
		if err := safefile.WriteBytes(filepath.Join(s.dir, name), 0o644, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// parties opens all of them.
func (s *stageOfDepartures) parties() (all []*compile.OneParty, names []string) {
	facts, outlines := map[string]compile.Facts{}, []lower.Outline(nil)
	fine := func(err error, diags diag.List) {
		s.t.Helper()
		if err != nil || diags.HasErrors() {
			s.t.Fatal(err, diags)
		}
	}
	for _, p := range s.model.Programs {
		b, diags, err := compile.OpenParty(s.model.Manifest, p.Party, source.New(p.File, p.Text), nil)
		fine(err, diags)
		fine(nil, b.Bind([]string{p.Party + "=" + filepath.Join(s.dir, p.Party+".csv")}, 0,
			data.Joining{Key: "id"}, nil))
		f, diags := b.Facts([]byte("salt"))
		fine(nil, diags)
		all, facts[p.Party], names = append(all, b), f, append(names, p.Party)
	}
	sizes, err := compile.Agree(names, facts)
	fine(err, nil)
	for _, b := range all {
		fine(nil, b.Lower(sizes, nil))
		outlines = append(outlines, b.Outline())
	}
	wiring, err := all[0].Link(outlines)
	fine(err, nil)
	for _, b := range all {
		_, err := b.Take(wiring)
		fine(err, nil)
	}
	return all, names
}

// play runs all parties with a departure.
func (s *stageOfDepartures) play(d *departure) outcome {
	t := s.t
	t.Helper()
	parties, names := s.parties()
	backend := cmp.Or(d.backend, "sfvi")
	algorithm, _ := fit.Backend(backend)
	given := map[string]string{"chains": "1", "warmup": "6", "draws": fmt.Sprint(departedDraws)}
	if backend == "sfvi" {
		given = map[string]string{"draws": "20"}
	}
	if given["secure-sum"] = cmp.Or(d.masks, "on"); d.backend == "" {
		given = map[string]string{"draws": "20", "correct": "false", "wire": "encrypted"}
	}
	out := outcome{errs: make([]error, len(names)), dirs: make([]string, len(names))}
	var hindered, near []string
	for i, b := range parties {
		h, n, err := fit.Hinders(b, i, fit.Options{Algorithm: algorithm, Settings: given})
		if err != nil {
			t.Fatal(err)
		}
		hindered, near, out.dirs[i] = append(hindered, h...), append(near, n...), t.TempDir()
	}
	keys := session.SimulatedKeys(5, names)
	ends := transport.NewMem(names)
	e := &evil{Transport: ends[0], d: d, seen: map[string]int{}}
	ends[0] = e
	var wait sync.WaitGroup
	for i, end := range ends {
		wait.Go(func() {
			defer end.Close()
			out.errs[i] = s.party(parties[i], i, end, keys, d, out.dirs[i],
				fit.Options{Algorithm: algorithm, Settings: given, Seed: 5,
					Dir: filepath.Join(out.dirs[i], "run")}, hindered, near)
		})
	}
	wait.Wait()
	out.started, out.seen = e.started, e.seen
	return out
}

// party is a party's part of a run, behind its guard.
func (s *stageOfDepartures) party(b *compile.OneParty, i int, end transport.Transport, keys session.Keys,
	d *departure, dir string, o fit.Options, hindered, near []string) error {
	plan, uses, err := fit.PlanApart(b, o)
	if err != nil {
		return err
	}
	keys, err = keys.WithMasks(plan)
	if err != nil {
		return err
	}
	id := s.ids[i]
	book, err := ledger.Open(dir, id.Party, id.Key, id.Cert.Raw)
	if err != nil {
		return err
	}
	defer book.Close()
	p := &participant{node: &node{PartyOptions: PartyOptions{Identity: dir}, id: id, book: book}, index: i,
		epoch: 1}
	p.memory.Run = strings.Repeat("0", 32)
	if d.told && id.Party == "a" {
		p.told[0]++
	}
	keys.Agreed = p.told
	if i > 0 {
		own, diags := policy.Parse("policy.toml", []byte(d.policy))
		if diags.HasErrors() {
			return data.Errors(diags)
		}
		p.policy, p.rows = own, policy.NewRowSet([]byte("secret"), []string{"1", "2"})
	}
	g, err := p.guard(end, plan, uses)
	if err != nil {
		return err
	}
	run, diags, err := fit.OpenApart(b, &fit.Apart{Index: i, Transport: g, Keys: keys.Only(id.Party),
		Hindered: hindered, Near: near, Marks: &fit.Marks{}}, o)
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err == nil {
		_, err = run.Sample(context.Background(), nil)
	}
	if g.err != nil {
		err = g.err
	}
	how := ledger.Complete
	if err != nil {
		how = ledger.Ended
	}
	return errors.Join(err, g.end(), book.End(how))
}

// noticed is the code and the round by which a client has found a departure itself; "" where it has been
// told, or has found nothing.
func noticed(err error) (diag.Code, uint64) {
	var unlike *session.UnlikeError
	var protocol *session.ProtocolError
	var list data.Errors
	switch {
	case errors.As(err, &unlike):
		return diag.UnlikeAnswers, unlike.Found
	case errors.As(err, &protocol) && protocol.Value:
		return diag.ValueRefused, 0
	case errors.As(err, &protocol):
		return diag.OffScript, 0
	case errors.As(err, &list):
		return list[0].Code, 0
	}
	return "", 0
}

// TestDepartures plays every departure, and compares the table in docs/privacy-detail.md with what was found
// (-update writes it).
func TestDepartures(t *testing.T) {
	s, secret := newDepartures(t, departedRows), newDepartures(t, encryptedRows)
	t.Setenv(encrypted.SmallRing, "9")
	honest := s.play(&departure{backend: "nuts", alter: func(*parting, int) bool { return false }})
	for i, err := range honest.errs {
		if err != nil {
			t.Fatalf("party %d of an honest run: %v", i, err)
		}
	}
	if lastReply = honest.seen["a reply"]; lastReply < 5 {
		t.Fatal(honest.seen)
	}
	if r, diags, err := ledger.Reconcile(ledgers(honest)); err != nil || diags.HasErrors() || r.Alike == 0 ||
		len(r.ByServer) > 0 {
		t.Errorf("the ledgers of an honest run: %v %v", err, diags)
	}
	var b strings.Builder
	b.WriteString("| a server that sends | who notices | when | code | what it has by then |\n| --- | " +
		"--- | --- | --- | --- |\n")
	for _, d := range slices.Concat(departures, secretDepartures) {
		t.Run(d.name, func(t *testing.T) {
			on := s
			if d.backend == "" {
				on = secret
			}
			on.t = t
			d.row(t, on.play(&d), &b)
		})
	}
	holdTable(t, b.String())
}

func ledgers(o outcome) (paths []string) {
	for i, name := range []string{"server", "a", "b", "c"} {
		paths = append(paths, ledger.Path(o.dirs[i], name))
	}
	return paths
}

// row checks what a departure has led to, and adds it to the table.
func (d *departure) row(t *testing.T, o outcome, table *strings.Builder) {
	if o.started == 0 {
		t.Fatalf("nothing was altered: %v", o.errs)
	}
	by, when := []string{}, ""
	for i, err := range o.errs[1:] {
		code, found := noticed(err)
		if (err == nil) != (d.code == "") && !(err == nil && d.ended) {
			t.Errorf("client %d ends with %v", i+1, err)
		}
		if code == "" {
			continue
		}
		if code != d.code {
			t.Errorf("client %d finds %s, want %s: %v", i+1, code, d.code, err)
		}
		by = append(by, string(rune('a'+i)))
		switch {
		case code != diag.UnlikeAnswers:
		case found > o.started+1 || d.when == "at the end":
			when = "at the end"
		case found == o.started+1:
			when = "next round"
		case d.told:
			when = "first round"
		default:
			when = "same round"
		}
	}
	if d.code == "" {
		fmt.Fprintf(table, "| %s | nobody | | | %s |\n", d.name, d.has)
		return
	}
	if len(by) == 0 {
		t.Fatalf("nobody notices: %v", o.errs)
	}
	if d.code == diag.UnlikeAnswers && when != d.when {
		t.Errorf("noticed %q after round %d, want %q: %v", when, o.started, d.when, o.errs)
	}
	if o.errs[0] == nil && d.when != "at the end" && !d.ended { // its part is done
		t.Error("the server's process ends without an error")
	}
	who := "that client"
	if d.code == diag.UnlikeAnswers && (d.told || strings.HasPrefix(d.when, "next")) {
		who = "every client" // each by itself, where the server lets it go on until then
	} else if len(by) > 1 {
		who = "every client"
	}
	fmt.Fprintf(table, "| %s | %s | %s | %s | %s |\n", d.name, who, d.when, d.code, d.has)
	if d.code != diag.UnlikeAnswers || strings.Contains(d.name, "seal") {
		return
	}
	place := fmt.Sprintf("round %d", o.started)
	if d.told {
		place = "before the first round"
	}
	_, diags, err := ledger.Reconcile(ledgers(o)[1:])
	if err != nil || !diags.HasErrors() || diags[0].Code != diag.UnlikeAnswers ||
		!strings.Contains(diags[0].Message, place) {
		t.Errorf("the ledgers of the clients: %v %v", err, diags)
		return
	}
	if d.name != departures[0].name {
		return
	}
	path := filepath.Join("testdata", "V0839.txtar")
	got := "-- want --\nvflc: error V0839: " + diags[0].Message + "\n"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%v, want the text of %s: %s", err, path, got)
	}
}

// Marks of the table in the page.
const (
	tableBegins = "<!-- departures: go test ./node -run TestDepartures -update -->\n"
	tableEnds   = "<!-- end of departures -->\n"
)

func holdTable(t *testing.T, want string) {
	t.Helper()
	path := filepath.Join("..", "docs", "privacy-detail.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	got, after, closed := strings.Cut(rest, tableEnds)
	if !ok || !closed {
		t.Fatalf("%s has no marks of the table", path)
	}
	if got == want {
		return
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(before+tableBegins+want+tableEnds+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table in %s is another:\n%s", path, want)
}
