// Package safefile reads and writes files so that nothing is lost: what a user names is opened only if it is
// a file or pipe of bearable size, whenever the process stops a written file has its old contents or its new
// ones, and one process at a time writes to a folder.
package safefile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the contents of path by what fill writes. It writes a temporary file in the same folder,
// syncs it to disk and renames it to path, so that path is complete after a loss of power too. If fill or the
// disk fails, path is unchanged. Write follows symbolic links. An existing file keeps its permissions, and a
// new file gets perm.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	return write(path, perm, fill, (*os.File).Sync)
}

// WriteSoon is Write without the sync: a loss of power in the next seconds may leave path empty. It is for
// many files that can be written again.
func WriteSoon(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	return write(path, perm, fill, func(*os.File) error { return nil })
}

func write(path string, perm fs.FileMode, fill func(io.Writer) error,
	settle func(*os.File) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Named(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
		if e, ok := err.(*fs.PathError); ok && e.Path == f.Name() {
			err = Named(path, err)
		}
	}()
	if err := flush(f, perm, fill, settle); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Named is an error of writing a temporary file, as one of the file that it is to become: nobody knows the
// temporary name.
func Named(path string, err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: "write", Path: path, Err: e.Err}
	}
	return err
}

func flush(f *os.File, perm fs.FileMode, fill func(io.Writer) error, settle func(*os.File) error) error {
	w := bufio.NewWriter(f)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := settle(f); err != nil {
		return err
	}
	return f.Close()
}

// WriteBytes replaces the contents of path by data, as [Write] does.
func WriteBytes(path string, perm fs.FileMode, data []byte) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
