package fit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// lockFile is the file in the folder of a run that the process that works on it locks. It holds the number of that process. The system releases the lock when
// the process ends, however it ends, so that no lock is left behind.
const lockFile = "lock"

// A folderLock is held while a process writes to the folder of a run.
type folderLock struct {
	file *os.File
	path string
}

// lockFolder locks the folder of a run. The error names the process that has locked it.
func lockFolder(dir string) (*folderLock, error) {
	path := filepath.Join(dir, lockFile)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, private)
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
			return &folderLock{f, path}, nil
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

// Hold locks a folder until release is called or the process ends. The error says who has locked it.
func Hold(dir string) (release func(), err error) {
	l, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

func inUse(dir string) error {
	who := "another process"
	if text, err := os.ReadFile(filepath.Join(dir, lockFile)); err == nil && len(text) > 0 {
		who = "process " + strings.TrimSpace(string(text))
	}
	return fmt.Errorf("%s is in use by %s; wait until it ends, or name another folder", dir, who)
}

// release unlocks the folder. A nil lock is none.
func (l *folderLock) release() {
	if l == nil || l.file == nil {
		return
	}
	if same(l.file, l.path) {
		os.Remove(l.path)
	}
	l.file.Close()
	l.file = nil
}
