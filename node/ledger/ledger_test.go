package ledger

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/diagtest"
)

var script = []session.ChannelForm{
	{Client: "a", Up: true, Kind: "aux", Channel: "z s", Length: 3},
	{Client: "a", Kind: "reply", Channel: "adjoint s", Length: 3, Alike: true},
}

// A pair is the ledgers of a server and a client, between which messages pass.
type pair struct {
	t      *testing.T
	dirs   []string
	keys   []ed25519.PrivateKey
	certs  [][]byte
	books  []*Book
	rounds uint64
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t}
	for _, name := range []string{"server", "a", "b"} {
		public, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
			NotAfter: time.Now().Add(time.Hour)}
		cert, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
		if err != nil {
			t.Fatal(err)
		}
		p.dirs, p.keys, p.certs = append(p.dirs, t.TempDir()), append(p.keys, key), append(p.certs, cert)
	}
	p.open()
	return p
}

func (p *pair) open() {
	p.t.Helper()
	p.books = nil
	for k, name := range []string{"server", "a"} {
		b, err := Open(p.dirs[k], name, p.keys[k], p.certs[k])
		p.fine(err)
		p.books = append(p.books, b)
	}
}

func (p *pair) fine(errs ...error) {
	p.t.Helper()
	for _, err := range errs {
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pair) begin(epoch uint32) {
	p.t.Helper()
	for _, b := range p.books {
		p.fine(b.Begin(Opening{Run: "0123456789abcdef", Epoch: epoch, Names: []string{"server", "a"},
			Script: script}))
	}
}

func message(round uint64, kind, channel string, v ...float64) transport.Message {
	return transport.Message{Round: round, Kind: kind, Arrays: []transport.Channel{{Name: channel, Data: v}}}
}

// round lets one round pass.
func (p *pair) round() {
	p.t.Helper()
	p.rounds++
	up, down := message(p.rounds, "aux", "z s", 1, 2, float64(p.rounds)),
		message(p.rounds, "reply", "adjoint s", 0, 1, 2)
	p.fine(p.books[1].Record(true, "server", up), p.books[0].Record(false, "a", up),
		p.books[0].Record(true, "a", down), p.books[1].Record(false, "server", down), p.books[0].Write(),
		p.books[1].Write())
}

func (p *pair) end(how string) {
	p.t.Helper()
	for _, b := range p.books {
		p.fine(b.End(how))
		b.Close()
	}
}

func (p *pair) paths() []string { return []string{Path(p.dirs[0], "server"), Path(p.dirs[1], "a")} }

// whole is the ledgers of a run of two epochs, the first of which was broken off, with 20 messages.
func whole(t *testing.T) *pair {
	p := newPair(t)
	p.begin(1)
	p.round()
	p.round()
	lost := message(3, "aux", "z s", 1, 2, 3)
	p.fine(p.books[1].Record(true, "server", lost), p.books[1].Write())
	for _, b := range p.books { // killed
		b.Close()
	}
	f, err := os.OpenFile(p.paths()[1], os.O_APPEND|os.O_WRONLY, 0)
	p.fine(err)
	_, err = f.WriteString("\x20M{\"from")
	p.fine(err, f.Close())
	p.open()
	p.begin(2)
	for range 8 {
		p.round()
	}
	p.end(Complete)
	return p
}

func TestLedgersAgree(t *testing.T) {
	p := whole(t)
	r, diags, err := Reconcile(p.paths())
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags[0])
	}
	if r.Messages != 21 || r.Both != 20 || r.Lost != 1 || r.Bytes != 21*24 || r.Epochs != 2 ||
		len(r.Missing)+len(r.Unclosed) != 0 {
		t.Errorf("%+v", r)
	}
	r, diags, err = Reconcile(p.paths()[1:])
	if err != nil || diags.HasErrors() || !slices.Equal(r.Missing, []string{"server"}) {
		t.Error(err, diags, r)
	}
}

