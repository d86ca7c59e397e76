package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior/export"
)

func formatNames() []string {
	var out []string
	for _, f := range export.Formats(fit.Version()) {
		out = append(out, f.Name)
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
		Args: oneArgument("the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			for _, f := range export.Formats(fit.Version()) {
				if f.Name != name {
					continue
				}
				r, _, err := ledger.OpenRun(args[0])
				if err != nil {
					return err
				}
				path := output
				if path == "" {
					path = r.Name() + f.Ending
				}
				if err := fit.Export(f, path, r); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", path)
				return err
			}
			return usagef("--format %q: choose %s", name, inWords(formatNames(), "or"))
		}),
	}
	cmd.Flags().StringVar(&name, "format", "parquet", "parquet, csv or zarr")
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"`file` to write (default: the model's name, in the current folder)")
	return cmd
}
