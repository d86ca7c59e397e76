package fit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

// takeFolder prepares the folder of a run, if it has one, and writes the record there, so that the run can be
// resumed. A run that is resumed keeps its record.
func (p *Prepared) takeFolder() (_ diag.List, err error) {
	dir := p.options.Dir
	switch {
	case dir == "":
		return nil, nil
	case p.options.Resume:
		p.Record, err = p.unchanged(dir)
		return nil, err
	}
	if from, err := os.Stat(p.options.From); err == nil {
		if to, err := os.Stat(dir); err == nil && os.SameFile(from, to) {
			return nil, usagef("--from and -o name the same folder: the run to start from would be lost")
		}
	}
	if err := claim(dir); err != nil {
		return nil, err
	}
	return nil, writeFile(dir, runs.RecordFile, func(w io.Writer) error { return posterior.WriteJSON(w, p.Record) })
}

// claim prepares the folder before the work begins: it removes the files of an earlier run, and returns an error if there are others.
func claim(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, runs.RecordFile)); err != nil {
		return fmt.Errorf("%s has files but no %s, so it is not the folder of a run; name another, or empty it", dir, runs.RecordFile)
	}
	for _, name := range []string{runs.SummaryFile, runs.ELBOFile, runs.DrawsDir, runs.ZarrDir, runs.ProgramsDir, checkpointDir, runs.RecordFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Save writes summary, draws, programs and the record of the run to a folder. In a folder other than the run's own, files of an earlier run are removed
// first; it is an error if there are files of anything else.
func (r *Result) Save(dir string) error {
	if dir != r.dir {
		if err := claim(dir); err != nil {
			return err
		}
	}
	return r.write(dir)
}

// write fills a folder that claim has prepared. The summary is written last, and is the only file that is synced to disk: where it exists, the
// rest has been written.
func (r *Result) write(dir string) error {
	for name, text := range r.programs {
		if err := writeFile(dir, filepath.Join(runs.ProgramsDir, name), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	for c := range r.Draws.Chains() {
		name := filepath.Join(runs.DrawsDir, fmt.Sprintf("chain-%d.csv", c+1))
		if err := writeFile(dir, name, func(w io.Writer) error { return posterior.WriteStanCSV(w, r.Draws, c, r.chains(c)) }); err != nil {
			return err
		}
	}
	if err := zarr.Write(filepath.Join(dir, runs.ZarrDir), nil, zarr.Inference(r.Draws, r.attributes(), r.Responses)); err != nil {
		return err
	}
	if r.Draws.Independent() {
		if err := writeFile(dir, runs.ELBOFile, func(w io.Writer) error { return posterior.WriteELBO(w, r.trace) }); err != nil {
			return err
		}
	}
	if err := writeFile(dir, runs.RecordFile, func(w io.Writer) error { return posterior.WriteJSON(w, r.Record) }); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, runs.SummaryFile), 0o644, func(w io.Writer) error { return posterior.WriteJSON(w, r.Document) })
}

// attributes describe a run to readers of ArviZ's files.
func (r *Result) attributes() map[string]any {
	return map[string]any{
		"inference_library": "vflc", "inference_library_version": r.Record.Version, "created_at": r.Record.Created,
		"model": r.Document.Model, "backend": r.Document.Backend, "transform": r.Document.Transform,
		"sampling_time": r.Document.Timing.SamplingS, "tuning_steps": r.chains(0).Iterations,
	}
}

func writeFile(dir, name string, fill func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteSoon(path, 0o644, fill)
}
