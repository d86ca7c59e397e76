package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

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

// write fills the folder. The summary comes last, and alone waits for the disk: where it is, the rest has been written.
func (o *outcome) write(dir string) error {
	for name, text := range o.programs {
		if err := writeFile(dir, filepath.Join(runs.ProgramsDir, name), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	for c := range o.draws.Chains() {
		name := filepath.Join(runs.DrawsDir, fmt.Sprintf("chain-%d.csv", c+1))
		if err := writeFile(dir, name, func(w io.Writer) error { return posterior.WriteStanCSV(w, o.draws, c, o.chains(c)) }); err != nil {
			return err
		}
	}
	if err := zarr.Write(filepath.Join(dir, runs.ZarrDir), nil, zarr.Inference(o.draws, o.attributes(), o.responses)); err != nil {
		return err
	}
	if o.draws.Independent() {
		if err := writeFile(dir, runs.ELBOFile, func(w io.Writer) error { return posterior.WriteELBO(w, o.trace) }); err != nil {
			return err
		}
	}
	if err := writeFile(dir, runs.RecordFile, func(w io.Writer) error { return posterior.WriteJSON(w, o.record) }); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, runs.SummaryFile), 0o644, func(w io.Writer) error { return posterior.WriteJSON(w, o.document) })
}

// attributes are what readers of ArviZ's files are told of a run.
func (o *outcome) attributes() map[string]any {
	return map[string]any{
		"inference_library": "vflc", "inference_library_version": o.record.Version, "created_at": o.record.Created,
		"model": o.document.Model, "backend": o.document.Backend, "transform": o.document.Transform,
		"sampling_time": o.document.Timing.SamplingS, "tuning_steps": o.chains(0).Iterations,
	}
}

func writeFile(dir, name string, fill func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteSoon(path, 0o644, fill)
}
