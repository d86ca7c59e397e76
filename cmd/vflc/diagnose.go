package main

import (
	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func newDiagnose() *cobra.Command {
	var asJSON bool
	var strict strictness
	cmd := &cobra.Command{
		Use:   "diagnose RUN",
		Short: "Check whether the draws of a run can be trusted",
		Long: `Report each problem of the draws of a run, its size, and what to try: divergences, transitions at the depth limit, E-BFMI
below 0.3, R-hat above 1.01, effective sample sizes below 400, k-hat of a variational fit above 0.7, a fit that has not converged; and a
transform that moves the answer: a parameter by more than 0.2 standard deviations, or a standard deviation by more than 5 %.

` + runArgument,
		Example: `  vflc diagnose out
  vflc diagnose out --strict --json`,
		Args: oneArgument("the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			found := fit.Diagnose(r.Run)
			if asJSON {
				err = posterior.WriteJSON(cmd.OutOrStdout(), map[string]any{"schema": posterior.Schema,
					"model": r.Name(), "trusted": len(found) == 0, "findings": found})
			} else {
				err = fit.WriteFindings(cmd.OutOrStdout(), r.Run, found)
			}
			if err == nil {
				err = strict.of(found)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every finding as JSON")
	strict.add(cmd.Flags())
	return cmd
}
