// Package ledger is a party's record of what has crossed in a run across processes: a file to which an entry
// is added for every message before it leaves, and when it arrives. Every entry is chained to all entries
// before it by a hash, and the party signs the last one at every checkpoint, so that an entry that is
// changed, or some that are taken away, show. The file is binary (codec.go); Dump writes it as text, a JSON
// document a line. The ledgers of all parties are compared with one another and with the script of the
// session (Reconcile). What a party lets others see of its results after the run (Publish), a signed file
// that it writes where its policy permits and that others put beside their own part, is entered there too.
package ledger

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/direct"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// Ends of the names of a party's files.
const (
	fileEnd = ".ledger"
	headEnd = ".signed.json"
)

// digestBytes is the length of the digests of messages and of the hashes of lines.
const digestBytes = 16

// An Opening begins an epoch of a run in a ledger.
type Opening struct {
	Run    string                `json:"run"`
	Epoch  uint32                `json:"epoch"`
	Party  string                `json:"party"`
	Names  []string              `json:"parties"` // the server first
	Script []session.ChannelForm `json:"script"`
	// Manifest is the SHA-256 of the manifest that all parties have agreed on, so that whoever reads another
	// beside the ledger can tell.
	Manifest string `json:"manifest,omitempty"`
	// Agreed is the SHA-256 of all that the party was told before the epoch: settings, seed, rows, sizes,
	// keys, sums, and where the run goes on. All clients are told the same.
	Agreed string `json:"agreed,omitempty"`
}

// A Told is what a party has told of its rows before an epoch of the run.
type Told struct {
	To     string `json:"to"`
	What   string `json:"what"`           // Incomplete, LeftOut, Folds or Asked
	Size   string `json:"size,omitempty"` // of the rows; not of folds or an answer
	Rows   int    `json:"rows,omitempty"` // of which it tells, a bit each
	Left   int    `json:"left,omitempty"` // of these that are incomplete or left out
	Digest string `json:"digest"`
}

// What a party discloses of its rows.
const (
	Incomplete = "which rows of the party are incomplete"
	LeftOut    = "which rows all parties leave out"
	Folds      = "in which fold of the cross-validation each row is"
	Asked      = "sizes of its data and salted digests of rows, shared data and categories, " +
		"when asked (vflc preflight)"
)

// A Published is what a ledger records of a publication.
type Published struct {
	What       string   `json:"what"` // summaries or draws
	Parameters []string `json:"parameters"`
	Bytes      int      `json:"bytes"` // of the file
	SHA256     string   `json:"sha256"`
}

// A LoggedRenewal is that the party signs the ledger from here on with another key, for which the authority
// of the project has certified it (vflc provision renew): fingerprints of both.
type LoggedRenewal struct {
	Before string `json:"before"`
	Now    string `json:"now"`
}

// A LoggedDecryption is numbers that depend on encrypted rows of the party, and that one other party is about
// to learn.
type LoggedDecryption struct {
	Numbers int    `json:"numbers"`
	Keys    string `json:"keys"` // SHA-256 of the keys of the run: with these the same is decrypted once
	// SHA-256 of the set of these rows, by which the party adds up what was decrypted of each
	Rows string `json:"rows"`
}

// A LoggedCharge is what a release of the party's rows costs, written before a share of it leaves.
type LoggedCharge struct {
	Rho     float64 `json:"rho"` // zero-concentrated, which adds up
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// Together is the ρ of all releases of the person of whom most was released, this one included, and the
	// others are the budget of the party's policy; 0: it has none.
	Together  float64 `json:"together"`
	OfEpsilon float64 `json:"of_epsilon,omitempty"`
	OfDelta   float64 `json:"of_delta,omitempty"`
	Keys      string  `json:"keys"` // SHA-256 of the keys of the run: with these one release is made
	Rows      string  `json:"rows"` // SHA-256 of the set of these rows
}

// Costs says what was charged to a party, and what is spent and left.
func Costs(party string, c LoggedCharge) string {
	text := fmt.Sprintf("A release of the rows of %s was charged: epsilon %g at delta %g, rho %.4g; releases "+
		"of these rows have cost epsilon %.3g at that delta together", party, c.Epsilon, c.Delta, c.Rho,
		release.Epsilon(c.Together, c.Delta))
	if c.OfEpsilon == 0 {
		return text + ", and no policy has a budget"
	}
	left := max(0, release.Rho(c.OfEpsilon, c.OfDelta)-c.Together)
	return text + fmt.Sprintf(", and of the budget of epsilon %g at delta %g %.3g is left", c.OfEpsilon,
		c.OfDelta, release.Epsilon(left, c.OfDelta))
}

