package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

// Permissions of what a study writes: its cells hold draws.
const (
	ownerOnly       fs.FileMode = 0o600
	ownerOnlyFolder fs.FileMode = 0o700
)

// The names in the folder of a study.
const (
	cellsDir   = "cells"
	figuresDir = "figures"
	tablesDir  = "tables"
	cellFile   = "cell.json"
	logFile    = "log.txt"
	ReportFile = "study.md"
	ValuesFile = "results.csv"
)

// A Store is the folder of a study: a folder for each result, and what is made of them.
type Store struct {
	dir  string
	lock *safefile.Lock
}

// OpenStore opens the folder of a study. To write, it makes the folder if there is none, and keeps it for
// this process alone until Close.
func OpenStore(dir string, write bool) (*Store, error) {
	if !write {
		return &Store{dir: dir}, nil
	}
	if err := os.MkdirAll(filepath.Join(dir, cellsDir), ownerOnlyFolder); err != nil {
		return nil, err
	}
	lock, err := safefile.TakeLock(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir, lock}, nil
}

// Close lets go of the folder.
func (s *Store) Close() { s.lock.Release() }

// Folder is where the finished result of a cell is.
func (s *Store) Folder(c *cells.Cell) string { return filepath.Join(s.dir, cellsDir, c.ID()) }

// working is where a result is made. It gets its name when it is whole.
func (s *Store) working(c *cells.Cell) string { return filepath.Join(s.dir, cellsDir, "."+c.ID()) }

// Has reports whether the result of a cell is there.
func (s *Store) Has(c *cells.Cell) bool {
	_, err := os.Stat(filepath.Join(s.Folder(c), cellFile))
	return err == nil
}

// Make makes the result of a cell: do writes it into a folder, which gets its name when it is whole. resumed
// says that an earlier process has left something there to continue.
func (s *Store) Make(c *cells.Cell, do func(dir string, resumed bool, log io.Writer) error) error {
	dir := s.working(c)
	command, _ := CommandOf(c.Command)
	resumed := false
	if command.Resumes {
		_, err := os.Stat(filepath.Join(dir, command.Writes))
		resumed = err == nil && resumable(filepath.Join(dir, command.Writes))
	}
	if !resumed {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, ownerOnlyFolder); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, ownerOnly)
	if err != nil {
		return err
	}
	err = do(dir, resumed, log)
	if closed := log.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	r := c.Record()
	if err := safefile.Write(filepath.Join(dir, cellFile), ownerOnly, func(w io.Writer) error {
		return posterior.WriteJSON(w, r)
	}); err != nil {
		return err
	}
	return os.Rename(dir, s.Folder(c))
}

// resumable reports whether an interrupt has left a run that can be continued.
func resumable(dir string) bool {
	r, err := posterior.ReadRecord(dir)
	return err == nil && fit.Resumable(dir, r) == nil
}

// Collect reads the results of the cells of a study, and compares them with their references.
func (s *Store) Collect(study *Study, failed map[string]error) ([]*Result, error) {
	var out []*Result
	byCell := map[*GridCell]*Result{}
	for _, c := range study.Cells {
		r := &Result{Cell: c, ID: c.ID(), moments: map[string]moment{}}
		if err := failed[r.ID]; err != nil {
			r.Failed = err.Error()
		} else if !s.Has(&c.Cell) {
			r.Failed = "not done"
		} else if err := s.read(&c.Cell, r); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Folder(&c.Cell), err)
		} else if !study.draws(c) {
			r.run = nil // of many runs the draws would fill the memory
		}
		out = append(out, r)
		byCell[c] = r
	}
	for _, r := range out {
		if with := byCell[study.referenceOf(r.Cell)]; with != nil && r.Failed == "" && with.Failed == "" {
			r.compare(with)
		}
	}
	return out, nil
}

// read reads the result of a cell.
func (s *Store) read(c *cells.Cell, r *Result) error {
	command, ok := CommandOf(c.Command)
	if !ok {
		return errors.New("the cell is of no command")
	}
	path := filepath.Join(s.Folder(c), command.Writes)
	if command.Writes == CVFile {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		r.cv = &crossvalidate.Report{}
		if err := json.Unmarshal(text, r.cv); err != nil {
			return err
		}
		r.validated()
		return nil
	}
	var err error
	if r.run, err = posterior.OpenRun(path); err == nil {
		r.fitted()
	}
	return err
}
