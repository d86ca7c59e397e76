package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/internal/safefile"
)

// A foreignFolder is the error for a folder that holds files, and no programs.
type foreignFolder struct{ dir string }

func (f *foreignFolder) Error() string {
	return fmt.Sprintf("%s has files but no %s of programs, so vflc compile has not written it; "+
		"name another, or empty it", f.dir, compile.ManifestFile)
}

// writtenPrograms lists the files of programs that an earlier vflc compile has written to a folder, by the
// manifest there. The error is a foreignFolder where that holds anything else.
func writtenPrograms(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m split.Manifest
	text, err := os.ReadFile(filepath.Join(dir, compile.ManifestFile))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (json.Unmarshal(text, &m) != nil ||
		len(m.Parties) == 0):
		return nil, &foreignFolder{filepath.Clean(dir)}
	case err != nil:
		return nil, err
	}
	names = []string{compile.ManifestFile}
	for _, p := range m.Parties {
		names = append(names, p.Program, path.Join(compile.OwnDir, p.Program))
	}
	return names, nil
}

// mayWritePrograms returns an error where files of programs would replace what vflc compile has not written.
func mayWritePrograms(dir string, files map[string][]byte) error {
	if files == nil {
		return nil
	}
	old, err := writtenPrograms(dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(file); err == nil && !slices.Contains(old, name) {
			return fmt.Errorf("%s would be replaced, and the %s beside it does not list it: name another "+
				"folder, or move the file", file, compile.ManifestFile)
		}
	}
	return nil
}

// withdrawPrograms removes the files of programs of an earlier model, except some. The manifest is the first:
// without it nothing runs.
func withdrawPrograms(dir string, except map[string][]byte) error {
	old, err := writtenPrograms(dir)
	if errors.As(err, new(*foreignFolder)) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, kept := except[name]; kept || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replacePrograms writes programs to a folder in place of those that are there, or removes these where there
// are no new ones; the manifest is the last. What is a client's alone is for the eyes of its owner.
func replacePrograms(dir string, files map[string][]byte) error {
	if err := withdrawPrograms(dir, files); err != nil || files == nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	slices.SortStableFunc(names, func(a, b string) int {
		switch compile.ManifestFile {
		case a:
			return 1
		case b:
			return -1
		}
		return 0
	})
	for _, name := range names {
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, compile.OwnDir+"/") {
			mode = 0o600
			if err := os.MkdirAll(filepath.Join(dir, compile.OwnDir), 0o700); err != nil {
				return err
			}
		}
		if err := safefile.WriteBytes(filepath.Join(dir, filepath.FromSlash(name)), mode,
			files[name]); err != nil {
			return err
		}
	}
	return nil
}
