package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/assess"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

func newCompare() *cobra.Command {
	var asJSON bool
	var name string
	var which likelihoodFlags
	var l looFlags
	cmd := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Compare models of the same data by how well they predict",
		Long: `Compare runs of different models of the same data by their expected log predictive density (elpd). The table lists the best model first,
and for each other one its difference from the best with a standard error, which is computed from paired observations. A difference
of less than about four, or of less than two standard errors, does not separate two models. Below it stand the parameters whose means differ most
from those of the first RUN, in its standard deviations.

` + whatDensity,
		Example: `  vflc compare pooled augmented
  vflc compare out/* --criterion waic --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("compare needs two RUNs or more, but has %d arguments", len(args))
			}
			return nil
		},
		RunE: action(func(cmd *cobra.Command, args []string) error {
			for _, c := range []criterion{leaveOneOut(), widelyApplicable()} {
				if c.Name == name && l.moves && name != assess.LOO().Name {
					return usagef("--moment-match leaves rows out: it is for --criterion loo")
				}
				if c.Name == name {
					return compareRuns(cmd, c, args, asJSON, which, l)
				}
			}
			return usagef("--criterion %s: choose loo or waic", name)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	which.add(cmd)
	l.add(cmd)
	cmd.Flags().StringVar(&name, "criterion", "loo", "loo or waic")
	return cmd
}

// A comparison is what compare prints: how well the runs predict, and how far apart their means are.
type comparison struct {
	assess.Comparison
	Differences []assess.Difference `json:"differences"`
}

func compareRuns(cmd *cobra.Command, c criterion, paths []string, asJSON bool, which likelihoodFlags,
	l looFlags) error {
	var all []*fit.Finished
	var draws []*posterior.Draws
	for _, path := range paths {
		r, err := finished(cmd, path)
		if err != nil {
			return err
		}
		all, draws = append(all, r), append(draws, r.Draws)
	}
	apart := assess.Differences(paths, draws)
	predicted, err := predictions(cmd, c, all, which, l)
	switch {
	case asJSON && err == nil:
		return posterior.WriteJSON(cmd.OutOrStdout(), comparison{predicted, apart})
	case asJSON:
		return err
	case err == nil:
		if err := predicted.WriteTable(cmd.OutOrStdout()); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return cmp.Or(err, assess.WriteDifferences(cmd.OutOrStdout(), paths[0], apart))
}

// predictions compares runs by how well they predict.
func predictions(cmd *cobra.Command, c criterion, all []*fit.Finished,
	which likelihoodFlags, l looFlags) (none assess.Comparison, err error) {
	show := terminal.NewCounter(cmd.ErrOrStderr(), which.quiet)
	var candidates []assess.Candidate
	var moved []*fit.NewPoints
	for _, r := range all {
		responses, points, err := l.densities(cmd, r, which, show)
		if err != nil {
			return none, fmt.Errorf("%s: %w", r.Path, err)
		}
		moved = append(moved, points)
		candidates = append(candidates, assess.Candidate{Run: r.Run, Responses: responses,
			Moving: points.Densities(len(responses))})
		if why := assess.Different(candidates[0].Responses, responses); why != "" {
			return none, fmt.Errorf("%s and %s have different data: %s", all[0].Path, r.Path, why)
		}
	}
	for _, x := range candidates {
		if sayStretch(cmd, c, x.Run) {
			break
		}
	}
	result, err := c.Compare(candidates, show.Of(c.Name))
	show.End()
	for _, p := range moved {
		err = cmp.Or(err, p.Err())
	}
	return result, err
}
