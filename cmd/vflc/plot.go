package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/posterior/runs"
)

// mostFrames is the largest number of scalars that get a frame each; for more the user must name some.
const mostFrames = 12

func newPlot() *cobra.Command {
	var kind string
	var width, height int
	cmd := &cobra.Command{
		Use:   "plot RUN [PARAMETER…]",
		Short: "Plot posteriors in the terminal",
		Long: `Plot the draws of a run in the terminal. forest: an interval for each scalar on one axis (5 % to 95 % thin, 25 % to 75 % thick, median);
trace: values over the draws; histogram: one bar per bin. PARAMETER is a name (beta), an element (beta[2]) or a pattern (beta*).

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
				s.Width = terminalWidth(out)
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
	one := map[string]func(string, [][]float64, plot.Size) string{"trace": plot.Trace, "histogram": plot.Histogram}[kind]
	switch {
	case kind == "forest":
		names, values := make([]string, len(columns)), make([][][]float64, len(columns))
		for i, k := range columns {
			names[i], values[i] = d.Columns()[k].Name, d.Column(k)
		}
		_, err := io.WriteString(w, plot.Forest(names, values, s))
		return err
	case one == nil:
		return usagef("--kind %s: choose forest, trace or histogram", kind)
	case len(columns) > mostFrames:
		return usagef("%d frames are too many; name at most %d scalars of %s", len(columns), mostFrames, strings.Join(d.Names(), ", "))
	}
	for _, k := range columns {
		if _, err := fmt.Fprintln(w, one(d.Columns()[k].Name, d.Column(k), s)); err != nil {
			return err
		}
	}
	return nil
}

func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return 80
}
