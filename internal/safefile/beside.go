package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// MaxModule is the largest size of a file that a model imports: 1 MB.
const MaxModule = 1_000_000

// Beside returns what reads files in a folder and in the folders there, by paths with slashes. No path and no
// link leads out of the folder.
func Beside(dir string) func(path string) (string, error) {
	return func(path string) (string, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return "", err
		}
		defer root.Close()
		info, err := root.Stat(filepath.FromSlash(path))
		if err != nil {
			return "", plain(err)
		}
		if !info.Mode().IsRegular() {
			return "", errors.New("it is not a file")
		}
		f, err := root.Open(filepath.FromSlash(path))
		if err != nil {
			return "", plain(err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, MaxModule+1))
		if err == nil && len(text) > MaxModule {
			err = errors.New("it has more than 1 MB")
		}
		return string(text), err
	}
}

// plain is an error without the path and the system call, which whoever reports it names.
func plain(err error) error {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
