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

	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/internal/folderlock"
)

// HistoryDir is the folder beside the policy in which a party remembers on which rows it has run, and for how many rounds.
const HistoryDir = "history"

const historyFile = "rows.json"

// A RowSet is the rows of a run: a number for each, which follows from the row's key and a secret of the party, in ascending order.
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
	sum := sha256.Sum256(s.bytes())
	return fmt.Sprintf("%x", sum[:])
}

func (s RowSet) bytes() (out []byte) {
	for _, v := range s {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// A used is a set of rows with what runs have had of it.
type used struct {
	Digest string `json:"digest"`
	Rounds int64  `json:"rounds"`
	Rows   string `json:"rows"`
}

func (u *used) set() RowSet {
	b, err := base64.StdEncoding.DecodeString(u.Rows)
	if err != nil {
		return nil
	}
	out := make(RowSet, 0, len(b)/8)
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}

// A History is what a party remembers of its runs.
type History struct{ dir string }

// OpenHistory opens that in the folder with a party's keys.
func OpenHistory(identity string) History { return History{filepath.Join(identity, HistoryDir)} }

func (h History) read() (list []*used, err error) {
	text, err := os.ReadFile(filepath.Join(h.dir, historyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(h.dir, historyFile), err)
	}
	return list, err
}

// Earlier compares rows with those of earlier runs: the smallest number by which one of these differs, and the rounds on the same rows.
func (h History) Earlier(rows RowSet) (differs int, rounds int64, err error) {
	list, err := h.read()
	if err != nil {
		return 0, 0, err
	}
	for _, u := range list {
		switch n := rows.Differs(u.set()); {
		case n == 0:
			rounds = u.Rounds
		case differs == 0 || n < differs:
			differs = n
		}
	}
	return differs, rounds, nil
}

// lockMost is how long a process waits for another that changes the history.
const lockMost = 10 * time.Second

// Add counts rounds on rows, up to most where that is positive, and returns how many it has counted. A negative number gives rounds back that were not used. Rows that are new are
// remembered.
func (h History) Add(rows RowSet, rounds, most int64) (counted int64, err error) {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return 0, err
	}
	lock, err := folderlock.Take(h.dir)
	for begin := time.Now(); err != nil && time.Since(begin) < lockMost; lock, err = folderlock.Take(h.dir) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return 0, err
	}
	defer lock.Release()
	list, err := h.read()
	if err != nil {
		return 0, err
	}
	digest := rows.digest()
	at := slices.IndexFunc(list, func(u *used) bool { return u.Digest == digest })
	if at < 0 {
		at, list = len(list), append(list, &used{Digest: digest, Rows: base64.StdEncoding.EncodeToString(rows.bytes())})
	}
	u := list[at]
	if counted = rounds; most > 0 {
		counted = min(counted, most-u.Rounds)
	}
	if rounds > 0 && counted < 0 {
		counted = 0
	}
	u.Rounds += counted
	text, err := json.Marshal(list)
	if err != nil {
		return 0, err
	}
	return counted, atomicfile.WriteBytes(filepath.Join(h.dir, historyFile), 0o600, append(text, '\n'))
}

// A Meter counts the rounds of a run. It takes them from the history in blocks, so that a process that is killed has counted too many and never too few.
type Meter struct {
	policy  *Policy
	history History
	rows    RowSet
	left    int64
	last    map[uint32]uint64 // round of each chain
}

// block is how many rounds are taken at once.
const block = 1000

// NewMeter counts the rounds of a run on rows.
func NewMeter(p *Policy, h History, rows RowSet) *Meter {
	return &Meter{policy: p, history: h, rows: rows, last: map[uint32]uint64{}}
}

// Round notes a message of a round of a chain. It reports whether the round is allowed.
func (m *Meter) Round(chain uint32, round uint64) (bool, error) {
	if last, ok := m.last[chain]; ok && last == round {
		return true, nil
	}
	m.last[chain] = round
	if m.left == 0 {
		var err error
		if m.left, err = m.history.Add(m.rows, block, m.policy.MaxRounds); err != nil {
			return false, err
		}
	}
	if m.left == 0 {
		return false, nil
	}
	m.left--
	return true, nil
}

// Close gives back what was not used.
func (m *Meter) Close() error {
	if m.left == 0 {
		return nil
	}
	left := m.left
	m.left = 0
	_, err := m.history.Add(m.rows, -left, 0)
	return err
}
