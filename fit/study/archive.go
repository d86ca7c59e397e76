package study

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Pack writes the result of a task, which is there, as a compressed archive.
func (s *Store) Pack(t Task, w io.Writer) error {
	z := gzip.NewWriter(w)
	a := tar.NewWriter(z)
	root := os.DirFS(s.Folder(t))
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if err := a.WriteHeader(&tar.Header{Name: path, Mode: int64(ownerOnly), Size: info.Size(), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(a, f)
		return err
	})
	return errors.Join(err, a.Close(), z.Close())
}

// Unpack takes the result of a task from an archive of Pack. It gets its name when it is whole, and on disk.
func (s *Store) Unpack(t Task, r io.Reader) error {
	dir := s.working(t)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, ownerOnlyFolder); err != nil {
		return err
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	a := tar.NewReader(z)
	for {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("the result of %s has %q, which is no file of a cell", t.ID, h.Name)
		}
		if err := unpacked(filepath.Join(dir, filepath.FromSlash(h.Name)), a); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, cellFile)); err != nil {
		return fmt.Errorf("the result of %s is not whole: %w", t.ID, err)
	}
	return os.Rename(dir, s.Folder(t))
}

// unpacked writes a file, synced.
func unpacked(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), ownerOnlyFolder); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, ownerOnly)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, r); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Drop removes the result of a task, which is elsewhere now.
func (s *Store) Drop(t Task) error { return os.RemoveAll(s.Folder(t)) }
