package ledger

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/direct"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/transport"
)

// A Book is a ledger that is written. Its methods may be called by any goroutine.
type Book struct {
	dir, party string
	key        ed25519.PrivateKey
	cert       []byte

	mutex  sync.Mutex
	alike  map[[2]string]*alike // channels that all clients receive alike, by kind of message
	file   *os.File
	out    io.WriteCloser // to the file
	lines  int
	synced int
	link   [digestBytes]byte
	open   bool
	err    error // of the first line that could not be written; no message leaves after it
	codec  codec
	buffer []byte
	frame  []byte
	sums   []byte              // of the alike arrays of a message
	other  []transport.Channel // of the same message
	// those that are to be written
	entries []byte
	clock   func() time.Time

	decrypted map[string]int  // numbers, by keys
	charged   map[string]bool // releases, by keys
	charges   string          // the last
	keys      string          // the last
}

// Open opens the ledger of a party in the folder of a run, for adding to it. A line that a crash has left
// unfinished is removed: its message had not left. The error is data.Errors where the ledger was changed or
// cut since.
func Open(dir, party string, key ed25519.PrivateKey, cert []byte) (*Book, error) {
	b := &Book{dir: dir, party: party, key: key, cert: cert, clock: time.Now, decrypted: map[string]int{},
		charged: map[string]bool{}}
	path := Path(dir, party)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := complete(text)
	file, diags := read(path, whole)
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	b.lines, b.link, b.codec, b.synced = len(file.Entries), file.link, file.codec, -1
	for _, e := range file.Entries {
		if e.Decrypted != nil {
			b.count(*e.Decrypted)
		}
		if e.Charged != nil {
			b.charged[e.Charged.Keys], b.charges = true, e.Charged.Keys
		}
	}
	if b.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	b.out = direct.Append(b.file, int64(len(whole)))
	if err = b.file.Truncate(int64(len(whole))); err == nil && len(whole) == 0 {
		_, err = b.out.Write([]byte(magic))
	}
	if n := file.last(); n > 0 {
		e := file.Entries[n-1]
		b.open = e.Closed == "" && e.Published == nil && e.Told == nil
	}
	if err == nil && len(file.Entries) == 0 {
		// a signature stands beside the ledger before its first line, so that no crash leaves lines without
		// one
		err = b.sync()
	} else if err == nil {
		err = b.renewed(file.signer)
	}
	return b, err
}

// renewed adds that the party has another key than the one by which it has signed the ledger.
func (b *Book) renewed(signer []byte) error {
	before, now := identity.PublicKey(signer), identity.PublicKey(b.cert)
	if before == nil || before.Equal(now) {
		return nil
	}
	return b.append("renewed", LoggedRenewal{identity.FingerprintOf(before), identity.FingerprintOf(now)})
}

// add takes one entry, which b.buffer holds, to those that write writes.
func (b *Book) add() {
	b.link = linked(b.link, b.buffer)
	b.entries = framed(b.entries, b.buffer, b.link)
	b.lines++
}

// write writes the entries that were added, in one piece.
func (b *Book) write() error {
	if b.err != nil || len(b.entries) == 0 {
		return b.err
	}
	if _, err := b.out.Write(b.entries); err != nil {
		b.err = fmt.Errorf("nothing leaves that is not in the ledger: %w", err)
	}
	b.entries = b.entries[:0]
	return b.err
}

// tell writes an entry that is no message: one member.
func (b *Book) tell(member string, text []byte) error {
	b.buffer = b.codec.document(b.buffer[:0], b.clock(), member, text)
	if _, ok := documentOf(b.buffer[1:]); !ok {
		return b.unreadable()
	}
	b.add()
	return b.write()
}

// unreadable ends the ledger before an entry that no reader takes.
func (b *Book) unreadable() error {
	if b.err == nil {
		b.err = errors.New("nothing leaves of which the ledger would have no entry that can be read")
	}
	return b.err
}

// Begin begins an epoch.
func (b *Book) Begin(o Opening) error {
	o.Party = b.party
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.open {
		if err := b.close(Broken); err != nil {
			return err
		}
	}
	b.open = true
	b.alike = map[[2]string]*alike{}
	for _, f := range o.Script {
		if f.Alike {
			b.alike[[2]string{f.Kind, f.Channel}] = &alike{sent: map[uint32]*summed{}}
		}
	}
	if err := b.tell("open", text); err != nil {
		return err
	}
	return b.sync()
}

// End ends the epoch, if there is one, and signs the ledger.
func (b *Book) End(how string) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.open {
		if err := b.close(how); err != nil {
			return err
		}
	}
	return b.sync()
}

func (b *Book) close(how string) error {
	b.open = false
	return b.tell("closed", strconv.AppendQuote(nil, how))
}

// Publish adds a publication, and signs the ledger. It is called after the run.
func (b *Book) Publish(p Published) error { return b.append("published", p) }

// Tell adds what was disclosed of rows.
func (b *Book) Tell(t Told) error { return b.append("told", t) }

// Decrypt adds what others are about to learn of encrypted rows, before a share of the key leaves: what the
// numbers that they know then are more than those that stand here with the same keys.
func (b *Book) Decrypt(d LoggedDecryption) error {
	if d.Numbers -= b.decrypted[d.Keys]; d.Numbers <= 0 {
		return nil
	}
	b.count(d)
	return b.append("decrypted", d)
}

// Charges is the digest of the keys of the release that the run has charged last; "": none.
func (b *Book) Charges() string {
	if b == nil {
		return ""
	}
	return b.charges
}

