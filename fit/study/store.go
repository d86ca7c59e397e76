package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/fit/noise"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/internal/folderlock"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
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

// An Input is a text or a table on which the result of a cell depends, by its digest.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Digest is the input of some bytes.
func Digest(name string, text []byte) Input {
	sum := sha256.Sum256(text)
	return Input{name, hex.EncodeToString(sum[:])}
}

// A record is the content of cell.json: what a result depends on, and what the cell was called when it was made.
type record struct {
	Schema  int       `json:"schema"`
	Version string    `json:"version"` // of vflc
	Command string    `json:"command"`
	Flags   []setting `json:"flags"`
	Predict bool      `json:"predict,omitempty"`
	Inputs  []Input   `json:"inputs"`
}

type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Identify returns the task of a cell. Its name is a digest of the command, the flags and the inputs; paths do not enter, contents do.
func Identify(c *Cell, inputs []Input) (Task, error) {
	text, err := json.Marshal(c.record(inputs))
	if err != nil {
		return Task{}, err
	}
	return Task{Cell: c, ID: Digest("", text).SHA256[:16]}, nil
}

func (c *Cell) record(inputs []Input) record {
	r := record{Schema: posterior.Schema, Version: fit.Version(), Command: c.Command, Flags: []setting{}, Predict: c.Predicts, Inputs: inputs}
	for _, f := range c.Flags {
		if f.Name != "data" { // tables are inputs
			r.Flags = append(r.Flags, setting{f.Name, f.Value})
		}
	}
	return r
}

// A Store is the folder of a study: a folder for each result, and what is made of them.
type Store struct {
	dir  string
	lock *folderlock.Lock
}

// OpenStore opens the folder of a study. To write, it makes the folder if there is none, and keeps it for this process alone until Close.
func OpenStore(dir string, write bool) (*Store, error) {
	if !write {
		return &Store{dir: dir}, nil
	}
	if err := os.MkdirAll(filepath.Join(dir, cellsDir), ownerOnlyFolder); err != nil {
		return nil, err
	}
	lock, err := folderlock.Take(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir, lock}, nil
}

// Close lets go of the folder.
func (s *Store) Close() { s.lock.Release() }

// Folder is where the finished result of a task is.
func (s *Store) Folder(t Task) string { return filepath.Join(s.dir, cellsDir, t.ID) }

// working is where a result is made. It gets its name when it is whole.
func (s *Store) working(t Task) string { return filepath.Join(s.dir, cellsDir, "."+t.ID) }

// Has reports whether the result of a task is there.
func (s *Store) Has(t Task) bool {
	_, err := os.Stat(filepath.Join(s.Folder(t), cellFile))
	return err == nil
}

// Make makes the result of a task: do writes it into a folder, which gets its name when it is whole. resumed says that an earlier process has left something there to continue.
func (s *Store) Make(t Task, inputs []Input, do func(dir string, resumed bool, log io.Writer) error) error {
	dir := s.working(t)
	command, _ := CommandOf(t.Cell.Command)
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
	r := t.Cell.record(inputs)
	if err := atomicfile.Write(filepath.Join(dir, cellFile), ownerOnly, func(w io.Writer) error { return posterior.WriteJSON(w, r) }); err != nil {
		return err
	}
	return os.Rename(dir, s.Folder(t))
}

// resumable reports whether an interrupt has left a run, or the fits of an extrapolation, that can be continued.
func resumable(dir string) bool {
	if runs.HasExtrapolation(dir) {
		return true
	}
	r, err := runs.ReadRecord(dir)
	return err == nil && fit.Resumable(dir, r) == nil
}

// Collect reads the results of tasks, and compares them with their references.
func (s *Store) Collect(study *Study, tasks []Task, failed map[*Cell]error) ([]*Result, error) {
	var out []*Result
	byCell := map[*Cell]*Result{}
	for _, t := range tasks {
		r := &Result{Cell: t.Cell, ID: t.ID, moments: map[string]moment{}}
		if err := failed[t.Cell]; err != nil {
			r.Failed = err.Error()
		} else if !s.Has(t) {
			r.Failed = "not done"
		} else if err := s.read(t, r); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Folder(t), err)
		} else if !study.draws(t.Cell) {
			r.run = nil // of many runs the draws would fill the memory
		}
		out = append(out, r)
		byCell[t.Cell] = r
	}
	for _, r := range out {
		if with := byCell[study.referenceOf(r.Cell)]; with != nil && r.Failed == "" && with.Failed == "" {
			r.compare(with)
		}
	}
	return out, nil
}

// read reads the result of a task.
func (s *Store) read(t Task, r *Result) error {
	command, ok := CommandOf(t.Cell.Command)
	if !ok {
		return errors.New("the cell is of no command")
	}
	path := filepath.Join(s.Folder(t), command.Writes)
	switch {
	case command.Writes == CVFile:
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
	case runs.HasExtrapolation(path):
		e, fits, err := noise.Read(path)
		if err == nil {
			r.extrapolated(e, fits)
		}
		return err
	}
	var err error
	if r.run, err = runs.Open(path); err == nil {
		r.fitted()
	}
	return err
}