// lines changes the entries of the client's ledger, as Dump writes them; honest does so before hashes and
// signature are made, as a party would that tells another story.
func (p *pair) lines(honest bool, change func([]string) []string) {
	p.t.Helper()
	path := p.paths()[1]
	f, diags, err := Read(path)
	p.fine(err)
	if diags.HasErrors() {
		p.t.Fatal(diags)
	}
	var text bytes.Buffer
	p.fine(f.Dump(&text))
	lines := change(slices.Collect(strings.Lines(text.String())))
	if honest {
		p.fine(os.Remove(path), os.Remove(strings.TrimSuffix(path, fileEnd)+headEnd))
	}
	var c codec
	var link [digestBytes]byte
	out := []byte(magic)
	for _, line := range lines {
		entry, kept := encoded(p.t, &c, line)
		if link = linked(link, entry); !honest {
			copy(link[:], kept)
		}
		out = framed(out, entry, link)
	}
	if !honest {
		p.fine(os.WriteFile(path, out, 0o600))
		return
	}
	b, err := Open(p.dirs[1], "a", p.keys[1], p.certs[1])
	p.fine(err)
	b.link, b.lines = link, len(lines)
	_, err = b.out.Write(out[len(magic):])
	p.fine(err, b.Sync())
	b.Close()
}

// encoded makes an entry of a line of a dump, and returns its hash there.
func encoded(t *testing.T, c *codec, line string) (entry, link []byte) {
	t.Helper()
	var e LedgerEntry
	if json.Unmarshal([]byte(line), &e) != nil {
		return append([]byte{document}, line...), make([]byte, digestBytes)
	}
	link, err := hex.DecodeString(e.Link)
	if err != nil {
		t.Fatal(err)
	}
	if e.Kind == "" {
		var members map[string]json.RawMessage
		_ = json.Unmarshal([]byte(line), &members) // it was read before
		for _, member := range []string{"open", "closed", "told", "published", "decrypted"} {
			if text, ok := members[member]; ok {
				entry = c.document(nil, e.At, member, text)
			}
		}
		return entry, link
	}
	m := e.LoggedMessage
	m.Chain, m.Round, m.Digest, m.Channels = 0, 0, "", slices.Clone(e.Channels)
	var alike []byte
	for k := range m.Channels {
		one, err := hex.DecodeString(m.Channels[k].Digest)
		if err != nil {
			t.Fatal(err)
		}
		alike, m.Channels[k].Digest = append(alike, one...), ""
	}
	named, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := hex.DecodeString(e.Digest[:2*digestBytes])
	if err != nil {
		t.Fatal(err)
	}
	shaped := &shape{named: named}
	c.find(shaped)
	out, _ := c.message(nil, e.At, shaped, e.Chain, e.Round, digest)
	return append(out, alike...), link
}

// A dump has every entry, and what is made of it again has the same bytes.
func TestDumpHasAll(t *testing.T) {
	p := whole(t)
	before, err := os.ReadFile(p.paths()[1])
	p.fine(err)
	p.lines(true, func(l []string) []string { return l })
	after, err := os.ReadFile(p.paths()[1])
	p.fine(err)
	if !bytes.Equal(before, after) {
		t.Errorf("%d bytes, and %d before", len(after), len(before))
	}
}

