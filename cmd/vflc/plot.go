package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node/release"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/posterior/runs"
)

func newPlot() *cobra.Command {
	var output string
	var width, height int
	cmd := &cobra.Command{
		Use:   "plot RUN [RUN…] [KIND] [PARAMETER…]",
		Short: "Plot posteriors, in the terminal or to SVG files",
		Long: `Plot the draws of one run, or of several side by side, in the terminal, or with -o to a file.

KIND is one of
` + kindsOfPlots() + `
It separates runs from parameters. Without it there is one run, and the plot is a ` + plot.Names()[0] + `. PARAMETER is a name (beta), an element (beta[2],
'beta[zscore(age)]') or a pattern (beta*); without any the plot shows all parameters, or the first if they are many.

` + runArgument,
		Example: `  vflc plot out
  vflc plot out trace beta_a
  vflc plot out density 'beta_a[1]' b -o beta.svg
  vflc plot exact augmented power forest -o compare.svg --width 1000`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if width < 0 || height < 0 {
				return usagef("--width and --height must not be negative")
			}
			if output != "" {
				if err := plot.CheckEnding(output); err != nil {
					return &failure{exitUsage, err}
				}
			}
			paths, kind, names := plotArguments(args)
			shown, err := plotRuns(paths)
			if err != nil {
				return err
			}
			if plot.NeedsResponses(kind) {
				if err := addResponses(cmd, paths, shown); err != nil {
					return err
				}
			}
			f, err := plot.Make(kind, shown, names)
			if err != nil {
				return plotError(err, args)
			}
			if output != "" {
				return f.Save(output, width, height)
			}
			return writeText(cmd.OutOrStdout(), f, width, height)
		}),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the plot to this `file`, which ends in "+plot.Ending)
	cmd.Flags().IntVar(&width, "width", 0,
		"width in pixels of the file, or in characters; 0: what suits the plot, or that of the terminal")
	cmd.Flags().IntVar(&height, "height", 0,
		"height in pixels of the file, or in lines; 0: what suits the plot")
	return cmd
}

// kindsOfPlots lists the kinds with their descriptions, a line each.
func kindsOfPlots() string {
	var b strings.Builder
	for _, k := range plot.Kinds() {
		fmt.Fprintf(&b, "  %-16s %s\n", k.Name, k.Doc)
	}
	return b.String()
}

// plotArguments divides the arguments at the first after a run that is a kind.
func plotArguments(args []string) (paths []string, kind string, names []string) {
	for i := 1; i < len(args); i++ {
		if slices.Contains(plot.Names(), args[i]) {
			return args[:i], args[i], args[i+1:]
		}
	}
	return args[:1], plot.Names()[0], args[1:]
}

// plotRuns opens runs. They have the names of their folders, or their paths where two of these are equal.
func plotRuns(paths []string) ([]plot.Run, error) {
	var out []plot.Run
	for _, path := range paths {
		r, _, err := release.Open(path)
		if err != nil {
			return nil, err
		}
		trace, err := r.ELBO()
		if err != nil {
			return nil, err
		}
		out = append(out, plot.Run{Name: filepath.Clean(path), Draws: r.Draws, ELBO: trace})
	}
	names := map[string]bool{}
	for _, r := range out {
		names[folderName(r.Name)] = true
	}
	for i := range out {
		if len(names) == len(out) {
			out[i].Name = folderName(out[i].Name)
		}
	}
	return out, nil
}

// addResponses draws the responses of runs again, for kinds of plots that show them.
func addResponses(cmd *cobra.Command, paths []string, shown []plot.Run) error {
	for k, path := range paths {
		r, err := runs.Open(path)
		if err != nil {
			return err
		}
		p, diags, err := fit.Replicate(cmd.Context(), r, fit.PlottedReplicates, 1)
		if err := settle(cmd, diags); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		shown[k].Responses = p.Plotted()
	}
	return nil
}

// folderName is the last element of a path, also of one that ends in dots.
func folderName(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return filepath.Base(whole)
	}
	return path
}

// plotError makes a choice that is not there a usage error. Where a KIND may have been meant, or a second
// run, it says so.
func plotError(err error, args []string) error {
	var choice *plot.ChoiceError
	if !errors.As(err, &choice) {
		return err
	}
	if len(args) < 2 || slices.ContainsFunc(args[1:], func(a string) bool {
		return slices.Contains(plot.Names(), a)
	}) {
		return &failure{exitUsage, err}
	}
	if _, missing := os.Stat(args[1]); missing == nil {
		return usagef("%w\nTo plot several runs, name a KIND after them: %s", err,
			strings.Join(plot.Names(), ", "))
	}
	return usagef("%w\nKIND is one of %s%s", err, strings.Join(plot.Names(), ", "),
		posterior.Suggestion(args[1], plot.Names()))
}

func writeText(out io.Writer, f *plot.Figure, width, height int) error {
	s := plot.Size{Width: width, Height: height, Color: terminal.Is(out) && os.Getenv("NO_COLOR") == ""}
	if width == 0 {
		s.Width = terminal.Width(out)()
	}
	_, err := io.WriteString(out, f.Text(s))
	return err
}