// A LedgerEntry is one line of the dump: an opening, the end of an epoch, a message, a publication, another
// key, or what a party has told or lets others decrypt.
type LedgerEntry struct {
	At     time.Time `json:"at"`
	Open   *Opening  `json:"open,omitempty"`
	Closed string    `json:"closed,omitempty"` // how the epoch has ended: one of the Ends
	// Published is what the party has let others see of its results, after the run.
	Published *Published        `json:"published,omitempty"`
	Told      *Told             `json:"told,omitempty"`
	Decrypted *LoggedDecryption `json:"decrypted,omitempty"`
	Charged   *LoggedCharge     `json:"charged,omitempty"`
	Renewed   *LoggedRenewal    `json:"renewed,omitempty"`
	LoggedMessage
	Link string `json:"link"` // the hash of this entry with all before it
}

// A LoggedMessage is what a ledger records of one message.
type LoggedMessage struct {
	To       string          `json:"to,omitempty"` // one of To and From is set
	From     string          `json:"from,omitempty"`
	Chain    uint32          `json:"chain,omitempty"`
	Round    uint64          `json:"round,omitempty"`
	Kind     string          `json:"kind,omitempty"`
	Channels []LoggedChannel `json:"channels,omitempty"`
	Bytes    int             `json:"bytes,omitempty"` // of the numbers
	// SHA-256, 16 bytes of it: of the message's frame without the channels that are alike, and the SHA-256 of
	// each of these
	Digest string `json:"digest,omitempty"`
}

// A LoggedChannel is an array of a message.
type LoggedChannel struct {
	Name    string `json:"name"`
	Numbers int    `json:"numbers"`
	Size    int    `json:"size,omitempty"`   // bytes of a number; 0: 8
	Alike   bool   `json:"alike,omitempty"`  // all clients that have the channel receive the same
	Digest  string `json:"digest,omitempty"` // of such a channel: SHA-256, 16 bytes of it
}

// Ends of an epoch.
const (
	Complete = "complete" // this party has its results
	Broken   = "broken"   // the run goes on in another epoch
	Ended    = "ended"    // the run has ended without a result
)

// A head is the last line of a ledger at a checkpoint, with the party's signature.
type head struct {
	Party       string `json:"party"`
	Lines       int    `json:"lines"`
	Link        string `json:"link"`
	Certificate []byte `json:"certificate"`
	Signature   []byte `json:"signature"`
}

// signed reports whether the party of a head has signed it, by its certificate.
func (h *head) signed() bool {
	cert, err := x509.ParseCertificate(h.Certificate)
	if err != nil || cert.Subject.CommonName != h.Party {
		return false
	}
	key, ok := cert.PublicKey.(ed25519.PublicKey)
	return ok && ed25519.Verify(key, h.text(), h.Signature)
}

func (h *head) text() []byte {
	return fmt.Appendf(nil, "vflc ledger v2\n%s\n%d\n%s\n", h.Party, h.Lines, h.Link)
}

