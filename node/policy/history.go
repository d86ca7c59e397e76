package policy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// HistoryDir is the folder beside the policy in which a party remembers on which rows it has run, and for how
// many rounds.
const HistoryDir = "history"

const (
	historyFile = "runs.json" // the sets of rows with their rounds, rewritten whenever rounds are counted
	rowsEnd     = ".rows"     // of the file of a set, written once: 8 bytes a row
	earlierFile = "rows.json" // what an earlier version kept, with the rows in it
)

// A RowSet is the rows of a run: a number for each, which follows from the row's key and a secret of the
// party, in ascending order.
type RowSet []uint64

// NewRowSet makes a set of the texts that name rows.
func NewRowSet(secret []byte, names []string) RowSet {
	out := make(RowSet, len(names))
	h := hmac.New(sha256.New, secret)
	for k, name := range names {
		h.Reset()
		h.Write([]byte(name))
		out[k] = binary.LittleEndian.Uint64(h.Sum(nil))
	}
	slices.Sort(out)
	return out
}

// Differs is how many rows stand in one of two sets and not in the other.
func (s RowSet) Differs(other RowSet) (n int) {
	for len(s) > 0 && len(other) > 0 {
		switch {
		case s[0] == other[0]:
			s, other = s[1:], other[1:]
		case s[0] < other[0]:
			s, n = s[1:], n+1
		default:
			other, n = other[1:], n+1
		}
	}
	return n + len(s) + len(other)
}

