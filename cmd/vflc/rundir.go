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
)

// What a run leaves behind, below the folder given by -o.
const (
	recordFile  = "run.json"
	summaryFile = "summary.json"
	elboFile    = "elbo.csv"
	drawsDir    = "draws"
	programsDir = "programs"
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
	if _, err := os.Stat(filepath.Join(dir, recordFile)); err != nil {
		return fmt.Errorf("%s holds files and no %s: it is no folder of a run; name another or empty it", dir, recordFile)
	}
	for _, name := range []string{summaryFile, elboFile, drawsDir, programsDir, recordFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// write fills the folder. The summary comes last: where it is, the rest is whole.
func (o *outcome) write(dir string) error {
	for name, text := range o.programs {
		if err := atomicWrite(dir, filepath.Join(programsDir, name), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	info := posterior.CSVInfo{
		Model: o.document.Model, Backend: o.document.Backend,
		Iterations: int(o.document.Work.Iterations), Seconds: float64(o.document.Timing.TotalS),
	}
	for c := range o.draws.Chains() {
		name := filepath.Join(drawsDir, fmt.Sprintf("chain-%d.csv", c+1))
		if err := atomicWrite(dir, name, func(w io.Writer) error { return posterior.WriteStanCSV(w, o.draws, c, info) }); err != nil {
			return err
		}
	}
	if err := atomicWrite(dir, elboFile, func(w io.Writer) error { return posterior.WriteELBO(w, o.trace) }); err != nil {
		return err
	}
	if err := atomicWrite(dir, recordFile, func(w io.Writer) error { return posterior.WriteJSON(w, o.record) }); err != nil {
		return err
	}
	return atomicWrite(dir, summaryFile, func(w io.Writer) error { return posterior.WriteJSON(w, o.document) })
}

func atomicWrite(dir, name string, fill func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o644, fill)
}
