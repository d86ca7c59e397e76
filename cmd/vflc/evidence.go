package main

import (
	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func newEvidence() *cobra.Command {
	var asJSON bool
	var draws int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "evidence RUN [RUN…]",
		Short: "Estimate the marginal likelihood of models, with its error",
		Long: `Estimate the logarithm of the marginal likelihood of each run's model, and its difference from the first: the log of a Bayes factor. A fit over a grid
(--estimator nested) has it from its importance weights; from draws of a sampler it is estimated by bridge sampling, and around an approximation by importance sampling. se is the Monte Carlo
standard error of the marginal likelihood relative to itself, which is about that of its logarithm.

A marginal likelihood depends on the widths of priors even where the posterior does not. Every prior must be a distribution: improper priors, and bounds that cut off a part of
one, are refused. The tables are read again: all of them are needed in one process.`,
		Example: `  vflc evidence out
  vflc evidence linear quadratic --draws 8000`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if draws < 0 {
				return usagef("--draws %d: give a number above 0", draws)
			}
			var all []fit.MarginalLikelihood
			for _, path := range args {
				r, err := finished(cmd, path)
				if err != nil {
					return err
				}
				m, diags, err := r.Evidence(fit.LogDensities{Draws: draws}, seed)
				if err := settled(cmd, diags, err); err != nil {
					return err
				}
				all = append(all, m)
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), all)
			}
			return fit.WriteEvidence(cmd.OutOrStdout(), all)
		}),
	}
	cmd.Flags().IntVar(&draws, "draws", 0, "use about this many draws, at even distances (default "+
		"at most 4000)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the draws of the proposal")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
