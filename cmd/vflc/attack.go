package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// attackRun prints what the server of a run can reconstruct of the clients' contributions.
func attackRun(cmd *cobra.Command, path string, asJSON bool) error {
	if err := refuseBeside(cmd, "attack", "json"); err != nil {
		return err
	}
	run, err := runs.Open(path)
	if err != nil {
		return err
	}
	screen := newScreen(cmd.ErrOrStderr(), false)
	report, diags, err := fit.Attack(cmd.Context(), run, screen)
	if err := settle(cmd, diags); err != nil {
		return err
	}
	switch {
	case err != nil:
		return err
	case asJSON:
		return posterior.WriteJSON(cmd.OutOrStdout(), report)
	}
	return report.WriteText(cmd.OutOrStdout())
}

// refuseBeside is a usage error where other flags are given beside some.
func refuseBeside(cmd *cobra.Command, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, name := range allowed {
			if f.Name == name {
				return
			}
		}
		err = usagef("--%s does not go with --%s: the run has its own", f.Name, allowed[0])
	})
	return err
}
