package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/parquet"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/posterior/zarr"
)

// A fileFormat writes draws for other programs. ending is the extension of its files' names.
type fileFormat struct {
	name, ending string
	write        func(path string, r *runs.Run) error
}

func fileFormats() []fileFormat {
	return []fileFormat{
		{"parquet", ".parquet", exportParquet},
		{"csv", ".csv", exportCSV},
		{"zarr", ".zarr", exportZarr},
	}
}

func formatNames() []string {
	var out []string
	for _, f := range fileFormats() {
		out = append(out, f.name)
	}
	return out
}

func newExport() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write the draws of a run for other programs",
		Long: `Write the draws of a run for other programs. parquet: a table with one row per draw, and the columns chain, draw and
one per scalar; csv: the same table as plain CSV; zarr: a Zarr 2 directory with ArviZ's groups.

Python:  arviz.from_zarr("draws.zarr")                                   ArviZ 1, or ArviZ 0 with zarr < 3
         arviz.InferenceData.from_datatree(xarray.open_datatree("draws.zarr", engine="zarr"))    ArviZ 0 with zarr 3
         cmdstanpy.from_csv("out/draws", method="sample")                the Stan CSV files that every run writes
R:       arrow::read_parquet("draws.parquet")

` + runArgument,
		Example: `  vflc export out --format parquet
  vflc export out --format csv -o draws.csv`,
		Args: cobra.ExactArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			for _, f := range fileFormats() {
				if f.name != name {
					continue
				}
				r, err := runs.Open(args[0])
				if err != nil {
					return err
				}
				path := output
				if path == "" {
					path = r.Name() + f.ending
				}
				if err := f.write(path, r); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", path)
				return err
			}
			return usagef("--format %q: choose %s", name, inWords(formatNames(), "or"))
		}),
	}
	cmd.Flags().StringVar(&name, "format", "parquet", "parquet, csv or zarr")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write (default: the model's name, in the current folder)")
	return cmd
}

func exportParquet(path string, r *runs.Run) error {
	return atomicfile.Write(path, 0o600, func(w io.Writer) error { return parquet.Write(w, r.Draws) })
}

func exportCSV(path string, r *runs.Run) error {
	return atomicfile.Write(path, 0o600, func(w io.Writer) error { return posterior.WriteCSV(w, r.Draws) })
}

// exportZarr copies the run's own Zarr directory, which holds more than draws. A run without one has its draws written.
func exportZarr(path string, r *runs.Run) error {
	own := filepath.Join(r.Path, runs.ZarrDir)
	if _, err := os.Stat(own); err == nil {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists", path)
		}
		return os.CopyFS(path, os.DirFS(own))
	}
	if err := replaceable(path); err != nil {
		return err
	}
	return zarr.Write(path, nil, zarr.Inference(r.Draws, map[string]any{"inference_library": "vflc", "inference_library_version": fit.Version()}, nil))
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
