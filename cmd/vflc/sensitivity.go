package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func newSensitivity() *cobra.Command {
	var asJSON, strict bool
	var priors []string
	cmd := &cobra.Command{
		Use:   "sensitivity RUN [PARAMETER…]",
		Short: "How much a posterior depends on priors and likelihood",
		Long: `Report for each parameter how fast its posterior changes where the priors, or the likelihood, are raised to a power near 1, without fitting again: draws are weighed.
From 0.05 on a posterior is sensitive. Where it is so to the likelihood alone, the data decide; where to the prior alone, the prior is strong or the data say little; where to both,
they may disagree, or the prior be informative. Priors that depend on other parameters, as those of the effects of a hierarchy, are parts of the model and are left out, unless --prior names them.

The tables are read again: all of them are needed in one process.`,
		Example: `  vflc sensitivity out
  vflc sensitivity out b 'beta*' --prior sigma`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			d, diags, err := r.Sensitive(args[1:], priors)
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			if asJSON {
				err = posterior.WriteJSON(cmd.OutOrStdout(), d)
			} else {
				err = d.WriteTable(cmd.OutOrStdout())
			}
			if err == nil && strict && slices.ContainsFunc(d.Rows, func(r fit.SensitivityRow) bool {
				return r.Diagnosis != ""
			}) {
				return shown(exitUntrusted)
			}
			return err
		}),
	}
	cmd.Flags().StringArrayVar(&priors, "prior", nil, "scale the prior of this `parameter` only; repeatable")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with code 3 when a posterior "+
		"is sensitive to the priors")
	return cmd
}