// What clients should receive alike has a digest of its own in each ledger, the same where it is alike,
// whatever else the messages hold; the audit names the first message in which it is not, and only what the
// script says to be alike is compared.
func TestUnlikeChannelsAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		unlike string // the channel of which b gets another number in round 3
		want   string
	}{
		"alike": {"own", ""},
		"unlike": {"adjoint s",
			`epoch 1: server has sent a and b unlike numbers in channel "adjoint s" of message "reply", round 3, chain 0, which all clients should receive alike`},
		"unlike last": {"totals",
			`epoch 1: server has sent a and b unlike numbers in channel "totals" of message "reply", round 3, chain 0, which all clients should receive alike`},
	} {
		t.Run(name, func(t *testing.T) {
			var script []session.ChannelForm
			for _, client := range []string{"a", "b"} {
				for k, channel := range []string{"adjoint s", "own", "totals"} {
					script = append(script, session.ChannelForm{Client: client, Kind: "reply",
						Channel: channel, Length: 2, Alike: k != 1})
				}
			}
			p := newPair(t)
			digests := map[string]bool{}
			var paths []string
			for k, client := range []string{"a", "b"} {
				dir := t.TempDir()
				b, err := Open(dir, client, p.keys[k+1], p.certs[k+1])
				p.fine(err, b.Begin(Opening{Run: "0123456789abcdef", Epoch: 1,
					Names: []string{"server", "a", "b"}, Script: script}))
				for round := range uint64(5) {
					m := transport.Message{Round: round, Kind: "reply"}
					for _, channel := range []string{"adjoint s", "own", "totals"} {
						v := []float64{float64(round), 1}
						if channel == "own" || channel == c.unlike && round == 3 {
							v[1] += float64(k)
						}
						m.Arrays = append(m.Arrays, transport.Channel{Name: channel, Data: v})
					}
					p.fine(b.Record(false, "server", m))
				}
				p.fine(b.End(Complete))
				b.Close()
				paths = append(paths, Path(dir, client))
				f, diags, err := Read(paths[k])
				p.fine(err)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				for _, e := range f.Entries {
					for _, one := range e.Channels {
						if one.Alike != (len(one.Digest) == 2*digestBytes) ||
							one.Alike == (one.Name == "own") {
							t.Errorf("%+v", one)
						}
						digests[one.Digest] = true
					}
				}
			}
			if want := map[bool]int{true: 11, false: 12}[c.want == ""]; len(digests) != want {
				t.Errorf("%d digests, and %d are right: of five rounds and two channels, none, and "+
					"one where one is unlike", len(digests), want)
			}
			_, diags, err := Reconcile(paths)
			switch p.fine(err); {
			case c.want == "" && diags.HasErrors():
				t.Error(diags[0].Message)
			case c.want != "" && (len(diags) != 1 || diags[0].Code != diag.UnlikeAnswers ||
				diags[0].Message != c.want):
				t.Error(diags)
			}
		})
	}
}

