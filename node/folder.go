package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/posterior"
)

// Names of the files in the session's folder, below that of the run.
const (
	StatusFile = "status.json" // how the run stands; rewritten when that changes, and every minute
	LogFile    = "log.jsonl"
	StopFile   = "stop" // names the process that is asked to stop; vflc stop makes it
)

// A memory is what a party remembers of a run.
type memory struct {
	Party    string        `json:"party"`
	Run      string        `json:"run"`
	Epoch    uint32        `json:"epoch"` // the last that was begun
	Announce *announcement `json:"announce,omitempty"`
	Complete bool          `json:"complete,omitempty"`
	// at the server: clients of a complete run that have not said that they know it
	Unaware []string `json:"unaware,omitempty"`
}

func readMemory(dir string) (m memory, err error) {
	_, err = safefile.ReadJSON(filepath.Join(dir, posterior.SessionDir, posterior.SessionFile), &m)
	return m, err
}

// Remembered returns the number of the run that a party's folder holds, "" where it holds none, and whether
// it is complete.
func Remembered(dir string) (run string, complete bool, err error) {
	m, err := readMemory(dir)
	return m.Run, m.Complete, err
}

func (m memory) write(dir string) error {
	return writeJSON(dir, posterior.SessionFile, m, safefile.Write)
}

func writeJSON(dir, name string, v any, write func(string, fs.FileMode, func(io.Writer) error) error) error {
	if err := os.MkdirAll(filepath.Join(dir, posterior.SessionDir), 0o700); err != nil {
		return err
	}
	return write(filepath.Join(dir, posterior.SessionDir, name), 0o600, safefile.JSON(v))
}

// A Status says how a party's part of a run stands.
type Status struct {
	identity.Fingerprints
	Party   string            `json:"party"`
	Run     string            `json:"run"`
	Model   string            `json:"model"`
	Process int               `json:"process"`
	At      time.Time         `json:"at"`
	State   string            `json:"state"` // one of the States
	Epoch   uint32            `json:"epoch"`
	Missing map[string]string `json:"missing,omitempty"` // parties that the run waits for, and why
	Parties []string          `json:"parties,omitempty"`
	Chains  []ChainStatus     `json:"chains,omitempty"`
	Why     string            `json:"why,omitempty"`      // of a run that has ended without a result
	EndedBy string            `json:"ended_by,omitempty"` // party whose error that is
}

// Unwell says why the part of the run does not stand well: it has failed, or has not come round for too long.
// "": it does its part, waits for others, or has ended.
func (s *Status) Unwell(tooLong time.Duration) string {
	since := time.Since(s.At)
	switch {
	case s.State == Failed:
		return "has failed: " + s.Why
	case !slices.Contains([]string{Starting, Stopped, Complete}, s.State) && since > tooLong:
		return fmt.Sprintf("has not come round for %s", since.Round(time.Second))
	}
	return ""
}

// Overdue is the age of a status in its file from which on its process hangs.
const Overdue = statusEvery + stuckAfter

// same reports whether two tell the same, at whatever times.
func (s Status) same(o Status) bool {
	s.At, o.At = time.Time{}, time.Time{}
	return reflect.DeepEqual(s, o)
}

// A ChainStatus is how far a chain is.
type ChainStatus struct {
	Phase     string `json:"phase"`
	Iteration int    `json:"iteration"`
	Of        int    `json:"of,omitempty"`
	Draws     int    `json:"draws"`
}

// States.
const (
	Starting = "starting" // the process has not read its folders yet
	Waiting  = "waiting"  // not all parties are there
	Agreeing = "agreeing" // the parties compare what they have
	Running  = "running"
	Saved    = "saved" // this party has its results, another has not yet
	Complete = "complete"
	Stopped  = "stopped"
	Failed   = "failed"
)

// States lists them.
func States() []string {
	return []string{Starting, Waiting, Agreeing, Running, Saved, Complete, Stopped, Failed}
}

// A noStatusError is the error of a folder without a status.
type noStatusError struct{ dir string }

func (e *noStatusError) Error() string {
	return fmt.Sprintf("%s has no %s, so it is not the folder of a run that vflc "+
		"serve or vflc join has begun", e.dir, StatusFile)
}

func (*noStatusError) Unwrap() error { return fs.ErrNotExist }

// ReadStatus reads how the run in a folder stands.
func ReadStatus(dir string) (*Status, error) {
	s := &Status{}
	there, err := safefile.ReadJSON(filepath.Join(dir, posterior.SessionDir, StatusFile), s)
	if !there {
		return nil, &noStatusError{dir}
	}
	return s, err
}

// A journal is the log of a party: lines of JSON in its folder, and the same as text on the screen.
type journal struct {
	mutex sync.Mutex
	file  *os.File
	log   *slog.Logger
	say   func(string)
	last  string
}

func openJournal(dir string, say func(string)) (*journal, error) {
	if err := os.MkdirAll(filepath.Join(dir, posterior.SessionDir), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, posterior.SessionDir, LogFile),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY,
		0o600)
	if err != nil {
		return nil, err
	}
	return &journal{file: f, log: slog.New(slog.NewJSONHandler(f, nil)), say: say}, nil
}

// note writes a line; the same line is not repeated at once.
func (j *journal) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if text == j.last {
		return
	}
	j.last = text
	j.log.Info(text)
	j.say(text)
}

// warn writes what was refused, or has failed, with its code where it has one.
func (j *journal) warn(err error) {
	var coded data.Errors
	if !errors.As(err, &coded) || len(coded) == 0 {
		j.note("%v", err)
		return
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for _, d := range coded {
		text := fmt.Sprintf("%s (%s)", d.Message, d.Code)
		if text == j.last {
			continue
		}
		j.last = text
		j.log.Warn(d.Message, "code", string(d.Code))
		j.say(text)
	}
}

func (j *journal) close() { j.file.Close() }

// AskToStop asks a process of the run in a folder to stop, also one that has only just been started.
func AskToStop(dir string, process int) error {
	if err := os.MkdirAll(filepath.Join(dir, posterior.SessionDir), 0o700); err != nil {
		return err
	}
	return safefile.WriteBytes(filepath.Join(dir, posterior.SessionDir, StopFile), 0o600,
		strconv.AppendInt(nil, int64(process), 10))
}

// quietJournal keeps nothing.
func quietJournal() *journal {
	return &journal{log: slog.New(slog.DiscardHandler), say: func(string) {}}
}
