package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit/accuracy"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

func newCompare() *cobra.Command {
	var asJSON bool
	var name string
	var which likelihoodFlags
	cmd := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Compare models of the same data by how well they predict",
		Long: `Compare runs of different models of the same data by their expected log predictive density (elpd). The table lists the best model first,
and for each other one its difference from the best with a standard error, which is computed from paired observations. A difference
of less than about four, or of less than two standard errors, does not separate two models.

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
				if c.Name == name {
					return compareRuns(cmd, c, args, asJSON, which)
				}
			}
			return usagef("--criterion %s: choose loo or waic", name)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	which.add(cmd)
	cmd.Flags().StringVar(&name, "criterion", "loo", "loo or waic")
	return cmd
}

func compareRuns(cmd *cobra.Command, c criterion, paths []string, asJSON bool, which likelihoodFlags) error {
	show := terminal.NewCounter(cmd.ErrOrStderr(), which.quiet)
	var candidates []accuracy.Candidate
	for _, path := range paths {
		r, err := runs.Open(path)
		if err != nil {
			return err
		}
		responses, err := logLikelihood(cmd, r, which, show)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		candidates = append(candidates, accuracy.Candidate{Run: r, Responses: responses})
		if why := accuracy.Different(candidates[0].Responses, responses); why != "" {
			return fmt.Errorf("%s and %s have different data: %s", paths[0], path, why)
		}
	}
	for _, x := range candidates {
		if sayStretch(cmd, c, x.Run) {
			break
		}
	}
	result, err := c.Compare(candidates, show.Of(c.Name))
	show.End()
	if err != nil {
		return err
	}
	if asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), result)
	}
	return result.WriteTable(cmd.OutOrStdout())
}