// A message takes 60 bytes at most, whatever the lengths of names and vectors.
func TestEntriesAreSmall(t *testing.T) {
	p := newPair(t)
	p.begin(1)
	begun := size(t, p.paths()[0])
	for range 2000 {
		p.round()
	}
	p.end(Complete)
	if each := float64(size(t, p.paths()[0])-begun) / 4000; each > 60 {
		t.Errorf("%.1f bytes a message", each)
	} else {
		t.Logf("%.1f bytes a message", each)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Every byte of a ledger that is changed, and every length at which it is cut, is found; what a crash leaves
// unfinished is not, and goes on.
func TestEveryByteCounts(t *testing.T) {
	p := whole(t)
	path := p.paths()[1]
	text, err := os.ReadFile(path)
	p.fine(err)
	for k := range text {
		damaged := bytes.Clone(text)
		damaged[k] ^= 0x41
		if _, diags := read(path, damaged); !diags.HasErrors() {
			t.Fatalf("byte %d may be changed", k)
		}
		if _, diags := read(path, text[:k]); !diags.HasErrors() {
			t.Fatalf("all after byte %d may be cut", k)
		}
		if whole := complete(text[:k]); len(whole) > k || !bytes.HasPrefix(text, whole) {
			t.Fatal(k)
		}
	}
}

// Whatever is changed in a ledger is named, by who has no key and by its own party.
func TestChangedLedgersAreNamed(t *testing.T) {
	replace := func(line int, old, new string) func([]string) []string {
		return func(l []string) []string {
			if !strings.Contains(l[line], old) {
				t.Fatalf("line %d has no %s: %s", line+1, old, l[line])
			}
			l[line] = strings.Replace(l[line], old, new, 1)
			return l
		}
	}
	without := func(from, to int) func([]string) []string {
		return func(l []string) []string { return slices.Delete(l, from, to) }
	}
	for name, c := range map[string]struct {
		honest bool
		change func([]string) []string
		code   diag.Code
		line   int
	}{
		"a byte":      {false, replace(4, `"bytes":24`, `"bytes":16`), diag.LedgerChanged, 5},
		"a line less": {false, without(4, 5), diag.LedgerChanged, 5},
		"the end":     {false, func(l []string) []string { return l[:len(l)-3] }, diag.LedgerCut, 22},
		"everything":  {false, func([]string) []string { return nil }, diag.LedgerCut, 0},
		"no JSON": {false, func(l []string) []string {
			l[2] = "nothing\n"
			return l
		}, diag.LedgerChanged, 3},
		"another digest":      {true, replace(10, `"digest":"`, `"digest":"ff`), diag.LedgersDiffer, 0},
		"another round":       {true, replace(10, `"round":`, `"round":7`), diag.LedgersDiffer, 0},
		"a message less":      {true, without(10, 11), diag.LedgersDiffer, 0},
		"another channel":     {true, replace(10, `"name":"`, `"name":"x `), diag.LedgerOffScript, 11},
		"more numbers":        {true, replace(10, `"numbers":3`, `"numbers":4`), diag.LedgerOffScript, 11},
		"another kind":        {true, replace(10, `"kind":"`, `"kind":"x`), diag.LedgerOffScript, 11},
		"another script":      {true, replace(7, `"length":3`, `"length":4`), diag.LedgersDiffer, 0},
		"another run":         {true, replace(0, `"run":"0`, `"run":"1`), diag.LedgersDiffer, 1},
		"outside of an epoch": {true, without(0, 1), diag.LedgersDiffer, 1},
		"the end, told anew": {true, func(l []string) []string {
			return slices.Delete(l, len(l)-3, len(l)-1)
		}, diag.LedgersDiffer, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := whole(t)
			p.lines(c.honest, c.change)
			_, diags, err := Reconcile(p.paths())
			if err != nil || len(diags) != 1 || diags[0].Code != c.code {
				t.Fatal(err, len(diags), diags)
			}
			if want := fmt.Sprintf("%s:%d", p.paths()[1], c.line); c.line > 0 && diags[0].Data != want {
				t.Errorf("the place is %s, want %s", diags[0].Data, want)
			}
			diagtest.Want(t, filepath.Join("testdata", strings.NewReplacer(" ", "_", ",", "").Replace(name)+
				".txtar"), diags, func(s string) string {
				return strings.ReplaceAll(strings.ReplaceAll(s, p.dirs[0], "SERVER"), p.dirs[1], "A")
			})
			if c.honest {
				return
			}
			if _, err := Open(p.dirs[1], "a", p.keys[1], p.certs[1]); err == nil {
				t.Error("a run goes on with a changed ledger")
			}
		})
	}
}

// The signature is that of the party's own key.
func TestSignatureIsTheParties(t *testing.T) {
	p := whole(t)
	head := filepath.Join(filepath.Dir(p.paths()[1]), "a"+headEnd)
	text, err := os.ReadFile(head)
	p.fine(err, os.WriteFile(head, bytes.Replace(text, []byte(`"lines":`), []byte(`"lines":0`), 1), 0o600))
	if _, diags, _ := Reconcile(p.paths()); len(diags) != 1 || diags[0].Code != diag.LedgerCut {
		t.Error(diags)
	}
	p.fine(os.Remove(head))
	if _, diags, _ := Reconcile(p.paths()); len(diags) != 1 || diags[0].Code != diag.LedgerCut {
		t.Error(diags)
	}
}

// Where the folder has the certificate of the project's authority, the signature must be by a party of the
// project: nobody signs a ledger of his own making in its place.
func TestSignatureIsOfTheProject(t *testing.T) {
	p := whole(t)
	project := t.TempDir()
	p.fine(identity.Init(project, identity.Project{Name: "p", Server: "server", Address: "localhost:1",
		Parties: []string{"server", "a"}}))
	text, err := os.ReadFile(filepath.Join(project, identity.AuthorityFile))
	session := filepath.Join(p.dirs[1], "session")
	p.fine(err, os.Mkdir(session, 0o700), os.WriteFile(filepath.Join(session, identity.AuthorityFile), text,
		0o600))
	if _, diags, _ := Reconcile(p.paths()); len(diags) != 1 || diags[0].Code != diag.LedgerCut ||
		!strings.Contains(diags[0].Message, "of a party of the project") {
		t.Error(diags)
	}
}

// Publications and what was told of rows stand in the chain, and change nothing of how the run has ended; the
// report adds up what crossed.
func TestReportOfLedgers(t *testing.T) {
	p := whole(t)
	b, err := Open(p.dirs[1], "a", p.keys[1], p.certs[1])
	p.fine(err, b.Publish(Published{What: "draws", Parameters: []string{"beta"}, Bytes: 7, SHA256: "ff"}))
	b.Close()
	b, err = Open(p.dirs[1], "a", p.keys[1], p.certs[1])
	p.fine(err, b.Tell(Told{To: "server", What: Incomplete, Size: "N", Rows: 9, Left: 2}))
	b.Close()
	r, diags, err := Reconcile(p.paths())
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	var bytes, numbers int64
	messages := 0
	for _, c := range r.Crossed {
		bytes, numbers, messages = bytes+c.Bytes, numbers+c.Numbers, messages+c.Messages
		if c.Masked || c.Epoch < 1 || c.Epoch > 2 {
			t.Errorf("%+v", c)
		}
	}
	if bytes != r.Bytes || numbers != 3*int64(r.Messages) || messages != r.Messages || len(r.Crossed) != 4 {
		t.Errorf("%+v", r)
	}
	if len(r.Published) != 1 || r.Published[0].Party != "a" || len(r.Told) != 1 || r.Told[0].Left != 2 ||
		len(r.Unclosed) != 0 {
		t.Errorf("%+v", r)
	}
}

// A party that renews its key goes on with its ledger, which says so once; whether an epoch is open stays.
func TestKeyIsRenewed(t *testing.T) {
	p, other := whole(t), newPair(t)
	p.keys[1], p.certs[1] = other.keys[1], other.certs[1]
	for range 2 {
		b, err := Open(p.dirs[1], "a", p.keys[1], p.certs[1])
		p.fine(err)
		if b.open {
			t.Error("an epoch that has ended is open")
		}
		b.Close()
	}
	r, diags, err := Reconcile(p.paths())
	if k := r.Renewed["a"]; err != nil || len(diags) > 0 || len(r.Unclosed) > 0 || len(k) != 1 ||
		k[0].Now != identity.FingerprintOf(identity.PublicKey(p.certs[1])) || k[0].Before == k[0].Now {
		t.Errorf("%+v, %v, %v", r, diags, err)
	}
	other.begin(1)
	other.books[1].Close()
	other.fine(other.books[1].Sync())
	for range 2 {
		b, err := Open(other.dirs[1], "a", other.keys[0], other.certs[0])
		if err == nil {
			b.Close()
			t.Error("the server goes on with the ledger of a")
		}
		fresh := newPair(t)
		b, err = Open(other.dirs[1], "a", fresh.keys[1], fresh.certs[1])
		other.fine(err)
		if !b.open {
			t.Error("an open epoch is not")
		}
		b.Close()
	}
}

// What cannot be written down is an error, so that its message does not leave.
func TestNothingLeavesUnrecorded(t *testing.T) {
	p := newPair(t)
	p.begin(1)
	p.books[1].Close()
	m := message(1, "aux", "z s", 1, 2, 3)
	if p.fine(p.books[1].Record(true, "server", m)); p.books[1].Write() == nil {
		t.Error("no error")
	}
	if p.books[1].Record(true, "server", m) == nil || p.books[1].Sync() == nil {
		t.Error("a ledger that could not be written is written again")
	}
}

// The cost of a line, beside a round over a network.
func BenchmarkRecord(b *testing.B) {
	public, key, _ := ed25519.GenerateKey(nil)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a"},
		NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		b.Fatal(err)
	}
	book, err := Open(b.TempDir(), "a", key, cert)
	if err != nil {
		b.Fatal(err)
	}
	m := message(1, "aux", "z s", make([]float64, 500)...)
	b.ReportAllocs()
	for b.Loop() {
		if book.Record(true, "server", m) != nil || book.Write() != nil {
			b.Fatal(book.err)
		}
	}
}

