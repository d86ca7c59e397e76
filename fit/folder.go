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

// takeFolder makes the folder of a run ready, if there is one, and writes the record there, so that the run can be
// resumed. A run that is resumed keeps its record.
func (p *Prepared) takeFolder() (_ diag.List, err error) {
	dir := p.options.Dir
	switch {
	case dir == "":
		return nil, nil
	case p.options.Resume:
		p.Record, err = unchanged(dir, p.Record)
		return nil, err
	}
	if from, err := os.Stat(p.options.From); err == nil {
		if to, err := os.Stat(dir); err == nil && os.SameFile(from, to) {
			return nil, usagef("--from and -o name one folder: the run to begin with would be lost")
		}
	}
	if err := claim(dir); err != nil {
		return nil, err
	}
	return nil, writeFile(dir, runs.RecordFile, func(w io.Writer) error { return posterior.WriteJSON(w, p.Record) })
}

// claim makes the folder ready before the work begins: a folder with files of somebody else is refused, an earlier run's are removed.
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
		return fmt.Errorf("%s holds files and no %s: it is no folder of a run; name another or empty it", dir, runs.RecordFile)
	}
	for _, name := range []string{runs.SummaryFile, runs.ELBOFile, runs.DrawsDir, runs.ZarrDir, runs.ProgramsDir, checkpointDir, runs.RecordFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Save fills a folder: summary, draws, programs and the record of the run. One that is not the run's own is made ready first: an earlier run's files in it
// are removed, and a folder with files of anything else is refused.
func (r *Result) Save(dir string) error {
	if dir != r.dir {
		if err := claim(dir); err != nil {
			return err
		}
	}
	return r.write(dir)
}

// write fills a folder that is ready. The summary comes last, and alone waits for the disk: where it is, the rest has been written.
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