// A Book is a ledger that is written. Its methods may be called by any goroutine.
type Book struct {
	dir, party string
	key        ed25519.PrivateKey
	cert       []byte

	mutex  sync.Mutex
	alike  map[[2]string]*alike // channels that all clients receive alike, by kind of message
	file   *os.File
	out    io.Writer // to the file
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

// FileOf is the name of a party in names of files.
func FileOf(party string) string { return strings.NewReplacer("[", "_", "]", "").Replace(party) }

// Path is that of a party's ledger in the folder of a run.
func Path(dir, party string) string {
	return filepath.Join(dir, posterior.LedgerDir, FileOf(party)+fileEnd)
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
	b.out = direct.File(b.file)
	if err = b.file.Truncate(int64(len(whole))); err == nil {
		_, err = b.file.Seek(0, io.SeekEnd)
	}
	if err == nil && len(whole) == 0 {
		_, err = b.file.WriteString(magic)
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

// last is the number of lines up to the last one that is no renewal.
func (f *Ledger) last() int {
	n := len(f.Entries)
	for n > 0 && f.Entries[n-1].Renewed != nil {
		n--
	}
	return n
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

// linked is the hash of an entry, and that of the one before.
func linked(before [digestBytes]byte, entry []byte) (out [digestBytes]byte) {
	var most [256]byte // of entries of a fit
	sum := sha256.Sum256(append(append(most[:0], before[:]...), entry...))
	copy(out[:], sum[:])
	return out
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
	err := b.err
	transport.Each(m, func(one transport.Message) {
		if err == nil {
			err = b.record(sent, peer, one)
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

func (b *Book) record(sent bool, peer string, m transport.Message) error {
	s := b.codec.shape(sent, peer, m)
	if s == nil {
		s = b.shape(sent, peer, m)
	}
	all := m.Arrays
	b.other, b.sums = b.other[:0], b.sums[:0]
	for k, a := range all {
		if s.alike[k] == nil {
			b.other = append(b.other, a)
			continue
		}
		sum := b.sum(s.alike[k], sent, m.Chain, all[k:k+1])
		b.sums = append(b.sums, sum[:]...)
	}
	m.Arrays = b.other
	b.frame = append(transport.Append(b.frame[:0], m), b.sums...)
	digest := sha256.Sum256(b.frame)
	var ok bool
	if b.buffer, ok = b.codec.message(b.buffer[:0], b.clock(), s, m.Chain, m.Round,
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
func (b *Book) shape(sent bool, peer string, m transport.Message) *shape {
	s := &shape{}
	side := `{"from":`
	if sent {
		side = `{"to":`
	}
	l := quoted([]byte(side), peer)
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
	b.codec.keep(s, sent, peer, m)
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
	b.file.Close()
}

// A Ledger is a ledger that was read.
type Ledger struct {
	Path    string
	Party   string
	Entries []LedgerEntry
	link    [digestBytes]byte
	codec   codec
	signer  []byte // the certificate by which it is signed
}

// Dump writes the entries as text, a JSON document a line.
func (f *Ledger) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for k := range f.Entries {
		if err := enc.Encode(&f.Entries[k]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Read reads a ledger, and reports lines that were changed, added or taken away: all lines must follow from
// those before, and the signed one must be there.
func Read(path string) (*Ledger, diag.List, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, diags := read(path, text)
	return f, diags, nil
}

// at is the place of a line of a ledger.
func (f *Ledger) at(line int) string { return fmt.Sprintf("%s:%d", f.Path, line) }

func read(path string, text []byte) (*Ledger, diag.List) {
	f := &Ledger{Path: path}
	var diags diag.List
	changed := func(line int, what string) (*Ledger, diag.List) {
		d := diags.Errorf(diag.LedgerChanged, nil, source.Span{}, "line %d of the ledger %s", line, what)
		d.Data = f.at(line)
		d.Note("every line holds a hash of those before it: what stood here, or before, was another text")
		return f, diags
	}
	rest, ok := strings.CutPrefix(string(text[:min(len(text), len(magic))]), magic)
	if ok && rest == "" {
		text = text[len(magic):]
	} else if len(text) > 0 {
		return changed(1, "is no entry")
	}
	for len(text) > 0 {
		n := len(f.Entries) + 1
		entry, link, left := unframed(text)
		if entry == nil {
			return changed(n, "is no entry")
		}
		e, ok := f.codec.entry(entry)
		if !ok {
			return changed(n, "is no entry")
		}
		if f.link = linked(f.link, entry); !bytes.HasPrefix(f.link[:], link) {
			return changed(n, "does not follow from those before it")
		}
		e.Link = hex.EncodeToString(f.link[:])
		if e.Open != nil {
			f.Party = e.Open.Party
		}
		f.Entries, text = append(f.Entries, e), left
	}
	return f, append(diags, f.headed()...)
}

// headed compares a ledger with the signature beside it.
func (f *Ledger) headed() (diags diag.List) {
	path := strings.TrimSuffix(f.Path, fileEnd) + headEnd
	cut := func(format string, args ...any) diag.List {
		d := diags.Errorf(diag.LedgerCut, nil, source.Span{}, format, args...)
		d.Data = f.at(len(f.Entries))
		d.Note("the party signs the last line of its ledger at every checkpoint, in %s", path)
		return diags
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && len(f.Entries) == 0 {
		return nil
	}
	var h head
	if err != nil || json.Unmarshal(text, &h) != nil {
		return cut("the signature of the ledger is not there, or cannot be read")
	}
	if root, err := identity.ReadAuthority(filepath.Join(filepath.Dir(filepath.Dir(f.Path)),
		posterior.SessionDir)); err == nil && root.Signed(h.Certificate, h.text(), h.Signature) == "" {
		return cut("the signature beside the ledger is not that of a party of the project")
	}
	switch {
	case !h.signed() || f.Party != "" && f.Party != h.Party:
		return cut("the signature beside the ledger is not that of its party")
	case h.Lines > len(f.Entries):
		return cut("the ledger has %d lines, and %s has signed %d", len(f.Entries), h.Party, h.Lines)
	case h.Lines > 0 && f.Entries[h.Lines-1].Link != h.Link:
		return cut("line %d of the ledger is not the one that %s has signed", h.Lines, h.Party)
	}
	f.signer = h.Certificate
	return nil
}
