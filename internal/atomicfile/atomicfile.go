// Package atomicfile writes files that are either whole or absent, whenever the process stops.
package atomicfile

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes path hold what fill writes: into a new file beside it, which then takes its place. Where fill or the disk fails, path stays as it was.
// A link is followed, and a file that exists keeps its permissions; a new one gets perm. The text is on the disk before it takes its place, so that
// path is whole after a loss of power too.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	return write(path, perm, fill, (*os.File).Sync)
}

// WriteSoon is Write without waiting for the disk: a loss of power in the next seconds may leave path empty. It is for files of which there are many and
// that can be made again.
func WriteSoon(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	return write(path, perm, fill, func(*os.File) error { return nil })
}

func write(path string, perm fs.FileMode, fill func(io.Writer) error, settle func(*os.File) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := flush(f, perm, fill, settle); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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

// WriteBytes makes path hold data, as [Write] does.
func WriteBytes(path string, perm fs.FileMode, data []byte) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
