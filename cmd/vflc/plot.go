package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/effects"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
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
For effects the words after it are terms, as vflc effects takes them. Without it the plot is a ` + plot.Names()[0] + `. PARAMETER is a name (beta), an element (beta[2],
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
			asked, err := plotArguments(cmd, args)
			if err != nil {
				return err
			}
			f, err := asked.figure(cmd)
			if err != nil {
				return plotError(err, asked)
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

// A plotRequest is what the arguments of plot ask for.
type plotRequest struct {
	runs  []*fit.Finished
	kind  string // "": none is named
	names []string
}

// plotArguments divides the arguments: the first is a run; of the others the first that is the name of a kind
// is the kind, and what no parameter of the first run is called and a run is, is another run.
func plotArguments(cmd *cobra.Command, args []string) (*plotRequest, error) {
	first, err := published(cmd, args[0])
	if err != nil {
		return nil, err
	}
	p := &plotRequest{runs: []*fit.Finished{first}}
	for _, word := range args[1:] {
		_, unnamed := first.Draws.Choose([]string{word})
		switch {
		case p.kind == "" && slices.Contains(plot.Names(), word):
			p.kind = word
		case plot.KindNamed(p.kind).Effects:
			p.names = append(p.names, word)
		case unnamed != nil && isRun(cmd, word):
			r, err := published(cmd, word)
			if err != nil {
				return nil, err
			}
			p.runs = append(p.runs, r)
		default:
			p.names = append(p.names, word)
		}
	}
	return p, nil
}

// figure makes the plot. Runs have the names of their folders, or their paths where two of these are equal.
func (p *plotRequest) figure(cmd *cobra.Command) (*plot.Figure, error) {
	kind := cmp.Or(p.kind, plot.Names()[0])
	var out []plot.RunView
	names := map[string]bool{}
	for _, r := range p.runs {
		trace, err := r.ELBO()
		if err != nil {
			return nil, err
		}
		one := plot.RunView{Name: filepath.Clean(r.Path), Draws: r.Draws, ELBO: trace}
		switch k := plot.KindNamed(kind); {
		case k.Responses:
			again, diags, err := r.Replicate(cmd.Context(), fit.PlottedReplicates, 1)
			if err := settled(cmd, diags, err); err != nil {
				return nil, err
			}
			one.Responses = again.Plotted()
		case k.Effects:
			d, diags, err := effects.Of(cmd.Context(), r, r.Name(), p.names, effects.Usual())
			if err := settled(cmd, diags, err); err != nil {
				return nil, err
			}
			one.Effects, p.names = d.Plotted(), nil
		}
		if plot.NeedsTransforms(kind) {
			all, diags, err := r.Transform(cmd.Context())
			if err := settled(cmd, diags, err); err != nil {
				return nil, err
			}
			for _, t := range all {
				y := plot.Replicated{Name: t.Name}
				for _, v := range t.Values {
					y.PIT = append(y.PIT, float64(v))
				}
				one.Responses = append(one.Responses, y)
			}
		}
		out, names[folderName(one.Name)] = append(out, one), true
	}
	for i := range out {
		if len(names) == len(out) {
			out[i].Name = folderName(out[i].Name)
		}
	}
	return plot.Make(kind, out, p.names)
}

// folderName is the last element of a path, also of one that ends in dots.
func folderName(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return filepath.Base(whole)
	}
	return path
}

// plotError makes a choice that is not there a usage error. Where a KIND may have been meant, it says so.
func plotError(err error, p *plotRequest) error {
	var choice *plot.ChoiceError
	switch {
	case !errors.As(err, &choice):
		return err
	case p.kind != "" || len(p.names) == 0:
		return &failure{exitUsage, err}
	}
	return usagef("%w\nKIND is one of %s%s", err, strings.Join(plot.Names(), ", "),
		posterior.Suggestion(p.names[0], plot.Names()))
}

func writeText(out io.Writer, f *plot.Figure, width, height int) error {
	s := plot.Canvas{Width: width, Height: height, Color: terminal.Colours(out)}
	if width == 0 {
		s.Width = terminal.Width(out)()
	}
	_, err := io.WriteString(out, f.Text(s))
	return err
}
