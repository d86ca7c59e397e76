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
	"strings"
	"time"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/runtime/session"
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

// FileOf is the name of a party in names of files.
func FileOf(party string) string { return strings.NewReplacer("[", "_", "]", "").Replace(party) }

// Path is that of a party's ledger in the folder of a run.
func Path(dir, party string) string {
	return filepath.Join(dir, posterior.LedgerDir, FileOf(party)+fileEnd)
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
	} else if len(text) > 0 && text[0] != unused {
		return changed(1, "is no entry")
	}
	for len(text) > 0 && text[0] != unused {
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

// last is the number of lines up to the last one that is no renewal.
func (f *Ledger) last() int {
	n := len(f.Entries)
	for n > 0 && f.Entries[n-1].Renewed != nil {
		n--
	}
	return n
}

// linked is the hash of an entry, and that of the one before.
func linked(before [digestBytes]byte, entry []byte) (out [digestBytes]byte) {
	var most [256]byte // of entries of a fit
	sum := sha256.Sum256(append(append(most[:0], before[:]...), entry...))
	copy(out[:], sum[:])
	return out
}