// A party that is killed at any instant opens its ledger again: the file may hold any bytes beyond the last
// signature, and the signature may be any that was written.
func TestLedgerOpensAfterAnyKill(t *testing.T) {
	p := newPair(t)
	path := Path(p.dirs[0], "server")
	signature := strings.TrimSuffix(path, fileEnd) + headEnd
	type state struct{ ledger, head []byte }
	read := func() (s state) {
		var err error
		if s.ledger, err = os.ReadFile(path); err == nil {
			s.head, err = os.ReadFile(signature)
		}
		p.fine(err)
		return s
	}
	states := []state{read()}
	p.begin(1)
	states = append(states, read())
	p.round()
	p.fine(p.books[0].Sync())
	states = append(states, read())
	for k, s := range states[:len(states)-1] {
		next := states[k+1]
		from, to := len(complete(s.ledger)), len(complete(next.ledger))
		var texts [][]byte
		for n := from; n <= to; n += 7 {
			room := make([]byte, 100) // not used, or of an entry whose first byte comes last
			part := slices.Concat(next.ledger[:to], room)
			part[n] = unused
			lost := slices.Concat(next.ledger[:to], room) // pages, where the machine has stopped
			clear(lost[n:min(to, n+9)])
			texts = append(texts, next.ledger[:n], slices.Concat(next.ledger[:n], room), part, lost)
		}
		for n, text := range texts {
			p.fine(os.WriteFile(path, text, 0o600), os.WriteFile(signature, s.head, 0o600))
			b, err := Open(p.dirs[0], "server", p.keys[0], p.certs[0])
			if err != nil {
				t.Fatalf("text %d after state %d: %v", n, k, err)
			}
			p.fine(b.Begin(Opening{Run: "0123456789abcdef", Epoch: 2, Names: []string{"server", "a"},
				Script: script}))
			b.Close()
			if _, diags, err := Read(path); err != nil || diags.HasErrors() {
				t.Fatalf("text %d: %v %v", n, diags, err)
			}
			if text, err := os.ReadFile(path); err != nil || len(complete(text)) != len(text) {
				t.Fatalf("text %d: a ledger that was closed has room: %v", n, err)
			}
		}
	}
}

