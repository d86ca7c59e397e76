package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// Resumable returns an error that explains why the run in a folder cannot be resumed, nil if it can.
func Resumable(dir string, r *posterior.Record) error {
	if a, ok := Backend(r.Backend); ok && a.Gives == backends.Approximation {
		return fmt.Errorf("%s is a fit by %s, which does not save its state; run it again, with more --iterations if it was too short", dir, r.Backend)
	}
	_, err := os.Stat(filepath.Join(dir, checkpointDir))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the run had not yet saved its chains, which it does every %v and when it is interrupted; run it again", dir, saveEvery)
	}
	return err
}

// mayBeginFrom returns an error if the run cannot start from the folder of --from.
func (p *Prepared) mayBeginFrom() error {
	dir := p.options.From
	if dir == "" {
		return nil
	}
	if p.Algorithm.Gives != backends.Markov {
		return usagef("--from is for Markov chains, but the backend is %s", p.Algorithm.Name)
	}
	r, err := runs.ReadRecord(dir)
	switch {
	case err != nil:
		return fmt.Errorf("--from %w", err)
	case r.Backend != p.Algorithm.Name:
		return fmt.Errorf("--from %s: it is a run of %s, but the backend is %s", dir, r.Backend, p.Algorithm.Name)
	}
	return nil
}

// unchanged returns the record of a folder, or an error that names what has changed since.
func (p *Prepared) unchanged(dir string) (posterior.Record, error) {
	now := p.Record
	then, err := runs.ReadRecord(dir)
	switch {
	case err != nil:
		return now, err
	case then.Version != now.Version:
		return now, fmt.Errorf("%s was begun with vflc %s; the draws of this version, %s, may differ", dir, then.Version, now.Version)
	case then.Model.SHA256 != now.Model.SHA256:
		return now, fmt.Errorf("%s has changed since %s was begun", now.Model.Path, dir)
	}
	files, err := p.inputs(then.Salt)
	if err != nil {
		return now, err
	}
	for i, s := range files {
		if i >= len(then.Data) || then.Data[i].SHA256 != s.SHA256 {
			return now, fmt.Errorf("%s has changed since %s was begun", s.Path, dir)
		}
	}
	return *then, nil
}
