package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/report"
)

// standardOutput in place of a file's name is the standard output.
const standardOutput = "-"

func newReport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write a run as a web page to read, send or print",
		Long: `Write a run as one HTML file: the model with the owner of each name, a diagram of what each party computes and what crosses, the
summary, findings, plots, a predictive check, what each party learned, what the run cost, and how to repeat it. The file needs no network and has no script.

RUN is the folder of a finished run (vflc run -o). Its tables are read for the predictive check alone, which says so where they are gone. The page shows what belongs to every party of the simulation:
its file can be read by its owner alone.`,
		Example: `  vflc report out
  vflc report out -o trial.html`,
		Args: oneArgument("a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			run, err := posterior.OpenRun(args[0])
			if err != nil {
				return err
			}
			page, diags, err := report.New(run)
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			switch {
			case output == standardOutput:
				return page.Write(cmd.OutOrStdout())
			case output == "":
				output = filepath.Join(args[0], posterior.ReportFile)
			}
			if err := safefile.Write(output, 0o600, func(w io.Writer) error {
				return page.Write(w)
			}); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", output)
			return err
		}),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"`file` to write, - for the standard output (default: report.html in the folder of the run)")
	return cmd
}