// Charge adds what a release costs, before a share of it leaves, unless it stands here.
func (b *Book) Charge(c LoggedCharge) error {
	if b.charged[c.Keys] {
		return nil
	}
	b.charged[c.Keys], b.charges = true, c.Keys
	return b.append("charged", c)
}

func (b *Book) count(d LoggedDecryption) {
	b.decrypted[d.Keys] += d.Numbers
	b.keys = d.Keys
}

// Keys is the digest of the keys with which the run has decrypted last; "": it has not.
func (b *Book) Keys() string {
	if b == nil {
		return ""
	}
	return b.keys
}

// append adds a line with one member, and signs the ledger.
func (b *Book) append(member string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if err := b.tell(member, text); err != nil {
		return err
	}
	return b.sync()
}

// Record adds the messages that one message holds, which Write writes.
func (b *Book) Record(sent bool, peer string, m transport.Message) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	err, now, of := b.err, b.clock(), b.codec.with(sent, peer)
	transport.Each(m, func(one transport.Message) {
		if err == nil {
			err = b.record(of, one, now)
		}
	})
	return err
}

// Write writes what was recorded, in one piece. No message leaves before, and none that has arrived is used:
// what it leads to may be saved.
func (b *Book) Write() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.write()
}

func (b *Book) record(of *shapes, m transport.Message, now time.Time) error {
	s := of.shape(m)
	if s == nil {
		s = b.shape(of, m)
	}
	all := m.Arrays
	b.other, b.sums = b.other[:0], b.sums[:0]
	for k, a := range all {
		if s.alike[k] == nil {
			b.other = append(b.other, a)
			continue
		}
		sum := b.sum(s.alike[k], of.sent, m.Chain, all[k:k+1])
		b.sums = append(b.sums, sum[:]...)
	}
	m.Arrays = b.other
	b.frame = append(transport.Append(b.frame[:0], m), b.sums...)
	digest := sha256.Sum256(b.frame)
	var ok bool
	if b.buffer, ok = b.codec.message(b.buffer[:0], now, s, m.Chain, m.Round,
		digest[:digestBytes]); !ok {
		return b.unreadable()
	}
	for sums := b.sums; len(sums) > 0; sums = sums[sha256.Size:] {
		b.buffer = append(b.buffer, sums[:digestBytes]...)
	}
	b.add()
	return nil
}

// An alike is a channel that all clients receive alike, with what was sent last of it, by chain: the server
// sends one array to one client after another, and digests it once.
type alike struct{ sent map[uint32]*summed }

type summed struct {
	frame []byte
	sum   [sha256.Size]byte
}

// mostSummed bounds the bytes of an array that is kept until the next.
const mostSummed = 1 << 20

// sum is SHA-256 of the frame of one array.
func (b *Book) sum(of *alike, sent bool, chain uint32, array []transport.Channel) [sha256.Size]byte {
	b.frame = transport.Append(b.frame[:0], transport.Message{Arrays: array})
	if !sent || len(b.frame) > mostSummed {
		return sha256.Sum256(b.frame)
	}
	last := of.sent[chain]
	if last == nil {
		last = &summed{}
		of.sent[chain] = last
	}
	if !bytes.Equal(last.frame, b.frame) {
		last.frame, last.sum = append(last.frame[:0], b.frame...), sha256.Sum256(b.frame)
	}
	return last.sum
}

// shape makes that of a message which has none yet.
func (b *Book) shape(to *shapes, m transport.Message) *shape {
	s := &shape{kind: m.Kind}
	side := `{"from":`
	if to.sent {
		side = `{"to":`
	}
	l := quoted([]byte(side), to.peer)
	l = quoted(append(l, `,"kind":`...), m.Kind)
	l = append(l, `,"channels":[`...)
	bytes := 0
	for k, a := range m.Arrays {
		if k > 0 {
			l = append(l, ',')
		}
		l = quoted(append(l, `{"name":`...), a.Name)
		l = strconv.AppendInt(append(l, `,"numbers":`...), int64(a.Len()), 10)
		if a.Size > 0 {
			l = strconv.AppendUint(append(l, `,"size":`...), uint64(a.Size), 10)
		}
		of := b.alike[[2]string{m.Kind, a.Name}]
		if of != nil {
			l = append(l, `,"alike":true`...)
		}
		l = append(l, '}')
		bytes += a.Bytes()
		s.channels, s.alike = append(s.channels, LoggedChannel{Name: a.Name, Numbers: a.Len(),
			Size: int(a.Size)}), append(s.alike, of)
	}
	l = strconv.AppendInt(append(l, `],"bytes":`...), int64(bytes), 10)
	s.named = append(l, '}')
	b.codec.find(s)
	to.all = append(to.all, s)
	return s
}

// quoted appends a text as JSON has it. Names come from peers.
func quoted(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			out, _ := json.Marshal(text) // texts always have a form
			return append(dst, out...)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// Sync makes sure that the ledger is on the disk, and signs its last line.
func (b *Book) Sync() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.sync()
}

func (b *Book) sync() error {
	if err := b.write(); err != nil || b.synced == b.lines {
		return err
	}
	if err := b.file.Sync(); err != nil {
		return err
	}
	h := &head{Party: b.party, Lines: b.lines, Link: hex.EncodeToString(b.link[:]), Certificate: b.cert}
	if h.Signature = ed25519.Sign(b.key, h.text()); !h.signed() {
		return errors.New("the ledger cannot be signed: its party has another key than its certificate")
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	b.synced = b.lines
	return safefile.WriteBytes(filepath.Join(b.dir, posterior.LedgerDir, FileOf(b.party)+headEnd), 0o600,
		append(text, '\n'))
}

// Close closes the file. The ledger is what was added.
func (b *Book) Close() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.out.Close()
}
