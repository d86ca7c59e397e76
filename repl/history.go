package repl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/internal/safefile"
)

// mostEntries is the number of entries that are kept: the newest ones.
const mostEntries = 5000

// An Entry is one unit of input, as it was typed, of one line or several.
type Entry struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// A History is what was typed in earlier sessions and in this one, the oldest first: a file of JSON lines, an
// entry each, that several processes may append to. Its owner alone can read it.
type History struct {
	path    string // "": in memory only
	entries []Entry
}

// OpenHistory reads a history, which need not exist yet. With an empty path nothing is written. Lines that
// cannot be read are left out.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if path == "" {
		return h, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return h, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return h, err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return h, err
	}
	defer unlock(f)
	return h, h.load(f)
}

// load reads the file, and shortens it where it has become long.
func (h *History) load(f *os.File) error {
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Text != "" {
			h.entries = append(h.entries, e)
		}
	}
	if len(h.entries) <= 2*mostEntries {
		return f.Chmod(0o600)
	}
	h.entries = h.entries[len(h.entries)-mostEntries:]
	return safefile.Write(h.path, 0o600, func(w io.Writer) error {
		e := json.NewEncoder(w)
		for _, one := range h.entries {
			if err := e.Encode(one); err != nil {
				return err
			}
		}
		return nil
	})
}

// Add appends an entry, in the file too, before it returns. An entry that repeats the last one is left out.
func (h *History) Add(text string) error {
	if text == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1].Text == text {
		return nil
	}
	e := Entry{time.Now().UTC().Truncate(time.Second), text}
	h.entries = append(h.entries, e)
	if h.path == "" {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return h.append(append(line, '\n'))
}

// append writes a line under the lock. The file may have been replaced by a shorter one since it was opened,
// so it is opened again.
func (h *History) append(line []byte) error {
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	defer unlock(f)
	if now, err := os.Stat(h.path); err == nil {
		if own, err := f.Stat(); err == nil && !os.SameFile(now, own) {
			return errors.Join(unlock(f), h.append(line))
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("the history: %w", err)
	}
	return nil
}

// Entries returns all entries, the oldest first. The slice belongs to the history.
func (h *History) Entries() []Entry { return h.entries }
