package main

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/posterior/runs"
)

func newPlot() *cobra.Command {
	var kind string
	var width, height int
	cmd := &cobra.Command{
		Use:   "plot RUN [PARAMETER…]",
		Short: "Plot posteriors in the terminal",
		Long: `Plot the draws of a run in the terminal. forest: an interval for each scalar on one axis (5 % to 95 % thin, 25 % to 75 % thick, median);
trace: values over the draws; histogram: one bar per bin. PARAMETER is a name (beta), an element (beta[2], 'beta[zscore(age)]')
or a pattern (beta*).

` + runArgument,
		Example: `  vflc plot out
  vflc plot out beta_a --kind histogram
  vflc plot out 'beta_a[1]' b --kind trace --height 15`,
		Args: cobra.MinimumNArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			columns, err := r.Draws.Choose(args[1:])
			if err != nil {
				return &failure{exitUsage, err}
			}
			out := cmd.OutOrStdout()
			s := plot.Size{Width: width, Height: height, Color: terminal.Is(out) && os.Getenv("NO_COLOR") == ""}
			if width == 0 {
				s.Width = terminal.Width(out)()
			}
			return draw(out, r.Draws, columns, kind, s)
		}),
	}
	cmd.Flags().StringVar(&kind, "kind", "forest", "what to draw: forest, trace or histogram")
	cmd.Flags().IntVar(&width, "width", 0, "width in characters; 0: that of the terminal")
	cmd.Flags().IntVar(&height, "height", 10, "height of a trace, in lines; number of bins of a histogram")
	return cmd
}

func draw(w io.Writer, d *posterior.Draws, columns []int, kind string, s plot.Size) error {
	var names []string
	for _, k := range plot.Kinds() {
		names = append(names, k.Name)
		switch {
		case k.Name != kind:
		case k.Most > 0 && len(columns) > k.Most:
			return usagef("%d frames are too many; name at most %d scalars of %s", len(columns), k.Most, strings.Join(d.Names(), ", "))
		default:
			_, err := io.WriteString(w, k.Draw(d, columns, s))
			return err
		}
	}
	return usagef("--kind %s: choose %s", kind, inWords(names, "or"))
}
