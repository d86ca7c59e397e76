package safefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LockFile is the file in a folder that the process that works on it locks. It holds the number of that
// process. The system releases the lock when the process ends, however it ends, so that no lock is left
// behind.
const LockFile = "lock"

// A Lock is held while a process writes to a folder.
type Lock struct {
	file *os.File
	path string
}

// TakeLock locks a folder. The error names the process that has locked it.
func TakeLock(dir string) (*Lock, error) {
	path := filepath.Join(dir, LockFile)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lockNow(f); err != nil {
			f.Close()
			if errors.Is(err, errLocked) {
				return nil, inUse(dir)
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if same(f, path) {
			f.Truncate(0)
			fmt.Fprintln(f, os.Getpid())
			return &Lock{f, path}, nil
		}
		f.Close() // the process that held it has removed it since it was opened
	}
}

func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

var errLocked = errors.New("another process has locked the file")

// A heldError is the error where another process has locked a folder.
type heldError struct{ text string }

func (e *heldError) Error() string { return e.text }

// Held reports whether an error of TakeLock is that another process has locked the folder.
func Held(err error) bool {
	var held *heldError
	return errors.As(err, &held)
}

func inUse(dir string) error {
	who := "another process"
	if text, err := os.ReadFile(filepath.Join(dir, LockFile)); err == nil && len(text) > 0 {
		who = "process " + strings.TrimSpace(string(text))
	}
	return &heldError{fmt.Sprintf("%s is in use by %s; wait until it ends, or name another folder", dir, who)}
}

// Moved tells the lock that its folder has another path now.
func (l *Lock) Moved(dir string) { l.path = filepath.Join(dir, LockFile) }

// Release unlocks the folder. A nil lock is none.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	if same(l.file, l.path) {
		os.Remove(l.path)
	}
	l.file.Close()
	l.file = nil
}
