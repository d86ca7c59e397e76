// Package atomicfile writes files that are either whole or absent, whenever the process or the machine stops.
package atomicfile

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes path hold what fill writes: into a new file beside it, which then takes its place. Where fill or the disk fails, path stays as it was.
// A link is followed, and a file that exists keeps its permissions; a new one gets perm.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) (err error) {
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
	if err := flush(f, perm, fill); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func flush(f *os.File, perm fs.FileMode, fill func(io.Writer) error) error {
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
	if err := f.Sync(); err != nil {
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
