package fit

import (
	"fmt"
	"path/filepath"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
)

// Resumable returns an error that explains why the run in a folder cannot be resumed, nil if it can. A
// CompleteError means that it has nothing left to do.
func Resumable(dir string, r *posterior.Record) error {
	if !finished(dir, r) {
		return nil
	}
	if err := posterior.VerifyDraws(dir, r); err != nil {
		return fmt.Errorf("%w. This run is complete, and its checkpoint no longer has its draws; run it "+
			"again with --overwrite, which makes the same", err)
	}
	// killed when all was written
	if err := protocol.EraseJournal(filepath.Join(dir, posterior.JournalFile)); err != nil {
		return err
	}
	a, _ := Backend(r.Backend)
	return &CompleteError{Dir: dir, Warm: a.Gives == backends.Markov}
}

// finished reports whether a run has nothing left to do, and all its outputs were written.
func finished(dir string, r *posterior.Record) bool {
	return r.Complete && exists(filepath.Join(dir, posterior.SummaryFile))
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
	r, err := posterior.ReadRecord(dir)
	switch {
	case err != nil:
		return fmt.Errorf("--from %w", err)
	case r.Backend != p.Algorithm.Name:
		return fmt.Errorf("--from %s: it is a run of %s, but the backend is %s", dir, r.Backend,
			p.Algorithm.Name)
	}
	return nil
}

// unchanged returns the record of a folder, or an error that names what has changed since.
func (p *Prepared) unchanged(dir string) (posterior.Record, error) {
	now := p.Record
	then, err := posterior.ReadRecord(dir)
	switch {
	case err != nil:
		return now, err
	case then.Version != now.Version:
		return now, fmt.Errorf("%s was begun with vflc %s; the draws of this version, %s, may differ: "+
			"resume the run with the version that began it, or run the model again with --overwrite", dir,
			then.Version, now.Version)
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