// A manifest beside the ledgers counts only where it is the one that all parties have agreed on, to the last
// byte; and the ledgers of a run name one.
func TestManifestOfLedgers(t *testing.T) {
	begun := func(digests ...string) (*Reconciliation, diag.List) {
		p := newPair(t)
		for k, b := range p.books {
			p.fine(b.Begin(Opening{Run: "0123456789abcdef", Epoch: 1, Names: []string{"server", "a"},
				Script: script, Manifest: digests[k]}))
		}
		p.round()
		p.end(Complete)
		r, diags, err := Reconcile(p.paths())
		p.fine(err)
		return r, diags
	}
	text := []byte(`{"model": "m"}`)
	own := fmt.Sprintf("%x", sha256.Sum256(text))
	r, diags := begun(own, own)
	if diags.HasErrors() || r.Manifest != own || len(r.Under("m.json", text)) > 0 {
		t.Errorf("the run's own: %v, %s", diags, r.Manifest)
	}
	diagtest.Want(t, filepath.Join("testdata", "another_manifest.txtar"),
		r.Under("m.json", append(text, ' ')), nil)
	r, diags = begun("", "")
	if diags.HasErrors() {
		t.Error(diags)
	}
	diagtest.Want(t, filepath.Join("testdata", "no_manifest.txtar"), r.Under("m.json", text), nil)
	if _, diags = begun(own, strings.Repeat("0", len(own))); len(diags) != 1 ||
		diags[0].Code != diag.LedgersDiffer {
		t.Errorf("two manifests: %v", diags)
	}
}

// An entry that no reader takes is not written, and nothing leaves after it; what the certificate's key has
// not signed is not put beside the ledger.
func TestEntriesWithoutAForm(t *testing.T) {
	p := newPair(t)
	p.begin(1)
	size := func() int64 {
		info, err := os.Stat(p.paths()[1])
		p.fine(err)
		return info.Size()
	}
	before := size()
	if err := p.books[1].tell("told", []byte("{")); err == nil || size() != before {
		t.Error("an entry that is no JSON is written:", err)
	}
	if err := p.books[1].Record(true, "server", message(1, "aux", "z s", 1, 2, 3)); err == nil ||
		size() != before {
		t.Error("a message leaves after it:", err)
	}
	c, s := &codec{}, &shape{named: []byte(`{"to":"`)}
	c.find(s)
	if _, readable := c.message(nil, time.Now(), s, 0, 1, make([]byte, digestBytes)); readable {
		t.Error("a message of a kind that is no JSON is written")
	}
	p.books[0].key = p.keys[1]
	if err := p.books[0].End(Complete); err == nil ||
		!strings.Contains(err.Error(), "another key than its certificate") {
		t.Error("another key has signed the ledger:", err)
	}
}