// digest names a set.
func (s RowSet) digest() string {
	h := sha256.New()
	var b []byte
	for part := range slices.Chunk(s, 512) {
		b = part.append(b[:0])
		h.Write(b)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func (s RowSet) bytes() []byte { return s.append(make([]byte, 0, 8*len(s))) }

func (s RowSet) append(out []byte) []byte {
	for _, v := range s {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// A used is a set of rows with what runs have had of it.
type used struct {
	Digest string `json:"digest"`
	Spent
	Keys map[string]int64 `json:"keys,omitempty"` // of what was decrypted, by the keys of each run
	// Of releases: how many were begun, what they have cost together, and by the keys of each; and whether
	// something else has run on the rows, which no noise covers.
	Releases int                `json:"releases,omitempty"`
	Rho      float64            `json:"rho,omitempty"`
	Released map[string]float64 `json:"released,omitempty"`
	Unnoised bool               `json:"unnoised,omitempty"`

	Rows string `json:"rows,omitempty"` // in a file of an earlier version alone
}

// Spent is what runs on a set of rows have had together.
type Spent struct {
	Rounds   int64 `json:"rounds"`
	Products int64 `json:"products,omitempty"` // with vectors of the server's choice
	// Decrypted are numbers that depend on encrypted rows and one other party has learned.
	Decrypted int64 `json:"decrypted,omitempty"`
}

// setOf is the set that bytes hold, if it is the one of the digest.
func setOf(b []byte, digest string) (RowSet, error) {
	out := make(RowSet, 0, len(b)/8)
	for rest := b; len(rest) >= 8; rest = rest[8:] {
		out = append(out, binary.LittleEndian.Uint64(rest))
	}
	if len(b)%8 != 0 || out.digest() != digest {
		return nil, errors.New("these are not the rows that the party has run on: the file was changed")
	}
	return out, nil
}

// PastRuns are what a party remembers of its runs.
type PastRuns struct{ dir string }

// OpenHistory opens that in the folder with a party's keys.
func OpenHistory(identity string) PastRuns { return PastRuns{filepath.Join(identity, HistoryDir)} }

func (h PastRuns) path(name string) string { return filepath.Join(h.dir, name) }

func (h PastRuns) read() (list []*used, err error) {
	path := h.path(historyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		path = h.path(earlierFile)
		if text, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return list, err
}

// set reads the rows of a set.
func (h PastRuns) set(u *used) (set RowSet, err error) {
	path := h.path(u.Digest + rowsEnd)
	var b []byte
	if u.Rows != "" {
		path = h.path(earlierFile)
		b, err = base64.StdEncoding.DecodeString(u.Rows)
	} else {
		b, err = os.ReadFile(path)
	}
	if err == nil {
		set, err = setOf(b, u.Digest)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return set, err
}

// keep writes the rows of a set into a file of its own.
func (h PastRuns) keep(set RowSet) error {
	return safefile.WriteBytes(h.path(set.digest()+rowsEnd), 0o600, set.bytes())
}

// Earlier compares rows with those of earlier runs: the smallest number by which one of these differs, and
// what was spent on the same rows.
func (h PastRuns) Earlier(rows RowSet) (differs int, spent Spent, err error) {
	list, err := h.read()
	if err != nil {
		return 0, spent, err
	}
	digest := rows.digest()
	for _, u := range list {
		if u.Digest == digest {
			spent = u.Spent
			continue
		}
		set, err := h.set(u)
		if err != nil {
			return 0, Spent{}, err
		}
		if n := rows.Differs(set); differs == 0 || n < differs {
			differs = n
		}
	}
	return differs, spent, nil
}

// addProducts counts products on rows. It returns how many there are now.
func (h PastRuns) addProducts(rows RowSet, digest string, products int64) (spent int64, err error) {
	err = h.change(rows, digest, func(u *used) {
		u.Products += products
		spent = u.Products
	})
	return spent, err
}

// lockMost is how long a process waits for another that changes the history.
const lockMost = 10 * time.Second

// Add counts rounds on rows, up to most where that is positive, and returns how many it has counted. A
// negative number gives rounds back that were not used. Rows that are new are remembered.
func (h PastRuns) Add(rows RowSet, rounds, most int64) (counted int64, err error) {
	return h.add(rows, rows.digest(), rounds, most)
}

func (h PastRuns) add(rows RowSet, digest string, rounds, most int64) (counted int64, err error) {
	err = h.change(rows, digest, func(u *used) {
		if counted = rounds; most > 0 {
			counted = min(counted, most-u.Rounds)
		}
		if rounds > 0 && counted < 0 {
			counted = 0
		}
		u.Rounds += counted
	})
	return counted, err
}

// Locked calls f while no other process changes what the party remembers.
func (h PastRuns) Locked(f func() error) error {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	lock, err := safefile.TakeLock(h.dir)
	for begin := time.Now(); err != nil &&
		time.Since(begin) < lockMost; lock, err = safefile.TakeLock(h.dir) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	return f()
}

// change changes what was spent on rows.
func (h PastRuns) change(rows RowSet, digest string, by func(*used)) error {
	return h.Locked(func() error { return h.changed(rows, digest, by) })
}

func (h PastRuns) changed(rows RowSet, digest string, by func(*used)) error {
	list, err := h.read()
	if err != nil {
		return err
	}
	for _, u := range list { // of an earlier version
		if u.Rows != "" {
			set, err := h.set(u)
			if err == nil {
				err = h.keep(set)
			}
			if err != nil {
				return err
			}
			u.Rows = ""
		}
	}
	at := slices.IndexFunc(list, func(u *used) bool { return u.Digest == digest })
	if at < 0 {
		if err := h.keep(rows); err != nil { // before the list names them
			return err
		}
		at, list = len(list), append(list, &used{Digest: digest})
	}
	by(list[at])
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return safefile.WriteBytes(h.path(historyFile), 0o600, append(text, '\n'))
}

// A Meter counts the rounds and products of a run. It takes rounds from the history in blocks, so that a
// process that is killed has counted too many and never too few.
type Meter struct {
	policy  *Policy
	history PastRuns
	rows    RowSet
	digest  string // of rows
	left    int64
	last    map[uint32]uint64 // round of each chain
}

// block is how many rounds are taken at once.
const block = 1000

// Rows names the set of rows.
func (m *Meter) Rows() string { return m.digest }

// NewMeter counts the rounds of a run on rows.
func NewMeter(p *Policy, h PastRuns, rows RowSet) *Meter {
	return &Meter{policy: p, history: h, rows: rows, digest: rows.digest(), last: map[uint32]uint64{}}
}

// Round notes a message of a round of a chain. It reports whether the round is allowed.
func (m *Meter) Round(chain uint32, round uint64) (bool, error) {
	if last, ok := m.last[chain]; ok && last == round {
		return true, nil
	}
	m.last[chain] = round
	if m.left == 0 {
		var err error
		if m.left, err = m.history.add(m.rows, m.digest, block, m.policy.MaxRounds); err != nil {
			return false, err
		}
	}
	if m.left == 0 {
		return false, nil
	}
	m.left--
	return true, nil
}

// Products notes vectors of the server's choice that the party is to multiply. The list says why it does not.
func (m *Meter) Products(n int64) (diag.List, error) {
	spent, err := m.history.addProducts(m.rows, m.digest, n)
	return m.policy.Products(spent), err
}

// Close gives back what was not used.
func (m *Meter) Close() error {
	if m.left == 0 {
		return nil
	}
	left := m.left
	m.left = 0
	_, err := m.history.add(m.rows, m.digest, -left, 0)
	return err
}
