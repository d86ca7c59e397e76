package study

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

// Pack writes the result of a cell, which is there, as a compressed archive.
func (s *Store) Pack(c *cells.Cell, w io.Writer) error {
	z := gzip.NewWriter(w)
	a := tar.NewWriter(z)
	root := os.DirFS(s.Folder(c))
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if err := a.WriteHeader(&tar.Header{Name: path, Mode: int64(ownerOnly), Size: info.Size(),
			Typeflag: tar.TypeReg}); err != nil {
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

// Unpack takes the result of a cell from an archive of Pack. It gets its name when it is whole, and on disk.
func (s *Store) Unpack(c *cells.Cell, r io.Reader) error {
	dir := s.working(c)
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
			return fmt.Errorf("the result of %s has %q, which is no file of a cell", c.ID(), h.Name)
		}
		if err := unpacked(filepath.Join(dir, filepath.FromSlash(h.Name)), a); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, cellFile)); err != nil {
		return fmt.Errorf("the result of %s is not whole: %w", c.ID(), err)
	}
	return os.Rename(dir, s.Folder(c))
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

// Rename gives the files in the records of runs the paths that they have where the cell is from: below is the
// folder in which they are here.
func (s *Store) Rename(c *cells.Cell, below string) error {
	separator := string(filepath.Separator)
	return filepath.WalkDir(s.Folder(c), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != posterior.RecordFile {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return safefile.WriteBytes(path, ownerOnly, bytes.ReplaceAll(text, []byte(below+separator),
			[]byte(separator)))
	})
}

// Drop removes the result of a cell, which is elsewhere now.
func (s *Store) Drop(c *cells.Cell) error { return os.RemoveAll(s.Folder(c)) }
