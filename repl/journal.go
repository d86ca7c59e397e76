package repl

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
)

// keep writes the present model to the journal, unless it is as it was saved: then there is nothing to
// recover. A journal that cannot be written is left alone: the session goes on.
func (s *Session) keep() {
	if s.Journal == "" {
		return
	}
	if s.now == s.saved {
		os.Remove(s.Journal)
		return
	}
	if os.MkdirAll(filepath.Dir(s.Journal), 0o700) != nil {
		return
	}
	text, err := json.Marshal(s.now)
	if err == nil {
		_ = safefile.WriteBytes(s.Journal, 0o600, append(text, '\n'))
	}
}

// End closes the session. The journal stays where the model has changes that are in no file, for :recover.
func (s *Session) End() {
	if s.Journal != "" && (s.now.empty() || s.now.text() == s.saved.text()) {
		os.Remove(s.Journal)
	}
}

// journals lists the journals of sessions that have ended, the newest first. That of a living process is not
// among them.
func (s *Session) journals() []string {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Journal), "session-*.json"))
	var out []string
	for _, f := range files {
		if f != s.Journal && !living(processOf(f)) {
			out = append(out, f)
		}
	}
	newestFirst(out)
	return out
}

// processOf is the number of the process that writes a journal, as its name gives it.
func processOf(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "session-"), ".json")
}

// Left describes what an earlier session left behind that was not saved; "" where there is nothing.
func (s *Session) Left() string {
	if s.Journal == "" {
		return ""
	}
	for _, f := range s.journals() {
		if old, err := readJournal(f); err == nil {
			return grouped.Count(len(old.Statements), "statement") +
				" of an earlier session were not saved: :recover brings them back"
		}
	}
	return ""
}

func readJournal(file string) (*state, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var old state
	if err := json.Unmarshal(text, &old); err != nil {
		return nil, err
	}
	next, err := readText(old.name(), old.text())
	if err != nil {
		return nil, err
	}
	next.Path, next.Tables, next.Key, next.Intersect = old.Path, old.Tables, old.Key, old.Intersect
	return next, nil
}

// newestFirst sorts files by the time of their last change.
func newestFirst(files []string) {
	changed := func(f string) int64 {
		if info, err := os.Stat(f); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(changed(b), changed(a)) })
}
