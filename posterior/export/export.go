// Package export writes the draws of a run for other programs, and reads back what it wrote.
package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
)

// A Format writes draws for other programs. Ending is the extension of its files' names.
type Format struct {
	Name, Ending string
	Write        func(path string, r *posterior.Run) error
}

// Formats lists the formats; the first is the default. Files say which version of vflc wrote them.
func Formats(version string) []Format {
	return []Format{
		{"parquet", ".parquet", writeParquet},
		{"csv", ".csv", writeCSV},
		{"zarr", ".zarr", func(path string, r *posterior.Run) error { return copyZarr(path, r, version) }},
	}
}

// ErrLeftOut is the error of a format that this build does not write.
var ErrLeftOut = errors.New("a light build does not write Parquet")

func writeParquet(path string, r *posterior.Run) error {
	return safefile.Write(path, 0o600, func(w io.Writer) error { return writeTable(w, r.Draws) })
}

func writeCSV(path string, r *posterior.Run) error {
	return safefile.Write(path, 0o600, func(w io.Writer) error { return posterior.WriteCSV(w, r.Draws) })
}

// copyZarr copies the run's own Zarr directory, which holds more than draws. A run without one has its draws
// written, and so has one in memory, which has no path.
func copyZarr(path string, r *posterior.Run, version string) error {
	own := filepath.Join(r.Path, posterior.ZarrDir)
	if _, err := os.Stat(own); err == nil && r.Path != "" {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists", path)
		}
		return os.CopyFS(path, os.DirFS(own))
	}
	if err := replaceable(path); err != nil {
		return err
	}
	return WriteZarr(path, nil,
		Inference(r.Draws, map[string]any{"inference_library": "vflc",
			"inference_library_version": version}, nil))
}

// replaceable returns an error for a path that exists and is not a Zarr directory.
func replaceable(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, ".zgroup")); err != nil {
		return fmt.Errorf("%s already exists and is not a Zarr directory", path)
	}
	return nil
}
